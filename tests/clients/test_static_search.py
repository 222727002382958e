"""The dialog searches an export without a server: on a plain file server, under a base path and a strict policy."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from search_site import MAIN, Piece, make_site

from searchsocket.extensions.export.files import ENTRY, SiteExport, export_generation, export_sites
from tests.clients.conftest import EVIL, PIECES


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of which no script failed, and nothing was stopped by its policy."""
    problems: list[str] = []
    page = browser.new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if "Security" in message.text else None)
    yield page
    page.close()
    assert problems == []


def typed(page: Page, url: str, q: str) -> None:
    page.goto(url)
    page.wait_for_function("() => !!customElements.get('searchsocket-dialog')")
    page.keyboard.press("Control+k")
    page.keyboard.type(q)


@pytest.mark.parametrize("name", ["own", "named"])
def test_a_visitor_finds_and_opens_a_page_by_keyboard(page: Page, static_address: str, name: str) -> None:
    typed(page, f"{static_address}/{name}.html", "okapi 7")
    first = page.get_by_role("option").first
    expect(first).to_contain_text("Okapi 7")
    expect(first.locator("mark").first).to_have_text("Okapi")
    page.keyboard.press("Enter")
    page.wait_for_url("**/base/guide/stable/7*")


def test_a_typo_is_found_and_nonsense_is_not(page: Page, static_address: str) -> None:
    typed(page, f"{static_address}/own.html", "laeves")
    expect(page.get_by_role("option").first).to_contain_text("eats leaves")
    page.keyboard.press("Control+a")
    page.keyboard.type("qwertzuiop")
    expect(page.get_by_text("No results for")).to_be_visible()


def test_more_results_come_on_request(page: Page, static_address: str) -> None:
    typed(page, f"{static_address}/own.html", "okapi")
    expect(page.get_by_role("group", name="Okapi")).to_have_count(8)
    page.get_by_role("button", name="More").click()
    expect(page.get_by_role("group", name="Okapi")).to_have_count(16)


def test_text_of_a_page_never_becomes_html(page: Page, static_address: str) -> None:
    typed(page, f"{static_address}/own.html", "zebra")
    expect(page.get_by_role("option").first).to_contain_text(EVIL)
    assert page.title() == "Site"


def test_a_missing_export_is_an_outage_that_can_be_retried(page: Page, static_address: str) -> None:
    typed(page, f"{static_address}/gone.html", "okapi")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ("endpoint='{service}/api/search'", "{service}/api/search: the service cannot be reached. Is {site} in api"),
        ("endpoint='http://127.0.0.1:9/api'", "http://127.0.0.1:9/api: the service cannot be reached. Does"),
        ("endpoint='/api/search'", "{site}/api/search: the service answered with status 404. Does searchsocket serve"),
        ("static='/gone/'", "{site}/gone/searchsocket.json answered with status 404. Does searchsocket export"),
    ],
    ids=["other site", "away", "wrong path", "no export"],
)  # fmt: skip
def test_the_console_names_the_address_and_the_likely_cause(
    browser: Browser, static_folder: Path, static_address: str, origin: str, attributes: str, words: str
) -> None:
    names = {"service": origin, "site": static_address.removesuffix("/base")}
    script = '<script type="module" src="/base/searchsocket/components.js"></script>'
    html = f"{script}<searchsocket-dialog {attributes.format(**names)}></searchsocket-dialog>"
    (static_folder / "base" / "wrong.html").write_text(html)
    page = browser.new_page()
    with page.expect_console_message(lambda message: words.format(**names) in message.text):
        typed(page, f"{static_address}/wrong.html", "okapi")
    page.close()


def test_an_open_page_keeps_its_generation(
    page: Page, static_address: str, static_folder: Path, tmp_path: Path
) -> None:
    """A deployment replaces the entry; what an open page still needs of the one before is there for one release."""
    typed(page, f"{static_address}/own.html", "okapi 3")
    expect(page.get_by_role("option").first).to_contain_text("Okapi 3")
    target = static_folder / "base" / "searchsocket"
    before = (target / ENTRY).read_text()
    site = make_site(tmp_path, PIECES[:1])
    export_generation(site.store.reader(MAIN), site.settings, target)
    assert (target / ENTRY).read_text() != before
    page.keyboard.press("Control+a")
    page.keyboard.type("okapi 11")
    expect(page.get_by_role("option").first).to_contain_text("Okapi 11")


def test_sites_of_one_export_are_groups(page: Page, static_address: str, static_folder: Path, tmp_path: Path) -> None:
    """A result of another site opens on its host; one of this site below its base path."""
    pieces = [Piece("/zoo", "The okapi lives in the new house.", title="Okapi")]
    own, other = make_site(tmp_path / "own", PIECES), make_site(tmp_path / "other", pieces)
    sites = [
        SiteExport(own.store.reader(MAIN), own.settings, project="own", title="Animals"),
        SiteExport(other.store.reader(MAIN), other.settings, project="zoo", title="Zoo", address="https://zoo.example"),
    ]
    export_sites(sites, static_folder / "base" / "both")
    html = (static_folder / "base" / "named.html").read_text()
    (static_folder / "base" / "both.html").write_text(html.replace("/base/searchsocket", "/base/both"))
    typed(page, f"{static_address}/both.html", "okapi")
    expect(page.locator(".heading")).to_have_text(["Animals", "Zoo"])
    *others, last = page.locator(".result").evaluate_all("all => all.map((one) => one.href)")
    assert last.startswith("https://zoo.example/zoo")
    assert all(link.startswith(f"{static_address}/guide/") for link in others)
