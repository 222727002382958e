"""Beacons of the components: off by default, and nothing but the query, the opened page and the kind of answer."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.clients.conftest import HTML
from tests.clients.stage import DIST, POLICY

pytestmark = pytest.mark.ui
DOCUMENT = (
    "<!doctype html><html lang=en><title>Site</title><script type=module src=/dist/components.js></script>"
    "<body><searchsocket-dialog beacon></searchsocket-dialog>"
)
Beacons = Queue[tuple[str, str]]  # path and body


@pytest.fixture(scope="module")
def collector() -> Iterator[tuple[str, Beacons]]:
    """Another origin, which takes whatever browsers send without being asked first."""
    beacons: Beacons = Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            beacons.put((self.path, self.rfile.read(int(self.headers["content-length"])).decode()))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/beacon", beacons
    server.shutdown()
    server.server_close()


def static_page(browser: Browser, folder: Path, address: str, beacon: str) -> Page:
    policy = POLICY.replace("connect-src 'self'", f"connect-src 'self' {beacon}")
    html = HTML.format(attributes=f"static site='/base' {f'beacon={beacon}' if beacon else ''}").replace(POLICY, policy)
    (folder / "base" / "beacon.html").write_text(html)
    page = browser.new_page()
    page.goto(f"{address}/beacon.html")
    page.wait_for_function("() => !!customElements.get('searchsocket-dialog')")
    return page


def searched(page: Page, q: str) -> None:
    page.keyboard.press("Control+k")
    page.keyboard.type(q)


def test_a_static_site_reports_opened_pages_and_searches_that_ended_without_one(
    browser: Browser, static_folder: Path, static_address: str, collector: tuple[str, Beacons]
) -> None:
    address, beacons = collector
    page = static_page(browser, static_folder, static_address, address)
    searched(page, "qwertzuiop")
    expect(page.get_by_text("No results for")).to_contain_text("qwertzuiop")  # not of the beginning of the word
    page.keyboard.press("Escape")
    path, body = beacons.get(timeout=30)
    assert (path, json.loads(body)) == ("/beacon", {"q": "qwertzuiop", "url": "", "quality": "rejected"})
    searched(page, "okapi 7")
    expect(page.get_by_role("option").first).to_contain_text("Okapi 7")
    page.keyboard.press("Enter")
    page.wait_for_url("**/base/guide/stable/7*")
    assert json.loads(beacons.get(timeout=30)[1]) == {"q": "okapi 7", "url": "/guide/stable/7", "quality": "answered"}
    page.close()
    assert beacons.empty()


def test_the_beacon_is_off_by_default_and_for_visitors_who_object(
    browser: Browser, static_folder: Path, static_address: str, collector: tuple[str, Beacons]
) -> None:
    address, beacons = collector
    for beacon in ("", address):
        page = static_page(browser, static_folder, static_address, beacon)
        page.evaluate("Object.defineProperty(navigator, 'globalPrivacyControl', { value: true })" if beacon else "0")
        searched(page, "okapi 7")
        expect(page.get_by_role("option").first).to_contain_text("Okapi 7")
        page.keyboard.press("Escape")
        page.close()
    with pytest.raises(Empty):
        beacons.get(timeout=0.5)


def test_next_to_a_service_the_beacon_goes_there(browser: Browser, origin: str) -> None:
    """A service counts searches itself, so only an opened page is reported."""
    page = browser.new_page()
    page.add_init_script("const sent = (window.sent = []); navigator.sendBeacon = (...beacon) => sent.push(beacon)")
    page.route(f"{origin}/host.html", lambda route: route.fulfill(body=DOCUMENT, content_type="text/html"))
    page.route(f"{origin}/dist/*", lambda route: route.fulfill(path=DIST / route.request.url.rpartition("/")[2]))
    page.goto(f"{origin}/host.html")
    page.wait_for_function("() => !!customElements.get('searchsocket-dialog')")
    searched(page, "okapi 7")
    expect(page.get_by_role("option").first).to_contain_text("Okapi 7")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.evaluate("addEventListener('click', (event) => event.preventDefault(), true)")
    page.keyboard.press("Enter")
    assert page.evaluate("sent.length") == 1
    address, body = page.evaluate("sent[0]")
    assert address == "/api/beacon"
    assert json.loads(body) == {"q": "okapi 7", "url": "/guide/stable/7", "quality": "answered"}
    page.close()
