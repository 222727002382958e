"""Map fetched addresses to pages, with the same URLs as in a build of the site."""

from typing import Any

from lxml import etree

from searchsocket.content.pages import RawPage
from searchsocket.sources.base import SourceReport
from searchsocket.sources.crawl.store import DOCUMENT_TYPES, Stored
from searchsocket.web.urls.form import Addresses, UrlForm
from searchsocket.web.urls.paths import page_path, without_query


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
        url = page_path(stored.url)
        if self._bodies.get(url) == stored.body_hash:
            self._report.skipped[stored.url] = f"another address of {url}"
            return None
        # `/wal/` and `/wal.html` may be two pages: then the later one keeps its whole address.
        url = next(
            (candidate for candidate in (url, stored.url, f"{url}/index.html") if candidate not in self._bodies), ""
        )
        if not url:
            self._report.skipped[stored.url] = f"another address of {page_path(stored.url)}"
            return None
        self._bodies[url] = stored.body_hash
        # The body's hash is the stamp, so that unchanged pages are detected even without ETags.
        address = self._address(url, stored)
        return RawPage(url, stored.served_url, stored.url, stored.body_hash, stored.kind, address)

    def _address(self, url: str, stored: Stored) -> str:
        if (self._form is not None or url == "/") and stored.kind not in DOCUMENT_TYPES.values():
            return Addresses(self._form or UrlForm(), self._base).of_served(url, stored.served_url)
        address = self._base + stored.url + ("/" if stored.served_url.endswith("/") else "")
        return "" if address == url else address


MAX_LINKS = 10_000  # distinct links per page; equal to the default page limit of a crawl


class PageLinks:
    """Links of a page. An lxml parser target that builds no tree, so depth and size do not matter."""

    def __init__(self) -> None:
        self.hrefs: dict[str, None] = {}  # in page order, without queries and fragments
        self.base = ""  # `<base href>`
        self.canonical = ""
        self.nofollow = False
        self.cut = False  # there were more than `MAX_LINKS`

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "a":
            if href := without_query(attributes.get("href", "")):
                self.add(href)
        elif tag == "base" and not self.base:
            self.base = attributes.get("href", "")
        elif tag == "link" and not self.canonical and "canonical" in attributes.get("rel", "").lower().split():
            self.canonical = attributes.get("href", "")
        elif tag == "meta" and attributes.get("name", "").lower() == "robots":
            rules = attributes.get("content", "").lower().replace(",", " ").split()
            self.nofollow |= "nofollow" in rules or "none" in rules

    def add(self, href: str) -> None:
        """Add a link, unless there are already `MAX_LINKS`."""
        if len(self.hrefs) < MAX_LINKS:
            self.hrefs[href] = None
        elif href not in self.hrefs:
            self.cut = True

    def close(self) -> None: ...


def page_links(html: bytes) -> PageLinks:
    """The links of a page; none if it has `nofollow`; if the page is broken, those before the error."""
    page = PageLinks()
    target: Any = page  # lxml takes any object with these methods
    try:
        etree.fromstring(html, etree.HTMLParser(target=target, huge_tree=True))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return page
    if page.nofollow:
        page.hrefs, page.cut = {}, False
    return page
