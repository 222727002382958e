"""Pages of a site that has our components, under a strict policy, and the real service behind its `/api`."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Page, Route

DIST = Path(__file__).parents[2] / "clients" / "js" / "dist"
# Nothing inline, no style but constructed ones, and no text that becomes HTML.
POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; require-trusted-types-for 'script'"
)

LINES = "<p>More of the page.</p>" * 60
WORDS = "<p>The battery lasts nine hours. Charge it in the <em>dock</em>; <code>batteryLevel</code> tells.</p>"
ARTICLE = f"<main><h1>Page</h1>{LINES}<h2 id=charging>Charging</h2>{WORDS}{LINES}</main>"


def page_html(body: str, attributes: str) -> str:
    """A page of the site, with attributes of its root."""
    return (
        f"<!doctype html><html {attributes}><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width'><meta name=color-scheme content='light dark'>"
        f"<title>Site</title><script type=module src=/dist/components.js></script><body>{body}"
    )


@dataclass(frozen=True)
class Stage:
    """Pages of a site that has the components."""

    context: BrowserContext
    origin: str
    pages: dict[str, str]

    def open(self, element: str, *, path: str = "/", html: str = 'lang="en"', script: str = "") -> Page:
        """A page with an element in its header, and perhaps a script of its own."""
        self.pages[path] = f"<header>{element}</header><main><h1>Home</h1><p>Words</p></main>" + (
            "<script type=module src=/own.js></script>" if script else ""
        )
        self.pages["/own.js"] = script
        self.pages["html"] = html
        page = self.context.new_page()
        page.goto(f"{self.origin}{path}")
        page.wait_for_function("() => !!customElements.get('searchsocket-box')")
        return page

    def answer(self, route: Route) -> None:
        path = urlsplit(route.request.url).path
        if path.startswith("/api/"):
            route.fallback()
        elif path.startswith("/dist/"):
            route.fulfill(path=DIST / path.removeprefix("/dist/"))
        elif path.endswith(".js"):
            route.fulfill(body=self.pages[path], content_type="text/javascript")
        else:
            route.fulfill(body=self.html(path), content_type="text/html", headers={"content-security-policy": POLICY})

    def html(self, path: str) -> str:
        return page_html(self.pages.get(path, ARTICLE), self.pages["html"])


MakeStage = Callable[..., Stage]


def api_error(status: int, code: str, **headers: str) -> Callable[[Route], None]:
    body = json.dumps({"error": {"code": code, "message": "no"}})
    return lambda route: route.fulfill(status=status, body=body, headers={"content-type": "application/json"} | headers)
