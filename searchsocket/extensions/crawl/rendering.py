"""Render the pages of a crawl whose text needs scripts, and fetch files for these scripts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar
from urllib.parse import urlsplit

from lxml import etree

from searchsocket.content.html.decode import decode_html
from searchsocket.content.html.tree import parse_html
from searchsocket.errors import PageNotRendered, SourceUnavailable
from searchsocket.extensions.crawl.chromium import PageBrowser, PageSource, ServedFile, locate
from searchsocket.extensions.crawl.fetch import (
    USER_AGENT,
    Fetcher,
    FetchFailed,
    RedirectRefused,
    RedirectsAway,
    Response,
)
from searchsocket.extensions.crawl.pages import declared_charset
from searchsocket.extensions.crawl.robots import read_robots
from searchsocket.extensions.crawl.settings import CrawlSettings
from searchsocket.extensions.crawl.site import host_of

_MAX_TABS = 4
_MAX_CACHE_BYTES = 50_000_000
_SAMPLE = 5  # number of pages that decide for the site
_GAIN_SCALE = 2  # scripts are needed if they multiply the text by more than this
_DROPPED_HEADERS = frozenset({"connection", "content-encoding", "content-length", "set-cookie", "transfer-encoding"})
_MAX_REFUSED_HOSTS = 20
_NO_TEXT = ("script", "style", "noscript", "template")

Allowed = Callable[[str], bool]
_Task = TypeVar("_Task")


@dataclass(frozen=True, slots=True)
class CrawlAccess:
    """The parts of a crawl that the browser uses, so that scripts get no more than the crawl may fetch."""

    settings: CrawlSettings
    origin: str  # the crawled host
    is_allowed: Allowed  # returns True if its robots.txt allows a URL
    open_fetcher: Callable[[str], Fetcher]  # of an origin
    max_page_bytes: int


class ScriptRequests:
    """Answers requests of scripts within the limits of the crawl; each URL is fetched once. Thread-safe."""

    def __init__(self, access: CrawlAccess) -> None:
        self.refused_hosts: set[str] = set()
        self._access = access
        self._hosts = {host.lower() for host in access.settings.render_hosts}
        self._lock = Lock()
        self._by_origin: dict[str, tuple[Fetcher, Allowed] | None] = {}
        self._files: dict[str, ServedFile] = {}
        self._cached_bytes = 0

    def __call__(self, url: str) -> ServedFile | None:
        url = url.partition("#")[0]
        if (cached := self._files.get(url)) is not None:
            return cached
        origin = host_of(url)
        if origin != self._access.origin and urlsplit(origin).netloc not in self._hosts:
            if origin and len(self.refused_hosts) < _MAX_REFUSED_HOSTS:
                self.refused_hosts.add(urlsplit(origin).netloc)
            return None
        with self._lock:
            if origin not in self._by_origin:
                self._by_origin[origin] = self._open(origin)
            host = self._by_origin[origin]
        if host is None or not host[1](url):
            return None
        try:
            answer = host[0].get(url, is_allowed=host[1])
        except (RedirectsAway, RedirectRefused):
            return None
        except FetchFailed as error:
            return ServedFile(error.status, {}, b"") if error.status else None
        except SourceUnavailable:
            return None
        headers = {name: value for name, value in answer.headers.items() if name not in _DROPPED_HEADERS}
        served = ServedFile(answer.status, headers, answer.body)
        with self._lock:
            if self._cached_bytes + len(served.body) <= _MAX_CACHE_BYTES:
                self._files[url] = served
                self._cached_bytes += len(served.body)
        return served

    def close(self) -> None:
        for host in self._by_origin.values():
            if host is not None:
                host[0].close()

    def _open(self, origin: str) -> tuple[Fetcher, Allowed] | None:
        """The fetcher of a host with its rules; None if the host or its rules cannot be read."""
        try:
            fetcher = self._access.open_fetcher(origin)
            if origin == self._access.origin:
                return fetcher, self._access.is_allowed
            robots = read_robots(fetcher) if self._access.settings.respect_robots_txt else None
        except SourceUnavailable:
            return None
        return fetcher, lambda url: robots is None or robots.can_fetch(url, USER_AGENT)


class Rendering:
    """Renders pages of one crawl: all of them, or with "auto" only if the site's text needs scripts. Thread-safe."""

    def __init__(self, access: CrawlAccess) -> None:
        """Check that a browser is available; it starts with the first page.

        Raises:
            ConfigMissing: The machine has no browser.
        """
        settings = access.settings
        self._requests = requests = ScriptRequests(access)
        self._is_needed = True if settings.render is True else None  # None = unknown
        self._is_auto = settings.render == "auto"
        self._compared = 0
        self._example = ""
        self._browser = PageBrowser(
            locate(settings.browser),
            requests,
            tabs=min(settings.concurrency, _MAX_TABS),
            timeout_s=settings.timeout_s,
            max_bytes=access.max_page_bytes,
        )

    @property
    def is_on(self) -> bool:
        """Return False once it is known that the pages do not need scripts."""
        return self._is_needed is not False

    def sample(self, level: Sequence[_Task]) -> list[_Task]:
        """The pages of a level to fetch first, one after the other, for the decision."""
        missing = 0 if self._is_needed is not None else _SAMPLE - self._compared
        step = max(1, len(level) // missing) if missing > 0 else 1
        return list(level[::step][: max(0, missing)])

    def page(self, answer: Response) -> bytes | None:
        """Render a page to HTML in UTF-8; None to use the HTML from the host.

        Raises:
            PageNotRendered: The browser failed.
        """
        if not self.is_on:
            return None
        content_type = answer.headers.get("content-type", "text/html")
        source = PageSource(answer.url, content_type, answer.body)
        if not self._is_auto:
            return self._browser.render(source)
        before = _text_chars(answer.body, declared_charset(content_type))
        try:
            rendered = self._browser.render(source)
        except PageNotRendered:
            if self._is_needed:
                raise
            self._compare(answer.url, before, before)
            return None
        after = _text_chars(rendered, "utf-8")
        if self._is_needed is None:
            self._compare(answer.url, before, after)
        return rendered if self._is_needed and after > before else None

    def summary(self) -> str:
        """Describe which pages were rendered; "" if all were."""
        if not self._is_auto:
            return ""
        if self._is_needed:
            return f"in a browser, because scripts add text: {self._example}"
        return f"not needed: scripts add little text to {self._compared} compared pages"

    def warning(self) -> str:
        """Name hosts whose files scripts did not get; "" if there are none, or no page is rendered."""
        hosts = ", ".join(sorted(self._requests.refused_hosts)) if self.is_on else ""
        hint = "if text is missing, add the host to source.crawl.render_hosts"
        return f"scripts of pages may not load files of {hosts}; {hint}" if hosts else ""

    def close(self) -> None:
        """Stop the browser and close the connections."""
        self._browser.close()
        self._requests.close()

    def _compare(self, url: str, before: int, after: int) -> None:
        self._compared += 1
        if after > _GAIN_SCALE * before:
            self._is_needed = True
            self._example = f"{url} has {before:,} characters without scripts and {after:,} with them"
        elif self._compared >= _SAMPLE:
            self._is_needed = False
            self._browser.close()


def _text_chars(data: bytes, charset: str) -> int:
    """The length of the text of a page, without spaces."""
    root, _ = parse_html(decode_html(data, charset)[0])
    if root is None:
        return 0
    etree.strip_elements(root, *_NO_TEXT, with_tail=False)
    return sum(len("".join(str(text).split())) for text in root.itertext())
