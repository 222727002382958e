"""Markdown that a host serves besides HTML: `llms.txt`, and the `.md` files of pages (llmstxt.org)."""

import re
from collections.abc import Iterator
from itertools import islice

from searchsocket.errors import SourceUnavailable
from searchsocket.sources.crawl.fetch import Fetcher, Response
from searchsocket.sources.crawl.pages import MAX_LINKS, PageLinks
from searchsocket.sources.crawl.site import CrawledSite
from searchsocket.web.urls.joining import normal_path
from searchsocket.web.urls.resolve import LinkedAddress

INDEX = "llms.txt"
MARKDOWN_TYPE = "text/markdown"
ACCEPT = "text/markdown,text/html;q=0.9,application/xhtml+xml;q=0.9,application/xml;q=0.8,text/plain;q=0.5"
_MAX_INDEXES = 100  # of one host: each large folder may have its own
_PLAIN_TYPES = ("text/plain", "application/octet-stream", "text/x-markdown", MARKDOWN_TYPE)  # sent for `.md` files
_LINK = re.compile(rb"\]\([ \t]*<?([^)\s>]{1,2000})")
_FILE = re.compile(r"\.mdx?$", re.IGNORECASE)
_INDEX_FILE = re.compile(r"/(?:index|readme)$", re.IGNORECASE)
_HTML = re.compile(rb"\s*<(?:!doctype|html|head|body)\b", re.IGNORECASE)


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
