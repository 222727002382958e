"""Chromium that renders pages without network access: a function answers each request of a page.

The browser has a proxy address without a server, so connections that Playwright does not intercept fail.
"""

import asyncio
import os
import shlex
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from anyio.from_thread import BlockingPortal, start_blocking_portal
from anyio.to_thread import run_sync

from searchsocket.errors import ConfigMissing, PageNotRendered

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page, Playwright, Request, Route, WebSocketRoute

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_MAX_PROCESS_KB = 1_200_000  # of data; the process of a page that needs more ends
_MAX_HEAP_MB = 512  # for its scripts
_MAX_REQUESTS = 500  # of one page
_MAX_REQUESTS_AT_ONCE = 6
_SETTLE_S = 5.0  # time for a loaded page to finish its requests
_CLOSE_S = 10.0  # the browser is restarted if closing a page takes longer
_NOWHERE = {"server": "http://127.0.0.1:9", "bypass": "<-loopback>"}
_ARGUMENTS = (
    "--disable-gpu",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    f"--js-flags=--max-old-space-size={_MAX_HEAP_MB}",
)
# Playwright disables these protections; without the second, a loop of `history.pushState` blocks the browser.
_PROTECTIONS = ("--disable-popup-blocking", "--disable-ipc-flooding-protection")
_WITHOUT_SOCKETS = "for (const name of ['RTCPeerConnection', 'WebTransport', 'SharedWorker']) delete globalThis[name]"
_FETCHED_TYPES = ("script", "fetch", "xhr")


