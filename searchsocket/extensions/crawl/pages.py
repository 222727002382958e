"""Map fetched addresses to pages, with the same URLs as in a build of the site; read Markdown that a host serves.

A host may serve `llms.txt`, and the `.md` files of pages (llmstxt.org).
"""

import codecs
import re
from collections.abc import Iterator
from email.message import Message
from itertools import islice
from typing import Any

from lxml import etree

from searchsocket.content.html.decode import decode_html
from searchsocket.content.pages import RawPage
from searchsocket.errors import SourceUnavailable
from searchsocket.extensions.crawl.fetch import Fetcher, Response
from searchsocket.extensions.crawl.site import CrawledSite
from searchsocket.extensions.crawl.store import DOCUMENT_TYPES, Stored
from searchsocket.sources.base import SourceReport
from searchsocket.web.urls.form import Addresses, UrlForm
from searchsocket.web.urls.paths import canonical_path, page_path, without_query
from searchsocket.web.urls.resolve import LinkedAddress, normal_path

_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_LINKS = {"area": "href", "frame": "src"}  # besides `a`
_REFRESH = re.compile(r"url\s*=(.*)", re.IGNORECASE | re.DOTALL)
INDEX = "llms.txt"
MARKDOWN_TYPE = "text/markdown"
MARKDOWN_ACCEPT = "text/markdown,text/html;q=0.9,application/xhtml+xml;q=0.9,application/xml;q=0.8,text/plain;q=0.5"
_MAX_INDEXES = 100  # of one host: each large folder may have its own
_PLAIN_TYPES = ("text/plain", "application/octet-stream", "text/x-markdown", MARKDOWN_TYPE)  # sent for `.md` files
_LINK = re.compile(rb"\]\([ \t]*<?([^)\s>]{1,2000})")
_FILE = re.compile(r"\.mdx?$", re.IGNORECASE)
_INDEX_FILE = re.compile(r"/(?:index|readme)$", re.IGNORECASE)
_HTML = re.compile(rb"\s*<(?:!doctype|html|head|body)\b", re.IGNORECASE)
_UTF_8 = ("utf-8", "utf8", "unicode-1-1-utf-8")


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


def content_type(response: Response) -> str:
    """The media type of a response, in lower case; HTML if it has none."""
    return response.headers.get("content-type", "text/html").partition(";")[0].strip().lower()


def is_markdown_file(response: Response) -> bool:
    """Return True if a response is a Markdown file instead of a fallback page of the host."""
    return content_type(response) in _PLAIN_TYPES and _HTML.match(response.body) is None


def markdown_links(text: bytes) -> PageLinks:
    """The links of a Markdown file, without queries and fragments."""
    links = PageLinks()
    for match in _LINK.finditer(text):
        links.add(match[1].decode("utf-8", "replace").partition("#")[0])
    return links


class MarkdownFiles:
    """The Markdown files of the pages of one crawl. Threads may share it for reading."""

    def __init__(self) -> None:
        self._file_by_page: dict[str, LinkedAddress] = {}
        self._next_level: dict[str, LinkedAddress] = {}

    def file(self, page: str) -> LinkedAddress | None:
        """The Markdown file of a page, if it was known before the level began."""
        return self._file_by_page.get(page)

    def page(self, linked: LinkedAddress) -> LinkedAddress:
        """Return the page that a link opens; remember the link if it leads to a Markdown file."""
        if not _FILE.search(linked.path):
            return linked
        page = _INDEX_FILE.sub("", _FILE.sub("", linked.path)) or "/"
        self._next_level[page] = min(linked, self._next_level.get(page, linked))
        return LinkedAddress(page, normal_path(page))

    def begin_level(self) -> None:
        """Activate the remembered files; within a level, the order of responses would affect the result."""
        self._file_by_page = self._next_level | self._file_by_page

    def listed(self, fetcher: Fetcher, site: CrawledSite, max_pages: int) -> list[LinkedAddress]:
        """The pages in `llms.txt` and the lists that it links to, in order; empty if the host has no such file.

        Args:
            max_pages: Stop after one more page than this.
        """
        pages: dict[LinkedAddress, None] = {}
        for linked in self._listed_pages(fetcher, site):
            pages[self.page(linked)] = None
            if len(pages) > max_pages:
                break
        return list(pages)

    def _listed_pages(self, fetcher: Fetcher, site: CrawledSite) -> Iterator[LinkedAddress]:
        waiting = [LinkedAddress(f"/{INDEX}", f"/{INDEX}")]
        queued = {f"/{INDEX}"}
        for number, index in enumerate(waiting):
            try:
                answer = fetcher.get(site.url(index.address))
            except SourceUnavailable:
                continue
            if number >= _MAX_INDEXES or not is_markdown_file(answer):
                continue
            for href in islice(markdown_links(answer.body).hrefs, MAX_LINKS):
                page_path = site.path_on_host(index.address)
                target = site.resolve(href, page_path)
                if target is not None and target.path.endswith(f"/{INDEX}") and target.path not in queued:
                    queued.add(target.path)
                    waiting.append(target)
                elif (page := site.page(href, page_path)) is not None:
                    yield page


def declared_charset(content_type: str) -> str:
    """The charset in a `Content-Type`, in lower case; "" if there is none."""
    header = Message()
    header["content-type"] = content_type
    return header.get_content_charset("")


def as_utf8(body: bytes, content_type: str) -> bytes:
    """A text in UTF-8 with a byte order mark, if the header declares its charset; a byte order mark of its own wins.

    The mark makes later stages ignore a charset in the page, because the header takes precedence.
    """
    charset = declared_charset(content_type)
    if not charset or charset in _UTF_8:
        return body
    text, _ = decode_html(body, charset)
    return codecs.BOM_UTF8 + text.encode("utf-8", "replace")
