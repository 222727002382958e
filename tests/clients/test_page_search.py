"""The search of a built page: opened by the theme's own field or button, else by a button in the header."""

import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from search_site import MAIN, Piece, make_site

from searchsocket.extensions.export.built_pages import FOLDER, add_search
from searchsocket.extensions.export.files import export_generation
from tests.clients.conftest import QuietHandler
from tests.clients.stage import POLICY
from tests.clients.test_look import complaints

pytestmark = pytest.mark.ui
PIECES = [Piece("/ropes", "A bowline holds a mooring rope.", title="Ropes")]
TEXT = "<main><h1>Harbour</h1><p>Words of the page.</p></main>"
Open = Callable[..., Page]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site that was built for /harbour, with an export."""
    root = tmp_path_factory.mktemp("built")
    indexed = make_site(root / "store", PIECES)
    folder = root / "host" / "preview" / "site"
    export_generation(
        indexed.store.reader(MAIN), indexed.settings, folder / FOLDER, base="/harbour", site_folder=folder
    )
    return folder


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The site on a plain file server, under another path than it was built for."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(site.parents[1])))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/preview/site"
    server.shutdown()
    server.server_close()


@pytest.fixture
def open_page(browser: Browser, site: Path, address: str) -> Iterator[Open]:
    """Open a page with this body; no script may fail, and the strict policy may stop nothing."""
    problems: list[str] = []
    pages: list[Page] = []

    def open_(body: str, *, head: str = "", policy: str = POLICY, **options: object) -> Page:
        html = (
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Harbour</title>'
            f'<meta name="viewport" content="width=device-width">{head}'
            + (f'<meta http-equiv="content-security-policy" content="{policy}">' if policy else "")
            + f"</head><body>{body}</body></html>"
        )
        (site / "docs").mkdir(exist_ok=True)
        (site / "docs" / "page.html").write_text(html)
        add_search(site, "")
        page = browser.new_page(**options)  # type: ignore[arg-type]
        pages.append(page)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if "Security" in message.text else None)
        page.goto(f"{address}/docs/page.html")
        page.wait_for_selector("searchsocket-dialog", state="attached")
        return page

    yield open_
    for page in pages:
        page.close()
    assert problems == []


def is_open(page: Page) -> None:
    expect(page.get_by_role("dialog").get_by_role("combobox")).to_be_focused()


def button(page: Page) -> Locator:
    return page.locator("searchsocket-dialog").get_by_role("button", name="Search")


THEMES = {
    "field": "<header><input type=search></header>",
    "form": "<aside><form class=search action=search.html><input name=q><input type=submit value=Go></form></aside>",
    "button": '<nav><button class="DocSearch-Button">Find</button></nav>',
    "labelled": '<header><button aria-label="Search">x</button></header>',
    "modal": '<nav><a href="#" data-bs-target="#search_modal">Find</a></nav>',
    "page": '<nav><a href="../search.html">Find</a></nav>',
    "role": '<div role="search"><button>x</button></div>',
}


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_the_search_of_the_theme_opens_the_dialog(open_page: Open, theme: str) -> None:
    """There is one search, in the place where the theme has its own."""
    page = open_page(theme + TEXT)
    expect(button(page)).to_have_count(0)
    page.locator("input, button, nav a").first.click()
    is_open(page)
    assert page.url.endswith("/docs/page.html")


def test_the_search_field_of_the_theme_searches(open_page: Open) -> None:
    page = open_page(THEMES["field"] + TEXT)
    page.keyboard.press("Tab")
    page.keyboard.type("ropes")
    is_open(page)
    expect(page.get_by_role("combobox")).to_have_value("ropes")
    expect(page.get_by_role("option").first).to_contain_text("Ropes")


def test_a_theme_with_the_same_keys_does_not_open_its_own_search(open_page: Open, site: Path) -> None:
    """Some listen to the window, before anybody else."""
    (site / "theme.js").write_text(
        "addEventListener('keydown', (event) => { if (event.ctrlKey) { event.preventDefault();"
        " document.querySelector('dialog').showModal(); } }, true);"
    )
    script = '<script src="../theme.js"></script><dialog><input type=search></dialog>'
    page = open_page(f"{THEMES['button']}{TEXT}{script}")
    page.keyboard.press("Control+k")
    is_open(page)
    expect(page.locator("body > dialog")).to_be_hidden()


@pytest.mark.parametrize(
    "body",
    [
        '<nav><a href="../docs/search">How search works</a><button class="research">Research</button></nav>' + TEXT,
        f'<main><form role="search"><input type="search"></form></main>{TEXT}',
    ],
    ids=["words like it", "in the text"],
)
def test_other_links_buttons_and_texts_are_not_a_search(open_page: Open, body: str) -> None:
    expect(button(open_page(body))).to_be_visible()


ROW = "style='display: flex; height: 60px'"
HEADERS = {
    "row": (f"<header {ROW}><a href=x>Harbour</a></header>", "header"),
    "nested": (f"<header><div {ROW}><a href=x>Harbour</a><nav><a href=x>A</a></nav></div></header>", "header > div"),
    "stacked": ("<header><h1>Harbour</h1><p>All about boats</p></header>", "header"),
    "navigation": (f"<nav {ROW}><a href=x>Harbour</a></nav>", "nav"),
    "none": ("", "body > div[role=search]"),
    "text": ("<header><h1>A</h1><h2>Name</h2><p>git</p></header>", "body > div[role=search]"),
    "sidebar": (
        "<nav style='float: left; width: 200px; height: 400px'><a href=x>A</a></nav>",
        "body > div[role=search]",
    ),
}


@pytest.mark.parametrize("width", [1280, 320])
@pytest.mark.parametrize("name", HEADERS)
def test_a_page_without_a_search_gets_a_button_in_its_header(open_page: Open, name: str, width: int) -> None:
    """It is over nothing, does not widen the page, and has no complaint by axe."""
    body, parent = HEADERS[name]
    page = open_page(body + TEXT, policy="", viewport={"width": width, "height": 700})
    expect(page.locator(parent).locator("searchsocket-dialog")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = button(page).bounding_box()
    assert box
    for text in page.locator("h1, h2, p, a").all():
        other = text.evaluate(
            "(one) => { const range = document.createRange(); range.selectNodeContents(one);"
            " const { left, top, right, bottom } = range.getBoundingClientRect();"
            " return [left, top, right, bottom]; }"
        )
        apart = other[2] <= box["x"] or other[0] >= box["x"] + box["width"] or other[3] <= box["y"]
        assert apart or other[1] >= box["y"] + box["height"]
    assert complaints(page) == []
    button(page).click()
    is_open(page)


def test_a_header_without_space_gets_an_icon(open_page: Open) -> None:
    links = "".join(f"<a href=x style='white-space: nowrap'>Long name {number}</a> " for number in range(3))
    page = open_page(
        f"<header style='display: flex; gap: 20px; width: 480px; overflow: hidden'>{links}</header>{TEXT}",
        policy="",
        viewport={"width": 700, "height": 700},
    )
    expect(page.locator("header > searchsocket-dialog[compact]")).to_be_visible()


def test_a_button_of_the_page_in_the_corner_is_not_covered(open_page: Open) -> None:
    menu = "<label for=menu style='position: fixed; top: 0; right: 0; width: 80px; height: 80px'>Menu</label>"
    page = open_page(menu + TEXT, policy="", viewport={"width": 390, "height": 700})
    box = button(page).bounding_box()
    assert box
    assert box["x"] + box["width"] < 310
    button(page).click()
    is_open(page)


def test_results_open_wherever_the_site_is_served(open_page: Open, site: Path, address: str) -> None:
    (site / "ropes").mkdir()
    (site / "ropes" / "index.html").write_text("<!doctype html><title>Ropes</title>")
    page = open_page(TEXT)
    page.keyboard.press("Control+k")
    page.keyboard.type("bowline")
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{address}/ropes/**")


@pytest.mark.parametrize("own", ["searchsocket-dialog", "searchsocket-box"])
def test_a_page_keeps_its_own_element(open_page: Open, own: str) -> None:
    page = open_page(
        f"<header><{own} static='../searchsocket/'></{own}></header><searchsocket-dialog></searchsocket-dialog>{TEXT}"
    )
    page.wait_for_function("() => !!customElements.get('searchsocket-dialog')")
    expect(page.locator("searchsocket-dialog[static=''], searchsocket-box[static='']")).to_have_count(0)


def test_an_app_starts_on_the_page_as_it_was_built(open_page: Open, site: Path) -> None:
    """Next.js compares its elements in several tasks after the page has loaded, and reports what it does not know."""
    (site / "docs").mkdir(exist_ok=True)
    (site / "docs" / "app.js").write_text(
        """addEventListener("load", () => {
          const { port1, port2 } = new MessageChannel();
          let left = 30;
          port1.onmessage = () => {
            if (left--) return port2.postMessage("");
            document.documentElement.dataset.unknown = document.querySelectorAll("searchsocket-dialog").length;
          };
          port2.postMessage("");
        });"""
    )
    page = open_page(TEXT, head='<script src="app.js"></script>')
    expect(page.locator("html")).to_have_attribute("data-unknown", "0")


def test_the_button_comes_back_if_an_app_draws_its_header_again(open_page: Open) -> None:
    page = open_page(f"<header {ROW}><a href=x>Harbour</a></header>{TEXT}", policy="")
    expect(button(page)).to_be_visible()
    page.evaluate("document.querySelector('header').replaceChildren('Harbour')")
    expect(page.locator("header searchsocket-dialog")).to_have_count(1)


@pytest.mark.parametrize(("background", "theme"), [("#fff", "light"), ("#111", "dark")])
def test_the_dialog_is_light_or_dark_like_the_page(open_page: Open, background: str, theme: str) -> None:
    """Whatever the visitor's system prefers: themes have a switch."""
    page = open_page(TEXT, head=f"<style>body {{ background: {background} }}</style>", policy="", color_scheme="dark")
    expect(page.locator("searchsocket-dialog")).to_have_attribute("theme", theme)
    page.evaluate("document.body.style.background = '#fff'")
    page.keyboard.press("Control+k")
    expect(page.locator("searchsocket-dialog")).to_have_attribute("theme", "light")