@dataclass(frozen=True, slots=True)
class ServedFile:
    """Response to a request of a page."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class PageSource:
    """A page as sent by its host."""

    url: str
    content_type: str
    body: bytes


Serve = Callable[[str], ServedFile | None]  # URL -> answer; None = refuse


class BrowserFailed(PageNotRendered):
    """The browser ended while it rendered a page, perhaps because of another page."""


class PageBrowser:
    """Renders pages, each in a separate context. Thread-safe; starts with the first page."""

    def __init__(self, location: str, serve: Serve, *, tabs: int, timeout_s: float, max_bytes: int) -> None:
        """
        Args:
            location: Path of Chromium, or the CDP address of a running browser.
            tabs: Number of pages that are rendered at the same time.
            timeout_s: Timeout for one page.
            max_bytes: Limit for a rendered page, and for all responses to one page.
        """
        self._location = location
        self._serve = serve
        self._timeout_s = timeout_s
        self._max_bytes = max_bytes
        self._start = threading.Lock()
        self._portal: BlockingPortal | None = None
        self._resources = ExitStack()
        self._tabs = asyncio.Semaphore(tabs)
        self._retry = asyncio.Lock()
        self._launch = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None

    def render(self, page: PageSource) -> bytes:
        """Return the page as HTML in UTF-8, after its scripts have run.

        Raises:
            PageNotRendered: It took too long, is too large, or ended its process or the browser.
        """
        with self._start:
            if self._portal is None:
                self._portal = self._resources.enter_context(start_blocking_portal("asyncio"))
        return self._portal.call(self._render, page)

    def close(self) -> None:
        """Stop the browser."""
        with self._start:
            if self._portal is not None:
                self._portal.call(self._stop)
            self._resources.close()
            self._portal = None

    async def _render(self, page: PageSource) -> bytes:
        async with self._tabs:
            with suppress(BrowserFailed):
                return await self._attempt(page)
        async with self._retry:  # one page at a time, so that only the page that ends the browser fails
            return await self._attempt(page)

    async def _attempt(self, page: PageSource) -> bytes:
        visit = _Visit(page, self._serve, self._timeout_s / 2, self._max_bytes)
        context: BrowserContext | None = None
        browser = await self._running_browser()
        try:
            async with asyncio.timeout(self._timeout_s):
                context = await browser.new_context(accept_downloads=False, service_workers="block", proxy=_NOWHERE)  # type: ignore[arg-type]
                return await visit.html(context)
        except TimeoutError as error:
            limit = f"{self._timeout_s:g} s (source.crawl.timeout_s)"
            raise PageNotRendered(f"the browser took longer than {limit}") from error
        except PageNotRendered:
            raise
        except Exception as error:  # Playwright also raises plain exceptions when its process ends
            reason = str(error).partition("\n")[0][:200]
            if visit.has_crashed:
                raise PageNotRendered(
                    "its process ended; a page may use 1.2 GB of memory, its scripts 512 MB"
                ) from error
            raise BrowserFailed(f"the browser failed: {reason}") from error
        finally:
            visit.is_over = True
            await self._close(context, browser)

    async def _close(self, context: "BrowserContext | None", browser: "Browser") -> None:
        with suppress(Exception):  # it hangs, or has ended
            async with asyncio.timeout(_CLOSE_S):
                if context is not None:
                    await context.close()
                    return
        async with self._launch:
            if self._browser is browser:
                await self._stop()

    async def _running_browser(self) -> "Browser":
        """Return the browser; start it if it is not running."""
        from playwright.async_api import Error, async_playwright

        async with self._launch:
            if self._browser is None or not self._browser.is_connected():
                await self._stop()
                try:
                    self._playwright = await async_playwright().start()
                    self._browser = await self._launch_browser(self._playwright)
                except (Error, OSError) as error:
                    await self._stop()
                    reason = str(error).partition("\n")[0].replace(self._location, "the browser")[:200]
                    raise PageNotRendered(f"the browser does not start (source.crawl.browser): {reason}") from error
            return self._browser

    async def _launch_browser(self, playwright: "Playwright") -> "Browser":
        timeout_ms = 1000 * self._timeout_s
        if "://" in self._location:
            return await playwright.chromium.connect_over_cdp(self._location, timeout=timeout_ms)
        folder = Path(self._resources.enter_context(tempfile.TemporaryDirectory(prefix="searchsocket-browser-")))
        return await playwright.chromium.launch(
            executable_path=_limited_command(self._location, folder),
            args=_ARGUMENTS,
            ignore_default_args=_PROTECTIONS,
            chromium_sandbox=hasattr(os, "geteuid") and os.geteuid() != 0,  # root cannot use it
            timeout=timeout_ms,
        )

    async def _stop(self) -> None:
        """Stop the browser and Playwright, which kills a browser that does not end."""
        playwright, self._playwright, self._browser = self._playwright, None, None
        if playwright is not None:
            await playwright.stop()


@dataclass
class _Visit:
    """A page in a separate context, and the requests that it makes."""

    page: PageSource
    serve: Serve
    load_s: float  # timeout for loading the page
    max_bytes: int
    is_over: bool = False
    is_open: bool = False
    has_crashed: bool = False
    requests: int = 0
    received_bytes: int = 0
    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_MAX_REQUESTS_AT_ONCE))

    async def html(self, context: "BrowserContext") -> bytes:
        from playwright.async_api import TimeoutError as TookLonger

        await context.add_init_script(_WITHOUT_SOCKETS)
        await context.route("**/*", self._answer)
        await context.route_web_socket("**/*", _refuse_socket)
        tab = await context.new_page()
        context.on("page", _close_popup)
        tab.on("crash", self._on_crash)
        await tab.goto(self.page.url, wait_until="commit", timeout=0)
        with suppress(TookLonger):  # use the page as it is by then
            await tab.wait_for_load_state("load", timeout=1000 * self.load_s)
        with suppress(TookLonger):
            await tab.wait_for_load_state("networkidle", timeout=1000 * _SETTLE_S)
        return await self._serialize(context, tab)

    def _on_crash(self, _: "Page") -> None:
        self.has_crashed = True

    async def _serialize(self, context: "BrowserContext", tab: "Page") -> bytes:
        # In an isolated world, where the page cannot have replaced the functions called here.
        session = await context.new_cdp_session(tab)
        frame = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"]
        world = await session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "searchsocket"})
        result = await session.send(
            "Runtime.evaluate",
            {
                "expression": f"document.documentElement.outerHTML.slice(0, {self.max_bytes + 1})",
                "contextId": world["executionContextId"],
                "returnByValue": True,
            },
        )
        html = f"<!doctype html>{result['result'].get('value', '')}".encode("utf-8", "replace")
        if len(html) > self.max_bytes:
            raise PageNotRendered(f"it has more than {self.max_bytes:,} bytes (source.max_page_bytes)")
        return html

    async def _answer(self, route: "Route", request: "Request") -> None:
        from playwright.async_api import Error

        with suppress(Error):  # the page is closed
            await self._respond(route, request)

    async def _respond(self, route: "Route", request: "Request") -> None:
        if request.is_navigation_request():
            if self.is_open:
                await route.fulfill(status=204)  # the tab keeps its page, a frame stays empty
            else:
                self.is_open = True
                await route.fulfill(body=self.page.body, content_type=self.page.content_type)
        elif request.resource_type == "stylesheet":
            await route.fulfill(body="", content_type="text/css")  # scripts may wait for it
        elif request.resource_type not in _FETCHED_TYPES or request.method != "GET":
            await route.abort("blockedbyclient")
        elif response := await self._fetch(request.url):
            await route.fulfill(status=response.status, headers=dict(response.headers), body=response.body)
        else:
            await route.abort("blockedbyclient")

    async def _fetch(self, url: str) -> ServedFile | None:
        self.requests += 1
        if self.requests > _MAX_REQUESTS:
            return None
        async with self.slots:
            if self.is_over or self.received_bytes > self.max_bytes:
                return None
            response = await run_sync(self.serve, url, abandon_on_cancel=True)
            self.received_bytes += len(response.body) if response else 0
            return response


async def _refuse_socket(socket: "WebSocketRoute") -> None:
    await socket.close()


async def _close_popup(popup: "Page") -> None:
    await popup.close()


def locate(location: str) -> str:
    """Return the path or address of the browser to use.

    Args:
        location: As configured; "" = Chromium on the PATH.

    Raises:
        ConfigMissing: The machine has no such browser, or Playwright is not installed.
    """
    try:
        import playwright  # noqa: F401  an extra
    except ImportError as error:
        fix = "pip install 'searchsocket[browser]'"
        raise ConfigMissing(f"source.crawl.render is set, which needs Playwright: {fix}") from error
    if "://" in location:
        return location
    path = next(filter(None, map(shutil.which, (location,) if location else _NAMES)), "")
    if not path:
        name = f"source.crawl.browser = {location!r}" if location else "Chromium"
        raise ConfigMissing(
            f"source.crawl.render is set, but {name} is not on this machine; install it (Debian: apt-get install "
            "chromium), or set source.crawl.browser to its path or to the CDP address of a browser"
        )
    return path


def _limited_command(path: str, folder: Path) -> str:
    """Write a command that starts the browser with a memory limit for each of its processes."""
    if os.name != "posix":
        return path
    command = folder / "browser"
    command.write_text(
        f'#!/bin/sh\nulimit -d {_MAX_PROCESS_KB} 2>/dev/null\nexec {shlex.quote(path)} "$@"\n', encoding="utf-8"
    )
    command.chmod(0o700)
    return str(command)
