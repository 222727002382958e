"""Map fetched addresses to pages, the same ones as in a build of the site."""

from typing import Any

from lxml import etree

from searchsocket.content.pages import RawPage
from searchsocket.sources.base import SourceReport
from searchsocket.sources.crawl.store import DOCUMENT_TYPES, Stored
from searchsocket.web.urls.form import Addresses, UrlForm
from searchsocket.web.urls.paths import page_path, without_query


class CrawledPages:
    """The pages of one crawl, each once, however many addresses open it."""

    def __init__(self, base: str, form: UrlForm | None, report: SourceReport) -> None:
        """
        Args:
            base: The base path of the site.
            form: The form of the addresses; None = as the host answered.
            report: Takes what is another address of a page.
        """
        self.fetched: set[str] = set()  # addresses, without the base path
        self._base = base
        self._form = form
        self._report = report
        self._bodies: dict[str, str] = {}  # page -> hash of its bytes

    def page(self, stored: Stored) -> RawPage | None:
        """The page of a fetched address; None where it is known already."""
        if stored.url in self.fetched:
            return None  # two addresses may redirect to one
        self.fetched.add(stored.url)
        url = page_path(stored.url)
        if self._bodies.get(url) == stored.body_hash:
            self._report.skipped[stored.url] = f"another address of {url}"
            return None
        # `/wal/` and `/wal.html` may be two pages: then the later one is known by its whole address.
        url = next((one for one in (url, stored.url, f"{url}/index.html") if one not in self._bodies), "")
        if not url:
            self._report.skipped[stored.url] = f"another address of {page_path(stored.url)}"
            return None
        self._bodies[url] = stored.body_hash
        # The hash of the body is the stamp, so that a host without ETags still says what is unchanged.
        address = self._address(url, stored)
        return RawPage(url, stored.served_url, stored.url, stored.body_hash, stored.kind, address)

    def _address(self, url: str, stored: Stored) -> str:
        if (self._form is not None or url == "/") and stored.kind not in DOCUMENT_TYPES.values():
            return Addresses(self._form or UrlForm(), self._base).of_served(url, stored.served_url)
        address = self._base + stored.url + ("/" if stored.served_url.endswith("/") else "")
        return "" if address == url else address


MAX_LINKS = 10_000  # different ones on one page; as many pages as a whole crawl fetches unless it is told otherwise


class PageLinks:
    """Links of a page. An lxml parser target: it builds no tree, so depth and size cost nothing."""

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
        """Take a link; beyond `MAX_LINKS` it is left out."""
        if len(self.hrefs) < MAX_LINKS:
            self.hrefs[href] = None
        elif href not in self.hrefs:
            self.cut = True

    def close(self) -> None: ...


def page_links(html: bytes) -> PageLinks:
    """The links of a page; none when it asks not to be followed, and those before the break when it is broken."""
    page = PageLinks()
    target: Any = page  # lxml takes any object with these methods
    try:
        etree.fromstring(html, etree.HTMLParser(target=target, huge_tree=True))
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return page
    if page.nofollow:
        page.hrefs, page.cut = {}, False
    return page
