"""Sitemaps: what they list, with bombs, loops, entities and foreign hosts refused."""

import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urljoin

from lxml import etree

from searchsocket.errors import SourceUnavailable

MAX_SITEMAPS = 1_000
MAX_DEPTH = 4
MAX_BYTES = 60_000_000  # the protocol allows 50 MB uncompressed
_GZIP = b"\x1f\x8b"


class BadSitemap(ValueError):
    """A sitemap that cannot be read; the words say why."""


@dataclass(slots=True)
class SitemapWalk:
    """Follows a sitemap and the sitemaps it names; problems are collected, and cost only the file they are in."""

    fetch: Callable[[str], bytes]
    here: Callable[[str], str | None]  # where a URL lies on the crawled host; None on another one
    problems: dict[str, str] = field(default_factory=dict)
    foreign: int = 0  # entries on other hosts, left out

    def urls(self, start: str) -> Iterator[str]:
        """Every page URL, in the order of the files; a sitemap is read once however often it is named."""
        waiting, seen = [(start, 0)], {start}
        while waiting:
            url, depth = waiting.pop(0)
            try:
                for kind, location in entries(unpacked(self.fetch(url))):
                    target = self.here(urljoin(url, location))
                    if target is None:
                        self.foreign += 1
                    elif kind == "page":
                        yield target
                    elif target not in seen:
                        self._queue(waiting, seen, target, depth + 1)
            except (BadSitemap, SourceUnavailable, ValueError) as error:
                self.problems[url] = str(error)

    def _queue(self, waiting: list[tuple[str, int]], seen: set[str], url: str, depth: int) -> None:
        if depth > MAX_DEPTH or len(seen) >= MAX_SITEMAPS:
            self.problems[url] = f"more than {MAX_SITEMAPS} sitemaps, or nested deeper than {MAX_DEPTH}"
            return
        seen.add(url)
        waiting.append((url, depth))


def unpacked(data: bytes) -> bytes:
    """The XML text, whether it came compressed or not.

    Raises:
        BadSitemap: It is damaged, or unpacks to more than 60 MB.
    """
    if not data.startswith(_GZIP):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            text = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise BadSitemap(f"not a whole gzip file: {error}") from error
    if len(text) > MAX_BYTES:
        raise BadSitemap(f"unpacks to more than {MAX_BYTES} bytes")
    return text


def entries(xml: bytes) -> Iterator[tuple[str, str]]:
    """("page" or "sitemap", location) of every entry, whatever prefix the namespace has; streams.

    Raises:
        BadSitemap: The XML is broken; entries before the break were yielded.
    """
    try:
        events = etree.iterparse(
            io.BytesIO(xml.lstrip()), events=("end",), resolve_entities=False, no_network=True, huge_tree=False,
            load_dtd=False, recover=False,
        )  # fmt: skip
        for _, element in events:
            name = etree.QName(element).localname if isinstance(element.tag, str) else ""
            if name == "loc":
                parent = element.getparent()
                kind = "" if parent is None else etree.QName(parent).localname
                text = "".join(element.itertext()).strip()
                if text and kind in ("url", "sitemap"):
                    yield ("page" if kind == "url" else "sitemap"), text
            elif name in ("url", "sitemap"):
                element.clear()
                while element.getprevious() is not None:  # keep memory flat in a file of 50,000 entries
                    del element.getparent()[0]
    except etree.XMLSyntaxError as error:
        raise BadSitemap(f"not well-formed XML: {error}") from error
