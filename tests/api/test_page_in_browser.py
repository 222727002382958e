"""The search page in a real browser: typing, keys, its policy, and what it does when the service does not answer."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from api_client import ENVIRON, body_of, make_project
from playwright.sync_api import Browser, Page, expect
from running_service import listening
from search_site import NOW, Piece, Site

from search_api.app import create_app
from searchsocket.project.project import open_project
from searchsocket.stores.local.store import LocalStore
from tests.chromium import needs_chromium, open_chromium

pytestmark = [pytest.mark.ui, needs_chromium]
SAME = "Before the okapi is fed, close both gates, fill the trough, and write the hour into the book of the stable."
EVIL = "<img src=x onerror=\"document.title='taken'\">"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root = tmp_path_factory.mktemp("browsed") / "site"
    project = make_project(root, '[facets]\nversion = "string"\n')
    Site(LocalStore(project.state_dir / "index", "site")).publish(
        [
            Piece("/evil", f"Zebra {EVIL} in the text", title=f"Zebra {EVIL}", section=EVIL),
            *(Piece(f"/notes/{number}", SAME, title="Stable") for number in range(3)),
        ],
        bodies=[body_of("main", "/evil", EVIL)],
    )
    app = create_app(open_project(root, {}), environ=ENVIRON, host="127.0.0.1", clock=lambda: NOW)
    with listening(app) as port:
        yield f"http://127.0.0.1:{port}/"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_chromium() as browser:
        yield browser


@pytest.fixture
def page(browser: Browser, base: str) -> Iterator[Page]:
    """The page, of which no script failed and nothing was stopped by its policy."""
    problems: list[str] = []
    page = browser.new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if "Content Security" in message.text else None)
    page.goto(base)
    expect(page.locator("#q")).to_be_focused()  # with the first frame, which may come after the page has loaded
    yield page
    page.close()
    assert not problems


def titles(page: Page) -> list[str]:
    return page.locator("#results h2 a").all_inner_texts()


def results(page: Page) -> str:
    """The list as markup, without the spaces between its elements."""
    return "".join(page.locator("#results").inner_html().replace("%2F", "/").split())


def test_results_come_while_words_are_typed_and_the_address_follows(page: Page, base: str) -> None:
    page.keyboard.type("charging")  # the box has the focus
    expect(page).to_have_url(f"{base}?q=charging")  # answers to its beginnings may come first
    expect(page.locator("#results:not([aria-busy])")).to_be_attached()
    assert set(titles(page)) >= {"Battery", "Lead battery"}
    typed = results(page)
    page.reload()
    assert set(titles(page)) >= {"Battery", "Lead battery"}
    # What the script writes is what the service writes.
    assert results(page) == typed
    page.locator("#q").fill("")
    expect(page.locator("#results li")).to_have_count(0)
    assert page.url == base


def test_everything_can_be_reached_by_keys(page: Page, base: str) -> None:
    page.keyboard.type("battery")
    expect(page).to_have_url(f"{base}?q=battery")  # answers to its beginnings may come first
    expect(page.locator("#results:not([aria-busy])")).to_be_attached()
    links = page.locator("#results h2 a")
    page.keyboard.press("ArrowDown")
    expect(links.nth(0)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(links.nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.locator("#q")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    expect(page.locator("#q")).to_be_focused()
    page.locator("#q").blur()
    page.keyboard.press("/")
    expect(page.locator("#q")).to_be_focused()
    assert page.locator("#q").input_value() == "battery"
    page.keyboard.press("ArrowDown")
    first = links.first.inner_text()
    page.keyboard.press("Enter")
    expect(page.locator(".text pre")).to_be_visible()
    assert first
    page.go_back()
    expect(links.first).to_have_text(first)


def test_text_of_pages_never_runs_as_script(page: Page) -> None:
    page.keyboard.type("zebra")
    expect(page).to_have_title("zebra · Search Garden robot")  # answers to a part of it may come before
    expect(page.locator("#results h2 a").first).to_contain_text("<img")
    expect(page.locator("#results mark").first).to_be_visible()
    assert page.locator("#results img, #results script").count() == 0


def test_filters_count_and_an_error_is_a_sentence(page: Page) -> None:
    page.keyboard.type("battery")
    expect(page.locator("#results li").first).to_be_visible()
    page.locator("summary").click()
    page.locator("input[name=pathPrefix]").fill("/docs-old")
    expect(page.locator("#results > li")).to_have_count(1)
    page.locator("input[name=tag]").fill("none-such")
    expect(page.locator("#status")).to_have_text("No results for “battery” with these filters. Try other words.")
    page.locator("#q").fill("\u200b")
    expect(page.locator("#results.failed")).to_have_count(1)
    expect(page.locator("#status")).to_have_text("the query is empty")


def test_a_service_that_is_gone_is_said(page: Page) -> None:
    page.route("**/api/search*", lambda route: route.abort())
    page.keyboard.type("battery")
    expect(page.locator("#status")).to_have_text("The search service cannot be reached.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1200])
def test_without_scripts_the_form_works_and_nothing_is_cut(
    browser: Browser, base: str, scheme: str, width: int
) -> None:
    dark = scheme == "dark"
    context = browser.new_context(
        java_script_enabled=False, color_scheme="dark" if dark else "light", viewport={"width": width, "height": 700}
    )
    page = context.new_page()
    page.goto(base)
    page.locator("#q").fill("charging")
    page.keyboard.press("Enter")
    expect(page.locator("#results > li").first).to_be_visible()
    for selector in ("main", "header", "footer"):
        box = page.locator(selector).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
    context.close()


def test_pages_that_say_the_same_are_named_below_the_best(page: Page) -> None:
    page.keyboard.type("okapi is fed")
    expect(page.locator("#results li", has_text="and 2 similar:").last).to_have_text("and 2 similar:")
    expect(page.locator("#results ul.sections a", has_text="/notes/")).to_have_count(2)


def test_the_api_page_needs_nothing_from_elsewhere(page: Page, base: str) -> None:
    """No script, no other host, and its policy stops nothing that it asks for."""
    messages, requests = [], []
    page.on("console", lambda message: messages.append(message.text))
    page.on("request", lambda request: requests.append(request.url))
    page.get_by_role("link", name="API").click()
    expect(page.get_by_role("heading", name="Who may ask")).to_be_visible()
    page.set_viewport_size({"width": 360, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.url == f"{base}docs"
    assert len(requests) >= 3
    assert all(url.startswith(base) for url in requests)
    assert not messages


def test_an_open_page_follows_the_index_while_somebody_works_on_it(browser: Browser, tmp_path: Path) -> None:
    """Under `--dev`; elsewhere nobody asks for the state of the index."""
    project = make_project(tmp_path / "site")
    pieces = Site(LocalStore(project.state_dir / "index", "site"))
    app = create_app(project, environ={}, host="127.0.0.1", clock=lambda: NOW, dev=True)
    with listening(app) as port, browser.new_page() as page:
        page.goto(f"http://127.0.0.1:{port}/?q=quagga")
        expect(page.locator("#status")).to_contain_text("No results")
        pieces.publish([Piece("/quagga", "The quagga was a zebra.", title="Quagga")])
        expect(page.locator("#results h2 a").first).to_have_text("Quagga", timeout=30_000)
