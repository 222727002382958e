"""A static export in a service worker's cache: search without a network, by the script of the documentation."""

import os
import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from search_site import MAIN, Piece, make_site

from searchsocket.extensions.export.files import ENTRY, export_generation
from tests.clients.conftest import PIECES, QuietHandler

RECIPE = Path(__file__).parents[2] / "examples/docs-site/src/content/recipes/static-search.md"
HTML = (
    "<!doctype html><title>Site</title><script type=module src=searchsocket/components.js></script>"
    "<body><searchsocket-dialog static></searchsocket-dialog>"
    "<script>navigator.serviceWorker.register('sw.js')</script>"
)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    yield context.new_page()
    context.close()


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with a page, the service worker of the documentation and an export."""
    [script] = re.findall(r"```js\n(.*?)```", RECIPE.read_text(encoding="utf-8"), re.DOTALL)
    folder = tmp_path / "site"
    store = make_site(tmp_path / "store", PIECES)
    export_generation(store.store.reader(MAIN), store.settings, folder / "searchsocket")
    (folder / "sw.js").write_text(script)
    (folder / "index.html").write_text(HTML)
    return folder


def serve(folder: Path, port: int = 0) -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", port), partial(QuietHandler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def stop(server: ThreadingHTTPServer) -> None:
    server.shutdown()
    server.server_close()


def opened(page: Page, server: ThreadingHTTPServer) -> None:
    page.goto(f"http://127.0.0.1:{server.server_port}/")
    page.wait_for_function("() => navigator.serviceWorker.controller && customElements.get('searchsocket-dialog')")


def searched(page: Page, q: str) -> None:
    page.wait_for_function("() => !!customElements.get('searchsocket-dialog')")
    if not page.get_by_role("combobox").is_visible():
        page.keyboard.press("Control+k")
    page.keyboard.press("Control+a")
    page.keyboard.type(q)


def test_all_words_are_found_after_the_first_load_without_a_server(page: Page, site: Path) -> None:
    server = serve(site)
    opened(page, server)
    stop(server)
    page.context.set_offline(True)
    searched(page, "okapi 7")
    expect(page.get_by_role("option").first).to_contain_text("Okapi 7")
    searched(page, "laeves")
    expect(page.get_by_role("option").first).to_contain_text("eats leaves")


def test_a_new_generation_replaces_the_kept_one(page: Page, site: Path, tmp_path: Path) -> None:
    """The cache takes what is new with the next visit, and drops what no generation needs."""
    server = serve(site)
    opened(page, server)
    names = "async () => (await (await caches.open('searchsocket')).keys()).map((one) => one.url)"
    first = page.evaluate(names)
    newer = make_site(tmp_path / "newer", [*PIECES, Piece("/quokka", "The quokka smiles.", title="Quokka")])
    export_generation(newer.store.reader(MAIN), newer.settings, site / "searchsocket")
    entry = site / "searchsocket" / ENTRY
    os.utime(entry, (entry.stat().st_mtime + 2,) * 2)  # the server tells changes by whole seconds
    page.reload()
    searched(page, "quokka")
    expect(page.get_by_role("option").first).to_contain_text("Quokka")
    head = next(path.name for path in (site / "searchsocket").glob("head-*") if path.name not in str(first))
    page.wait_for_function(f"async () => (await ({names})()).some((url) => url.endsWith('{head}'))")
    page.wait_for_function(f"async () => (await ({names})()).filter((url) => url.includes('/head-')).length === 1")
    stop(server)
    page.context.set_offline(True)
    searched(page, "okapi 11")
    expect(page.get_by_role("option").first).to_contain_text("Okapi 11")
