"""Fetch one page of a crawl, as HTML or as Markdown from the host, and read its links."""

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from searchsocket.errors import PageNotRendered, SourceUnavailable
from searchsocket.extensions.crawl.fetch import Fetcher, FetchFailed, RedirectRefused, RedirectsAway, Response
from searchsocket.extensions.crawl.pages import (
    MARKDOWN_TYPE,
    MarkdownFiles,
    PageLinks,
    as_utf8,
    content_type,
    is_markdown_file,
    markdown_links,
    page_links,
)
from searchsocket.extensions.crawl.rendering import Rendering
from searchsocket.extensions.crawl.site import CrawledSite, host_of
from searchsocket.extensions.crawl.store import DOCUMENT_TYPES, BodyStore, Stored
from searchsocket.web.robots_tags import page_rules
from searchsocket.web.urls.resolve import LinkedAddress, rebased, served_under

_HTML = ("text/html", "application/xhtml+xml")
_FILE = re.compile(r"\.[A-Za-z0-9]{1,5}$")
_GONE = (404, 410)
_MOVED = (301, 308)
_HIDDEN = 403  # also the answer of stores of objects for a missing one
_NO_PAGE = (_HIDDEN, *_GONE)
_DISALLOWED = "disallowed by robots.txt"


class PageTask(NamedTuple):
    """A page to fetch, with its addresses as linked, in the order of trying."""

    key: str  # see `Stored.url`
    addresses: tuple[str, ...]
    probe_of: str = ""  # path whose page this may be, see `QueryPages`


@dataclass(frozen=True, slots=True)
class FetchedPage:
    task: PageTask
    stored: Stored | None = None
    links: frozenset[LinkedAddress] = frozenset()
    query_links: frozenset[LinkedAddress] = frozenset()  # links with a query
    canonical: LinkedAddress | None = None  # of a page with a query
    links_cut: bool = False  # the page has more links
    published: str = ""  # host in the page's canonical URL, if its links to that host were followed here
    skipped: str = ""
    failed: str = ""
    status: int = 0  # of a page that could not be fetched


