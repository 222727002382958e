"""Map fetched addresses to pages, with the same URLs as in a build of the site."""

import re
from typing import Any

from lxml import etree

from searchsocket.content.html.decode import decode_html
from searchsocket.content.pages import RawPage
from searchsocket.sources.base import SourceReport
from searchsocket.sources.crawl.store import DOCUMENT_TYPES, Stored
from searchsocket.web.urls.form import Addresses, UrlForm
from searchsocket.web.urls.joining import normal_path
from searchsocket.web.urls.paths import canonical_path, page_path, without_query

_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_LINKS = {"area": "href", "frame": "src"}  # besides `a`
_REFRESH = re.compile(r"url\s*=(.*)", re.IGNORECASE | re.DOTALL)


class CrawledPages:
    """The pages of one crawl, each once, even if several addresses open it."""

    def __init__(self, base: str, form: UrlForm | None, report: SourceReport) -> None:
        """
        Args:
            base: The base path of the site.
            form: The form of the addresses; None = as the host answered.
            report: Collects duplicate addresses of pages.
        """
        self.fetched: set[str] = set()  # addresses, without the base path
        self._base = base
        self._form = form
        self._report = report
        self._bodies: dict[str, str] = {}  # page -> hash of its bytes

    def page(self, stored: Stored) -> RawPage | None:
        """The page of a fetched address; None if it is already known."""
        if stored.url in self.fetched:
            return None  # two addresses may redirect to the same one
        self.fetched.add(stored.url)
        url = stored.url if stored.has_query else page_path(stored.url)
        if self._bodies.get(url) == stored.body_hash:
            self._report.skipped[stored.url] = f"another address of {url}"
            return None
        # `/wal/` and `/wal.html` may be two pages: then the later one keeps its whole address.
        page = url
        if above := self.same_above(stored):
            self._bodies.setdefault(url, stored.body_hash)
            self._report.skipped[stored.url] = f"another address of {above[-1]}"
            return None
        url = next(
            (candidate for candidate in (page, stored.url, f"{page}/index.html") if candidate not in self._bodies), ""
        )
        if not url:
            self._report.skipped[stored.url] = f"another address of {page}"
            return None
        self._bodies[url] = stored.body_hash
        # The body's hash is the stamp, so that unchanged pages are detected even without ETags.
        address = self._address(url, stored)
        return RawPage(url, stored.served_url, stored.url, stored.body_hash, stored.kind, address)

    def same_above(self, stored: Stored) -> list[str]:
        """Return the pages in folders above a page, except the root, that have the same bytes; the nearest first.

        A host that ignores the rest of a path answers `/a/b/`, `/a/b/b/` and so on with the page of `/a/`.
        """
        folders = [] if stored.has_query else page_path(stored.url).split("/")[1:-1]
        paths = ("/" + "/".join(folders[:end]) for end in range(len(folders), 0, -1))
        return [path for path in paths if self._bodies.get(path) == stored.body_hash]

    def has_body(self, url: str, body_hash: str) -> bool:
        """Return True if a page has these bytes."""
        return self._bodies.get(url) == body_hash

    def _address(self, url: str, stored: Stored) -> str:
        path, mark, query = stored.address.partition("?")
        if stored.has_query:
            address = self._base + readable_address(path) + mark + query
        elif (self._form is not None or url == "/") and stored.kind not in DOCUMENT_TYPES.values():
            return Addresses(self._form or UrlForm(), self._base).of_served(url, stored.served_url)
        elif stored.kind == "markdown":  # the address is that of its file
            address = self._base + stored.url + ("/" if stored.served_url.endswith("/") else "")
        else:
            address = self._base + readable_address(path)
        return "" if address == url else address


def readable_address(address: str) -> str:
    """An escaped path for people: with plain letters, if a browser escapes them in the same way again."""
    slash = "/" if address.endswith("/") and address != "/" else ""
    readable = canonical_path(address) + slash
    return readable if normal_path(readable) == _upper_escapes(address) else address


def _upper_escapes(text: str) -> str:
    return _ESCAPE.sub(lambda match: match[0].upper(), text)


MAX_LINKS = 10_000  # distinct links per page; equal to the default page limit of a crawl
_MAX_QUERY_LINKS = 1_000  # distinct links with a query per page


class PageLinks:
    """Links of a page. An lxml parser target that builds no tree, so depth and size do not matter."""

    def __init__(self) -> None:
        self.hrefs: dict[str, None] = {}  # in page order, without queries and fragments
        self.with_query: dict[str, None] = {}  # links with a query, without fragments
        self.base = ""  # `<base href>`
        self.canonical = ""
        self.robots: list[str] = []  # contents of robots metas
        self.cut = False  # there were more than `MAX_LINKS`

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "a":
            href = attributes.get("href", "").partition("#")[0]
            self.add(href)
            if "?" in href and "nofollow" not in attributes.get("rel", "").lower().split():
                self._add_query(href)
        elif tag in _LINKS:
            self.add(attributes.get(_LINKS[tag], "").partition("#")[0])
        elif tag == "base" and not self.base:
            self.base = attributes.get("href", "")
        elif tag == "link" and not self.canonical and "canonical" in attributes.get("rel", "").lower().split():
            self.canonical = attributes.get("href", "")
        elif tag == "meta" and attributes.get("name", "").strip().lower() == "robots":
            self.robots.append(attributes.get("content", ""))
        elif tag == "meta" and attributes.get("http-equiv", "").strip().lower() == "refresh":
            match = _REFRESH.search(attributes.get("content", ""))
            self.add(match[1].strip("'\" ").partition("#")[0] if match else "")

    def add(self, href: str) -> None:
        """Add a link without its query, unless there are already `MAX_LINKS`."""
        href = without_query(href)
        if not href:
            return
        if len(self.hrefs) < MAX_LINKS:
            self.hrefs[href] = None
        elif href not in self.hrefs:
            self.cut = True

    def _add_query(self, href: str) -> None:
        if len(self.with_query) < _MAX_QUERY_LINKS:
            self.with_query[href] = None

    def close(self) -> None: ...


def page_links(html: bytes) -> PageLinks:
    """The links of a page; if the page is broken, those before the error."""
    page = PageLinks()
    target: Any = page  # lxml takes any object with these methods
    text, _ = decode_html(html)
    try:
        etree.fromstring(
            text.encode("utf-8", "replace"), etree.HTMLParser(target=target, huge_tree=True, encoding="utf-8")
        )
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return page
    return page
