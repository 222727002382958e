"""A build and a crawl of one site have the same pages, and the same addresses open them."""

from pathlib import Path

import pytest

from searchsocket.extensions.crawl.settings import CrawlSettings
from searchsocket.extensions.crawl.source import CrawlSource
from searchsocket.sources.static_output import StaticOutputSource
from searchsocket.web.urls.form import UrlForm, stated_form
from searchsocket.web.urls.resolve import SiteBase, site_base
from tests.extensions.crawl.crawling import Crawl
from tests.file_server import file_server
from tests.sources.web import serve

MANUAL = {
    "index.html": "<a href='wal.html'>WAL</a> <a href='index.html'>Home</a> <a href='docs/'>Docs</a>",
    "wal.html": "<a href='c3ref/intro.html'>C</a> <a href='index.html'>Home</a>",
    "c3ref/intro.html": "<a href='../wal.html'>WAL</a>",
    "docs/index.html": "<a href='ropes/'>Ropes</a> <a href='../wal.html'>WAL</a>",
    "docs/ropes/index.html": "<a href='..'>Docs</a>",
}
EVERYTHING_NAMED = MANUAL | {
    "docs/index.html": "<a href='ropes/index.html'>Ropes</a>",
    "index.html": "<a href='wal.html'>WAL</a> <a href='docs/index.html'>Docs</a>",
}


def write(folder: Path, pages: dict[str, str]) -> Path:
    for name, body in pages.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"<title>{name}</title><main>{name} {body}</main>", encoding="utf-8")
    return folder


def crawled(address: str, folder: Path, form: UrlForm | None = None, base: str = "") -> dict[str, str]:
    """Return the address of each page in a crawl."""
    source = CrawlSource(
        CrawlSettings(base_url=address),
        folder,
        address=address,
        site=site_base([address], base),
        excluded=lambda _: False,
        max_page_bytes=100_000,
        url_form=form,
    )
    urls = {page.url: page.address or page.url for page in source.pages()}
    assert source.report.complete
    return urls


def built(folder: Path, form: UrlForm | None = None, base: str = "") -> dict[str, str]:
    """Return the address of each page in a build."""
    source = StaticOutputSource(folder, site=SiteBase(base), url_form=form)
    return {page.url: page.address or page.url for page in source.pages()}


@pytest.mark.parametrize("pages", [MANUAL, EVERYTHING_NAMED], ids=["folders", "index-files"])
def test_a_plain_host_and_its_build_are_one_site(pages: dict[str, str], tmp_path: Path) -> None:
    """A project can change from one source to the other: pages keep their names, each once."""
    folder = write(tmp_path / "site", pages)
    with file_server(folder) as address:
        urls = crawled(address, tmp_path / "crawl")
    assert urls == built(folder)
    assert set(urls) == {"/", "/wal", "/c3ref/intro", "/docs", "/docs/ropes"}


def test_they_agree_below_a_path_of_the_host(tmp_path: Path) -> None:
    write(tmp_path / "host/m", MANUAL)
    with file_server(tmp_path / "host") as address:
        urls = crawled(f"{address}/m", tmp_path / "crawl", base="/m")
    assert urls == built(tmp_path / "host", base="/m")
    assert urls["/wal"] == "/m/wal.html"
    assert urls["/"] == "/m/"


def test_a_stated_style_is_that_of_both(tmp_path: Path) -> None:
    """A preview may open its pages in another way than the host that they are published on."""
    folder, index = write(tmp_path / "site", MANUAL), stated_form("index")
    with file_server(folder) as address:
        urls = crawled(address, tmp_path / "crawl", index)
    assert urls == built(folder, index)
    assert urls["/docs"] == "/docs/index.html"


def test_two_addresses_of_one_page_are_one_page(tmp_path: Path) -> None:
    """Hosts that open `/a` open `/a.html` too, and sites link to both."""
    with serve() as web:
        web.html("/", "<a href='/a'>A</a> <a href='/a.html'>A</a> <a href='/b/'>B</a> <a href='/b.html'>B</a>")
        web.html("/a", "<p>Anchors.</p>")
        web.pages["/a.html"] = web.pages["/a"]
        web.html("/b", "<p>Boats.</p>")
        web.html("/b.html", "<p>Boats of another kind.</p>")
        crawl = Crawl(web, tmp_path)
        urls = {page.url: page for page in crawl.pages()}
        assert set(urls) == {"/", "/a", "/b", "/b.html"}
        assert crawl.source.report.skipped == {"/a.html": "another address of /a"}
        assert b"another kind" in crawl.source.read(urls["/b.html"])
        assert set(Crawl(web, tmp_path).urls()) == set(urls)


def test_a_page_is_left_out_by_its_url_and_by_its_address(tmp_path: Path) -> None:
    """People write into `source.exclude` what their browser shows."""
    folder = write(tmp_path / "site", MANUAL)
    for glob in ("/wal", "/wal.html"):
        source = StaticOutputSource(folder, exclude=[glob])
        assert "/wal" not in {page.url for page in source.pages()}
    source = StaticOutputSource(folder, exclude=["/docs/index.html"])
    assert {page.url for page in source.pages()} >= {"/docs/ropes", "/wal"}
    assert "/docs" not in {page.url for page in source.pages()}