@dataclass(frozen=True, slots=True)
class PageFetch:
    """Fetches the pages of one crawl. Thread-safe."""

    fetcher: Fetcher
    site: CrawledSite
    store: BodyStore
    is_allowed: Callable[[str], bool]  # by robots.txt
    files: MarkdownFiles | None  # of pages; None = fetch only HTML
    follows_links: bool
    now_s: float  # seconds since 1970
    respects_noindex: bool = True
    rendering: Rendering | None = None

    def page(self, task: PageTask) -> FetchedPage:
        """Fetch a page; a failure is part of the result.

        Its addresses are tried in turn. If the host has a page at none of them, the first address is tried with the
        other form of its trailing slash.
        """
        stored = self.store.get(task.key)
        if file := self.files.file(task.key) if self.files else None:
            markdown_page = self._from_file(task, file, stored)
            if markdown_page is not None:
                return markdown_page
        if stored and stored.kind == "markdown" and (file or not self.files):
            stored = None  # it is from another address, or no longer needed
        first: FetchedPage | None = None
        for address in task.addresses:
            fetched = self._at(task, address, stored)
            if fetched.status not in _NO_PAGE and fetched.skipped != _DISALLOWED:
                return fetched
            first = first if first and first.skipped != _DISALLOWED else fetched
        if first is None:
            raise ValueError(f"{task.key!a} has no address")
        if (
            first.status in _NO_PAGE
            and not task.probe_of
            and (other := _other_slash(task.addresses[0])) not in ("", *task.addresses)
        ):
            fetched = self._at(task, other, stored)
            if fetched.stored is not None:
                return fetched
        return first

    def _at(self, task: PageTask, address: str, stored: Stored | None) -> FetchedPage:
        url = self.site.url(address)
        if not self.is_allowed(url):
            return FetchedPage(task, skipped=_DISALLOWED)
        try:
            # The validators of the sent HTML do not apply to rendered HTML, and vice versa.
            is_rendered = self.rendering is not None and self.rendering.is_on
            validators = {} if is_rendered else _validators(stored, address)
            answer = self.fetcher.get(
                url,
                validators=validators,
                is_allowed=self.is_allowed,
                is_optional=bool(task.probe_of) and stored is None,
            )
            if answer.not_modified and stored is not None:
                tags = answer.robots_tags or stored.robots_tags
                return self._page(task, replace(stored, robots_tags=tags), self.store.read(stored.url), is_stored=True)
            return self._new(task, answer)
        except RedirectRefused:
            return FetchedPage(task, skipped=_DISALLOWED)
        except RedirectsAway as error:
            # A login or an outage may redirect a known page for a while.
            if error.status in _MOVED or self.store.get(task.key) is None:
                return FetchedPage(task, skipped="redirects to another host")
            return FetchedPage(task, failed=str(error))
        except FetchFailed as error:
            # A host that hides missing pages would otherwise make every crawl with a dead link incomplete.
            if error.status in _GONE or (error.status == _HIDDEN and self.store.get(task.key) is None):
                return FetchedPage(task, skipped=f"answered {error.status}", status=error.status)
            return FetchedPage(task, failed=str(error), status=error.status)
        except PageNotRendered as error:
            return FetchedPage(task, failed=f"{error.code}: {error}")
        except SourceUnavailable as error:
            return FetchedPage(task, failed=str(error))

    def _from_file(self, task: PageTask, file: LinkedAddress, stored: Stored | None) -> FetchedPage | None:
        """Fetch a page from its Markdown file; None on failure, so that the HTML is fetched."""
        url = self.site.url(file.address)
        if not self.is_allowed(url):
            return None
        stored = stored if stored and stored.kind == "markdown" else None
        try:
            answer = self.fetcher.get(url, validators=_validators(stored), is_allowed=self.is_allowed)
        except SourceUnavailable:
            return None
        if answer.not_modified and stored is not None:
            return self._page(task, stored, self.store.read(stored.url), is_stored=True)
        if answer.not_modified or not is_markdown_file(answer):
            return None
        address = LinkedAddress(task.key, file.address.rpartition(".")[0])
        return self._page(task, *_make_stored(address, file.path.rpartition(".")[0], answer, MARKDOWN_TYPE))

    def _new(self, task: PageTask, answer: Response) -> FetchedPage:
        kind = content_type(answer)
        if not self._is_page(kind):
            return FetchedPage(task, skipped=f"not HTML but {kind[:80]}")
        served = self.site.resolve(answer.url)
        if served is None:
            return FetchedPage(task, skipped="redirects outside the base path")
        path = served.address.partition("?")[0]
        page = LinkedAddress(served.path, path)
        if "?" in task.addresses[0] and served.address == task.addresses[0]:
            page = LinkedAddress(task.key, served.address)
        served_url = served_under(self.site.base.path, self.site.path_on_host(path))
        if kind in _HTML and self.rendering and (html := self.rendering.page(answer)) is not None:
            # Without validators: those of the host describe the page before rendering.
            rendered = Response(answer.url, answer.status, {}, html, robots_tags=answer.robots_tags)
            return self._page(task, *_make_stored(page, served_url, rendered, "text/html; charset=utf-8"))
        return self._page(task, *_make_stored(page, served_url, answer, answer.headers.get("content-type", "")))

    def _is_page(self, kind: str) -> bool:
        return (
            kind in _HTML
            or (self.files is not None and kind == MARKDOWN_TYPE)
            or (self.site.documents and kind in DOCUMENT_TYPES)
        )

    def _page(self, task: PageTask, stored: Stored, body: bytes, *, is_stored: bool = False) -> FetchedPage:
        outgoing = _links(stored, body)
        rules = page_rules(outgoing.robots, self.now_s)
        host_rules = page_rules(stored.robots_tags, self.now_s)
        fetched = FetchedPage(task, stored)
        if not host_rules.is_indexable and self.respects_noindex:
            fetched = FetchedPage(task, skipped="noindex by X-Robots-Tag")
        elif not is_stored:
            self.store.put(stored, body)
        host = self._other_address(outgoing.canonical, stored.url)
        if not self.follows_links or not (rules.is_followable and host_rules.is_followable):
            return replace(fetched, canonical=self._canonical(outgoing, stored))
        links = _targets(outgoing.hrefs, outgoing, stored, self.site)
        if host and (more := _targets(outgoing.hrefs, outgoing, stored, self.site.published_at(host)) - links):
            links, fetched = links | more, replace(fetched, published=host)
        return replace(
            fetched,
            links=links,
            query_links=_targets(outgoing.with_query, outgoing, stored, self.site),
            canonical=self._canonical(outgoing, stored),
            links_cut=outgoing.cut,
        )

    def _canonical(self, links: PageLinks, stored: Stored) -> LinkedAddress | None:
        """The target of the canonical link of a page with a query, which decides if it is a page."""
        if not stored.has_query or not links.canonical:
            return None
        host = host_of(links.canonical)
        # The canonical link names the published host, which may differ from the crawled one.
        site = self.site.published_at(host) if host else self.site
        return site.resolve(links.canonical, self.site.path_on_host(stored.address))

    def _other_address(self, canonical: str, url: str) -> str:
        """The other host that publishes the page at the same path, from its canonical URL; "" if there is none."""
        host = host_of(canonical)
        if not host or self.site.resolve(canonical) is not None:
            return ""
        target = self.site.published_at(host).resolve(canonical)
        return host if target is not None and target.path == url else ""


def _other_slash(address: str) -> str:
    """The address with or without its trailing slash; "" if it names the root or a file."""
    path, mark, query = address.partition("?")
    if path.endswith("/"):
        return path.rstrip("/") + mark + query if path.strip("/") else ""
    return f"{path}/{mark}{query}" if path and not _FILE.search(path) else ""


def _validators(stored: Stored | None, address: str | None = None) -> dict[str, str]:
    if stored is None or address not in (None, stored.address):
        return {}
    return {"etag": stored.etag, "last-modified": stored.last_modified}


def _make_stored(page: LinkedAddress, served_url: str, answer: Response, content_type: str) -> tuple[Stored, bytes]:
    """A page with its body, as UTF-8 if the host declares another charset."""
    is_text = content_type.partition(";")[0].strip().lower() not in DOCUMENT_TYPES
    body = as_utf8(answer.body, answer.headers.get("content-type", "")) if is_text else answer.body
    stored = Stored(
        url=page.path,
        served_url=served_url,
        address=page.address,
        body_hash=hashlib.sha256(body).hexdigest(),
        etag=answer.headers.get("etag", ""),
        last_modified=answer.headers.get("last-modified", ""),
        content_type=content_type,
        robots_tags=answer.robots_tags,
    )
    return stored, body


def _links(stored: Stored, body: bytes) -> PageLinks:
    if stored.kind in DOCUMENT_TYPES.values():
        return PageLinks()
    return markdown_links(body) if stored.kind == "markdown" else page_links(body)


def _targets(hrefs: Iterable[str], links: PageLinks, stored: Stored, site: CrawledSite) -> frozenset[LinkedAddress]:
    page = site.path_on_host(stored.address)
    if links.base:
        page = rebased(links.base, page, site.base)
    return frozenset(linked for href in hrefs if (linked := site.page(href, page)) is not None)
