"""Read sitemaps; refuse compression bombs, loops, entities and foreign hosts."""

import codecs
import io
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from searchsocket.errors import SourceUnavailable
from searchsocket.extensions.crawl.fetch import FetchFailed
from searchsocket.extensions.crawl.site import host_of
from searchsocket.system.encoding import BodyTooLarge, DamagedBody, gunzip

MAX_SITEMAPS = 1_000
MAX_DEPTH = 4
MAX_BYTES = 60_000_000  # of one; the protocol allows 50 MB uncompressed
MAX_TOTAL_BYTES = 500_000_000  # of all sitemaps of a crawl, uncompressed
MAX_ENTRIES = 1_000_000  # in all sitemaps, including entries on other hosts
_MAX_HOSTS = 10  # other hosts for which examples are kept
_EXAMPLES = 20
_GZIP = b"\x1f\x8b"
_GONE = (404, 410)
_HTML = re.compile(rb"\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_TEXT_LINE = re.compile(r"https?://\S+", re.IGNORECASE)
_PIECE = 65_536


class BadSitemap(ValueError):
    """A sitemap cannot be read; the message gives the reason."""


@dataclass(slots=True)
class SitemapWalk:
    """Follows sitemaps and the sitemaps in them; a problem affects only its file."""

    fetch: Callable[[str], bytes]
    here: Callable[[str], str | None]  # maps a URL to the crawled host; None if it is on another host
    is_over: Callable[[], bool] = lambda: False  # returns True if the crawl has ended
    problems: dict[str, str] = field(default_factory=dict)  # sitemap -> why it cannot be read
    missing: set[str] = field(default_factory=set)  # those of them that the host does not have
    read: set[str] = field(default_factory=set)  # sitemaps without a problem
    limit: str = ""  # the limit that stopped the walk, in words
    own: int = 0  # pages on this host
    foreign: int = 0  # entries on other hosts, skipped
    examples: dict[str, list[str]] = field(default_factory=dict)  # the first entries of each other host
    _waiting: deque[tuple[str, int]] = field(default_factory=deque)
    _queued: set[str] = field(default_factory=set)
    _bytes: int = 0
    _entries: int = 0

    def urls(self, starts: Iterable[str]) -> Iterator[str]:
        """Yield every page URL, in the order of the files; each sitemap is read once."""
        for start in starts:
            self._queue(start, 0)
            if self.here(start) is None:
                self.problems[start] = "the sitemap is on another host"
        while self._waiting and not self.limit and not self.is_over():
            url, depth = self._waiting.popleft()
            try:
                yield from self._pages(url, depth)
                self.read.add(url)
            except FetchFailed as error:
                self.problems[url] = str(error)
                if error.status in _GONE:
                    self.missing.add(url)
            except (BadSitemap, SourceUnavailable, ValueError) as error:
                self.problems[url] = str(error)

    def _pages(self, url: str, depth: int) -> Iterator[str]:
        xml = unpacked(self.fetch(url))
        self._bytes += len(xml)
        if self._bytes > MAX_TOTAL_BYTES:
            self.limit = f"{MAX_TOTAL_BYTES} bytes of sitemaps"
            return
        for kind, location in entries(xml):
            self._entries += 1
            if self._entries > MAX_ENTRIES:
                self.limit = f"{MAX_ENTRIES} entries of sitemaps"
            if self.limit:
                return
            location = urljoin(url, location)
            if kind == "sitemap":
                self._queue(location, depth + 1)
            elif (page := self.here(location)) is not None:
                self.own += 1
                yield page
            elif kind == "page":
                self._leave_out(location)

    def _queue(self, location: str, depth: int) -> None:
        target = self.here(location)
        if target is None:
            self._leave_out(location)
        elif target not in self._queued:
            if depth > MAX_DEPTH or len(self._queued) >= MAX_SITEMAPS:
                self.limit = f"{MAX_SITEMAPS} sitemaps, {MAX_DEPTH} levels of them"
                return
            self._queued.add(target)
            self._waiting.append((target, depth))

    def _leave_out(self, url: str) -> None:
        self.foreign += 1
        host = host_of(url)
        if host in self.examples or len(self.examples) < _MAX_HOSTS:
            examples_of_host = self.examples.setdefault(host, [])
            if len(examples_of_host) < _EXAMPLES:
                examples_of_host.append(url)


def unpacked(data: bytes) -> bytes:
    """Return the XML text, decompressed if necessary.

    Raises:
        BadSitemap: It is damaged, or larger than 60 MB when decompressed.
    """
    if not data.startswith(_GZIP):
        return data
    try:
        return gunzip([data], MAX_BYTES)
    except (BodyTooLarge, DamagedBody) as error:
        raise BadSitemap(str(error)) from error


class _Locations:
    """An XML parser target that builds no tree, so the number of elements does not affect memory."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, str]] = []
        self._path: list[str] = []
        self._text: list[str] | None = None  # of the open `loc`

    def doctype(self, *_: str | None) -> None:
        raise BadSitemap("it has a document type declaration, which sitemaps must not have")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition("}")[2]
        if self._is_location(name):
            self._text = []
        elif name == "link" and self._path[-1:] == ["entry"] and attributes.get("rel", "alternate") == "alternate":
            self.entries.append(("page", attributes.get("href", "").strip()))
        elif name == "link" and self._path[-1:] == ["url"] and "hreflang" in attributes:
            self.entries.append(("translation", attributes.get("href", "").strip()))
        self._path.append(name)

    def data(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def end(self, tag: str) -> None:
        name = self._path.pop()
        if self._text is not None and self._is_location(name):
            text = "".join(self._text).strip()
            self._text = None
            if text:
                self.entries.append(("sitemap" if self._path[-1] == "sitemap" else "page", text))

    def _is_location(self, name: str) -> bool:
        """Return True for an element whose text is an address: of a sitemap, or of an item of an RSS feed."""
        parent = self._path[-1] if self._path else ""
        return parent in {"url", "sitemap"} if name == "loc" else name == "link" and parent == "item"

    def close(self) -> None: ...


def entries(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the kind and location of every entry of a sitemap: XML, a feed, or text with one URL per line.

    The kind is "page", "sitemap", or "translation" for the `hreflang` links of a page.

    Raises:
        BadSitemap: It is neither, or the XML is broken; entries before the break were yielded.
    """
    if _HTML.match(data):
        raise BadSitemap("it is an HTML page")
    first_line = data.removeprefix(codecs.BOM_UTF8).lstrip().split(b"\n", 1)[0]
    if _TEXT_LINE.fullmatch(first_line.decode("utf-8", "replace").strip()):
        yield from _text_entries(data)
    else:
        yield from _xml_entries(data)


def _text_entries(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the URLs of a text sitemap; other lines are skipped."""
    for line in io.BytesIO(data.removeprefix(codecs.BOM_UTF8)):
        url = line.decode("utf-8", "replace").strip()
        if _TEXT_LINE.fullmatch(url):
            yield "page", url


def _xml_entries(xml: bytes) -> Iterator[tuple[str, str]]:
    """Yield the entries of an XML sitemap, with any namespace prefix; streams.

    Raises:
        BadSitemap: The XML is broken; entries before the break were yielded.
    """
    locations = _Locations()
    target: Any = locations  # lxml takes any object with these methods
    parser = etree.XMLParser(
        target=target, resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False, recover=False
    )
    xml = xml.lstrip()
    for start in range(0, len(xml) + 1, _PIECE):
        broken = None
        try:
            parser.feed(xml[start : start + _PIECE])
            if start + _PIECE > len(xml):
                parser.close()
        except etree.XMLSyntaxError as error:
            broken = error
        yield from locations.entries
        locations.entries.clear()
        if broken is not None:
            raise BadSitemap(f"not well-formed XML: {broken}") from broken
