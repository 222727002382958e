"""A page that is opened from disk says that search needs a web server; one that a server sends searches."""

import functools
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from search_site import MAIN, make_site

from searchsocket.extensions.export.files import export_generation
from tests.chromium import CHROMIUM
from tests.clients.conftest import PIECES, QuietHandler

pytestmark = pytest.mark.ui
LABELS = Path(__file__).parents[2] / "clients" / "js" / "src" / "labels"
LANGUAGES = sorted({path.stem for path in LABELS.glob("*.ts")} - {"labels", "shipped", "words"})
LINE = "Search needs a web server; this page was opened from a file."
HTML = (
    "<!doctype html><html lang={language}><meta charset=utf-8><title>Site</title>"
    "<script type=module src=searchsocket/components.js></script><script src=searchsocket/from-disk.js defer></script>"
    "<body><searchsocket-dialog static={folder}><button>Find</button></searchsocket-dialog>"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("disk")
    site = make_site(root / "store", PIECES)
    export_generation(site.store.reader(MAIN), site.settings, root / "searchsocket")
    for language in (*LANGUAGES, "eo"):
        (root / f"{language}.html").write_text(HTML.format(language=language, folder="searchsocket/"))
    (root / "gone.html").write_text(HTML.format(language="en", folder="gone/"))
    return root


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    yield page
    page.close()


def test_the_line_is_there_in_every_language_of_the_dialog(page: Page, folder: Path) -> None:
    for language in LANGUAGES:
        page.goto((folder / f"{language}.html").as_uri())
        line = page.locator("searchsocket-dialog").inner_text()
        assert f'  fromDisk: "{line}",\n' in (LABELS / f"{language}.ts").read_text(), language


def test_another_language_gets_english(page: Page, folder: Path) -> None:
    page.goto((folder / "eo.html").as_uri())
    expect(page.locator("searchsocket-dialog")).to_have_text(LINE)


def expect_result(page: Page) -> None:
    page.get_by_role("button", name="Find").click()
    page.keyboard.type("okapi 7")
    expect(page.get_by_role("option").first).to_contain_text("Okapi 7")


def test_a_page_of_a_server_searches(page: Page, folder: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page.goto(f"http://127.0.0.1:{server.server_port}/en.html")
        page.wait_for_function("() => !!customElements.get('searchsocket-dialog')")
        expect_result(page)
        server.shutdown()


def test_a_browser_that_may_read_files_searches_or_says_why_not(browser: Browser, folder: Path) -> None:
    """With this switch it runs modules; of an export that is not there, the dialog says the same line."""
    switches = ["--no-sandbox", "--allow-file-access-from-files"]
    other = browser.browser_type.launch(executable_path=CHROMIUM, args=switches, timeout=120_000)
    page = other.new_page()
    page.goto((folder / "en.html").as_uri())
    expect_result(page)
    page.goto((folder / "gone.html").as_uri())
    page.get_by_role("button", name="Find").click()
    page.keyboard.type("okapi")
    expect(page.locator("[part=error]")).to_have_text(LINE)
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)
    other.close()
