"""Every address of a result opens in a browser, on three kinds of hosts; `bench.addresses` does this on real sites."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser

from bench.addresses.hosts import HOSTS, nginx_program
from bench.addresses.opened import open_addresses, site_addresses
from searchsocket.project.settings.model import Settings
from tests.chromium import needs_chromium, open_chromium

pytestmark = needs_chromium

NAMES = (
    "guide/index.html", "guide/part/index.html", "a b.html", "plus+and&more.html", "100%.html", "100%25.html",
    "what?.html", "no#1.html", "café.html", "cafe\u0301/index.html", "漢字/ページ.html", "Case.html", "case/index.html",
    "semi;colon.html", "[x]{y}|z^.html", "it's (\"odd\").html", "tilde~_-.html", "back\\slash.html", "%c3%a9.html",
)  # fmt: skip
PAGE = """<!doctype html><meta charset=utf-8><title>{name}</title>
<main><h1 id='top'>{name}</h1><p>Text of {name}.</p><h2 id='Ä b (c)%20'>Ä</h2><p>Text.</p>{links}</main>"""


def write_site(folder: Path) -> None:
    """A site whose pages link to each other as its files are named; folders are linked with their slash."""
    links = "".join(f"<a href='/{quote(name.removesuffix('index.html'))}'>{name[0]}</a>\n" for name in NAMES)
    for name in ("index.html", *NAMES):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        text = name.replace("&", "and").replace("<", "")
        file.write_text(PAGE.format(name=text, links=links), encoding="utf-8")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_chromium() as browser:
        yield browser


@pytest.mark.parametrize("mode", ["crawl", "static-output"])
@pytest.mark.parametrize("host", HOSTS)
def test_results_open_on_every_host(browser: Browser, host: str, mode: str, tmp_path: Path) -> None:
    """Without a redirect, whatever characters the names of files have."""
    if host == "nginx" and nginx_program() is None:
        pytest.skip("no nginx on this machine: apt-get install nginx-light")
    folder = tmp_path / "site"
    write_site(folder)
    with HOSTS[host](folder) as origin:
        source = {"mode": mode, "static_output_dir": str(folder), "crawl": {"base_url": origin}}
        site = site_addresses(tmp_path, Settings.model_validate({"source": source}), tmp_path / "fetched", 1_000)
        opened = open_addresses(browser, origin, site.fragments)
    assert opened.problems == []
    assert (opened.pages, opened.anchors) == (len(NAMES) + 1, 2 * len(NAMES) + 2)
    assert site.report.failed == {}
