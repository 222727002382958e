"""Fetch one page of a crawl, as HTML or as Markdown from the host, and read its links."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from searchsocket.errors import PageNotRendered, SourceUnavailable
from searchsocket.sources.crawl import markdown
from searchsocket.sources.crawl.fetch import Fetcher, FetchFailed, Response
from searchsocket.sources.crawl.pages import PageLinks, page_links
from searchsocket.sources.crawl.rendering import Rendering
from searchsocket.sources.crawl.site import CrawledSite, host_of
from searchsocket.sources.crawl.store import DOCUMENT_TYPES, BodyStore, Stored
from searchsocket.web.urls.resolve import resolve_base, served_under

_HTML = ("text/html", "application/xhtml+xml")


@dataclass(frozen=True, slots=True)
class FetchedPage:
    url: str
    stored: Stored | None
    links: frozenset[str] = frozenset()
    links_cut: bool = False  # the page has more links
    published: str = ""  # host in the page's canonical URL, if its links to that host were followed here
    skipped: str = ""
    failed: str = ""


@dataclass(frozen=True, slots=True)
class PageFetch:
    """Fetches the pages of one crawl. Thread-safe."""

    fetcher: Fetcher
    site: CrawledSite
    store: BodyStore
    is_allowed: Callable[[str], bool]  # by robots.txt
    files: markdown.MarkdownFiles | None  # of pages; None = fetch only HTML
    follows_links: bool
    rendering: Rendering | None = None

    def page(self, path: str) -> FetchedPage:
        """Fetch the page at a path; a failure is part of the result."""
        url = self.site.url(path)
        if not self.is_allowed(url):
            return FetchedPage(path, None, skipped="disallowed by robots.txt")
        stored = self.store.get(path)
        if file := self.files.file(path) if self.files else None:
            markdown_page = self._from_file(path, file, stored)
            if markdown_page is not None:
                return markdown_page
        if stored and stored.kind == "markdown" and (file or not self.files):
            stored = None  # it is from another address, or no longer needed
        try:
            # The validators of the sent HTML do not apply to rendered HTML, and vice versa.
            is_rendered = self.rendering is not None and self.rendering.is_on
            answer = self.fetcher.get(url, validators={} if is_rendered else _validators(stored))
            if answer.not_modified and stored is not None:
                return self._page(path, stored, self.store.read(path))
            return self._new(path, answer)
        except FetchFailed as error:
            if error.status in (404, 410):
                return FetchedPage(path, None, skipped=f"answered {error.status}")
            return FetchedPage(path, None, failed=str(error))
        except PageNotRendered as error:
            return FetchedPage(path, None, failed=f"{error.code}: {error}")
        except SourceUnavailable as error:
            return FetchedPage(path, None, failed=str(error))

    def _from_file(self, path: str, file: str, stored: Stored | None) -> FetchedPage | None:
        """Fetch a page from its Markdown file; None on failure, so that the HTML is fetched."""
        url = self.site.url(file)
        if not self.is_allowed(url):
            return None
        stored = stored if stored and stored.kind == "markdown" else None
        try:
            answer = self.fetcher.get(url, validators=_validators(stored))
        except SourceUnavailable:
            return None
        if answer.not_modified and stored is not None:
            return self._page(path, stored, self.store.read(path))
        if answer.not_modified or not markdown.is_markdown_file(answer):
            return None
        served_url = file.rpartition(".")[0]
        return self._keep(path, _make_stored(path, served_url, answer, markdown.MARKDOWN_TYPE), answer.body)

    def _new(self, path: str, answer: Response) -> FetchedPage:
        kind = markdown.content_type(answer)
        if not self._is_page(kind):
            return FetchedPage(path, None, skipped=f"not HTML but {kind[:80]}")
        served = urlsplit(answer.url).path or "/"
        url = self.site.resolve(answer.url)
        if url is None:
            return FetchedPage(path, None, skipped="redirects outside the base path")
        served_url = served_under(self.site.base.path, served)
        if kind in _HTML and self.rendering and (html := self.rendering.page(answer)) is not None:
            return self._keep(path, _make_rendered(url, served_url, html), html)
        return self._keep(
            path, _make_stored(url, served_url, answer, answer.headers.get("content-type", "")), answer.body
        )

    def _is_page(self, kind: str) -> bool:
        return (
            kind in _HTML
            or (self.files is not None and kind == markdown.MARKDOWN_TYPE)
            or (self.site.documents and kind in DOCUMENT_TYPES)
        )

    def _keep(self, path: str, stored: Stored, body: bytes) -> FetchedPage:
        self.store.put(stored, body)
        return self._page(path, stored, body)

    def _page(self, path: str, stored: Stored, body: bytes) -> FetchedPage:
        if not self.follows_links or stored.kind in DOCUMENT_TYPES.values():
            return FetchedPage(path, stored)
        outgoing = markdown.markdown_links(body) if stored.kind == "markdown" else page_links(body)
        links = _targets(outgoing, stored, self.site)
        if (host := self._other_address(outgoing.canonical, stored.url)) and (
            more := _targets(outgoing, stored, self.site.published_at(host)) - links
        ):
            return FetchedPage(path, stored, links | more, outgoing.cut, host)
        return FetchedPage(path, stored, links, outgoing.cut)

    def _other_address(self, canonical: str, url: str) -> str:
        """The other host that publishes the page at the same path, from its canonical URL; "" if there is none."""
        host = host_of(canonical)
        if not host or self.site.resolve(canonical) is not None:
            return ""
        return host if self.site.published_at(host).resolve(canonical) == url else ""


def _validators(stored: Stored | None) -> dict[str, str]:
    return {"etag": stored.etag, "last-modified": stored.last_modified} if stored else {}


def _make_stored(url: str, served_url: str, answer: Response, content_type: str) -> Stored:
    return Stored(
        url=url,
        served_url=served_url,
        body_hash=hashlib.sha256(answer.body).hexdigest(),
        etag=answer.headers.get("etag", ""),
        last_modified=answer.headers.get("last-modified", ""),
        content_type=content_type,
    )


def _make_rendered(url: str, served_url: str, html: bytes) -> Stored:
    """Facts of a rendered page, without validators: those of the host describe the page before rendering."""
    return Stored(url, served_url, hashlib.sha256(html).hexdigest(), content_type="text/html; charset=utf-8")


def _targets(links: PageLinks, stored: Stored, site: CrawledSite) -> frozenset[str]:
    served = resolve_base(links.base, stored.served_url, site.base) if links.base else stored.served_url
    return frozenset(path for href in links.hrefs if (path := site.page(href, served)) is not None)
