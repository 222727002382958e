"""`<searchsocket-page-actions>`: a page's Markdown in the clipboard, on the screen, and in an assistant's question."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.clients.stage import DIST, POLICY

pytestmark = pytest.mark.ui
ORIGIN = "http://localhost:9"  # answered by the test; a clipboard is given to localhost alone
TEXT = "# Start\n\nRun it.\n"


def opened(browser: Browser, element: str, head: str = "") -> Page:
    context = browser.new_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=ORIGIN)

    def answer(route: Route) -> None:
        path = urlsplit(route.request.url).path
        if path == "/docs/start.md":
            route.fulfill(body=TEXT, content_type="text/markdown")
        elif path.endswith(".js"):
            route.fulfill(path=DIST / path.removeprefix("/"))
        elif path.endswith(".md"):
            route.fulfill(status=404, body="none")
        else:
            script = "<script type=module src=/page-actions.js></script>"
            html = f"<!doctype html><html lang=en><title>Site</title>{head}{script}<body>{element}"
            route.fulfill(body=html, content_type="text/html", headers={"content-security-policy": POLICY})

    page = context.new_page()
    page.route(f"{ORIGIN}/**", answer)
    page.goto(f"{ORIGIN}/docs/start/")
    page.wait_for_function("() => !!customElements.get('searchsocket-page-actions')")
    return page


def test_a_page_is_copied_read_and_handed_to_an_assistant(browser: Browser) -> None:
    page = opened(browser, "<searchsocket-page-actions></searchsocket-page-actions>")
    page.get_by_role("button", name="Copy page as Markdown").click()
    expect(page.get_by_role("status")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == TEXT
    assert page.get_by_role("link", name="View as Markdown").get_attribute("href") == f"{ORIGIN}/docs/start.md"
    for name in ("Claude", "ChatGPT"):
        link = page.get_by_role("link", name=f"Open in {name}")
        address = urlsplit(link.get_attribute("href") or "")
        assert f"Read {ORIGIN}/docs/start.md so" in parse_qs(address.query)["q"][0]
        assert link.get_attribute("rel") == "noopener noreferrer"
    page.context.close()


def test_the_words_are_those_of_the_page(browser: Browser) -> None:
    """Also after the page changed its language without a load; a region or an unknown language finds its words too."""
    page = opened(browser, "<searchsocket-page-actions></searchsocket-page-actions>")
    copy = page.get_by_role("button")
    for language, words in {
        "de-AT": "Seite als Markdown kopieren", "zh-TW": "將頁面複製為 Markdown", "nn": "Kopier siden som Markdown",
        "x-klingon": "Copy page as Markdown", "ja": "ページを Markdown としてコピー",
    }.items():  # fmt: skip
        page.evaluate("(language) => (document.documentElement.lang = language)", language)
        expect(copy).to_have_text(re.compile(f"^{words}"))
    page.evaluate("document.querySelector('searchsocket-page-actions').lang = 'fr'")
    expect(page.get_by_role("link", name="Ouvrir dans Claude")).to_be_visible()
    assert "pose" not in page.locator("searchsocket-page-actions").inner_text()
    page.context.close()


def test_stated_actions_count_and_failures_are_reported(browser: Browser) -> None:
    """A page of errors in the place of the Markdown is not copied; the texts are those that a site sets."""
    head = '<link rel="alternate external" type="text/markdown" href="/docs/other.md">'
    page = opened(browser, '<searchsocket-page-actions assistants="none"></searchsocket-page-actions>', head)
    page.evaluate(
        "document.querySelector('searchsocket-page-actions').labels = {copy: 'Kopieren', failed: 'Geht nicht'}"
    )
    assert page.get_by_role("link").count() == 1
    assert page.get_by_role("link").get_attribute("href") == f"{ORIGIN}/docs/other.md"
    page.get_by_role("button", name="Kopieren").click()
    expect(page.get_by_role("status")).to_have_text("Geht nicht")
    page.context.close()
