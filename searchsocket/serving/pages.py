"""Find a page of an index by its URL, and answer with its text and metadata."""

import re
from dataclasses import dataclass, replace
from typing import Annotated
from urllib.parse import unquote

from pydantic import Field

from searchsocket.content.mirror import parse_page, render_page
from searchsocket.content.pages import Page
from searchsocket.errors import IndexCorrupt, PageMissing
from searchsocket.search.quoting.results import href
from searchsocket.search.versions import page_in, scope_of, stored_at
from searchsocket.search.wire import (
    Address,
    ChangedSince,
    Resolution,
    RouteFile,
    Url,
    Wire,
    absent_if_empty,
    absent_if_none,
)
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.types import Generation
from searchsocket.web.urls.paths import ancestors, below_base, canonical_path, page_readings, path_with_query
from searchsocket.web.urls.resolve import AT_ROOT, SiteBase
from searchsocket.web.urls.site import site_path

_MAX_SUGGESTIONS = 5
_MAX_WORDS = 10  # of a wrong path: a miss must cost no more than a query
_MAX_CHARS = 200
_MAX_ABOVE = 12  # parent folders to check, from the nearest
_NEAR = 0.5  # minimum share of a page name's letter triples that occur in the requested path
_BETWEEN = re.compile(r"[-_.\s]+")  # words of a name
_SLASH = re.compile("%2f", re.IGNORECASE)
_SOURCE_KEYS = ("routeFile: ", "routeResolution: ", "sourceFile: ", "sourceLines: ")


@dataclass(frozen=True, slots=True)
class PageAnswer(Wire):
    """One page of the mirror: what the index saw."""

    url: Url
    href: Address
    title: str
    description: str
    scope: str
    generation: str
    tags: tuple[str, ...]
    language: str
    modified: str
    incoming_links: int
    outgoing_links: int
    route_file: RouteFile
    route_resolution: Resolution
    changed_since: ChangedSince
    markdown: Annotated[str, Field(description="The page's text, without front matter.")]
    truncated: Annotated[bool, absent_if_empty("True if `maxTokens` cut the text.")] = False
    continuation_token: Annotated[
        str | None,
        absent_if_none("Gets the rest of the text; absent if there is none."),
    ] = None
    published_at: Annotated[str, Field(exclude=True)] = ""  # time of the generation


@dataclass(frozen=True, slots=True)
class PagePart:
    """Part of a page's text."""

    markdown: str
    is_first: bool
    token: str | None  # gets the next part; None at the end


@dataclass(frozen=True, slots=True)
class IndexedPage:
    """A page and the generation that contains it."""

    page: Page
    generation: Generation
    changed_since: bool | None = None  # see `SourceChanges`

    def markdown(self, part: PagePart | None = None, *, sources: bool) -> str:
        """Return the mirror file or a part of it: front matter, then Markdown; source paths only if `sources`."""
        head, mark, body = render_page(self.page).partition("\n---\n\n")
        if part:
            body = part.markdown if part.token else f"{part.markdown}\n"
            if not part.is_first:
                return body
        lines = (
            head.split("\n") if sources else [line for line in head.split("\n") if not line.startswith(_SOURCE_KEYS)]
        )
        return "\n".join(lines) + mark + body

    def answer(self, part: PagePart | None = None) -> PageAnswer:
        """Return the answer with the page, or a part of it."""
        page, facts = self.page, self.page.facts
        return PageAnswer(
            url=facts.url,
            href=href(facts),
            title=facts.title,
            description=facts.description,
            scope=page.scope,
            generation=self.generation.name,
            tags=facts.tags,
            language=facts.language,
            modified=facts.modified,
            incoming_links=facts.incoming_links,
            outgoing_links=page.outgoing_links,
            route_file=facts.route_file or None,
            route_resolution=facts.route_resolution,
            changed_since=self.changed_since,
            markdown=part.markdown if part else page.body,
            truncated=part is not None and part.token is not None,
            continuation_token=part.token if part else None,
            published_at=self.generation.published_at,
        )


def find_page(path: str, reader: IndexReader, *, is_segment: bool = False, site: SiteBase = AT_ROOT) -> IndexedPage:
    """Find the page of a URL path, an absolute URL, a Markdown file (`/docs/start.md`), or an old URL of the page.

    The page is read from the generation, not from the mirror folder, which a later run may have changed.

    Args:
        path: Percent-encoded, as in a URL.
        is_segment: The path may be one segment of a longer URL, `docs%2Fstart`, as generated clients write it.
        site: Base path and host of the site.

    Raises:
        PageMissing: There is no such page; the error names similar ones.
        InvalidRequest: The path is invalid, or the URL is of another host.
        PageTextsMissing: An older version published the index, without texts.
        IndexCorrupt: The stored text belongs to another page.
    """
    # An encoded slash usually means a slash: few page names contain one.
    readings = [unquote(path, errors="surrogateescape"), path] if is_segment and _SLASH.search(path) else [path]
    readings = [site_path(reading, site) for reading in readings]
    paths = [path for reading in readings for path in below_base(canonical_path("/" + reading.lstrip("/")), site.path)]
    if query := path.partition("#")[0].partition("?")[2]:
        paths = [*(path_with_query(path, query) for path in paths), *paths]
    urls = [url for path in paths for url in _spellings(path)]
    aliases = reader.generation.aliases
    for url in (*urls, *(aliases[url] for url in urls if url in aliases)):
        if page := _page(url, reader):
            return IndexedPage(page, reader.generation)
    families = reader.generation.versions
    for name, (stored_url, label) in ((url, stored) for url in urls for stored in stored_at(url, families)):
        if (page := _page(stored_url, reader)) and label in page.facts.facets:
            return IndexedPage(replace(page, facts=page_in(page.facts, scope_of(name, families))), reader.generation)
    raise PageMissing(path, suggestions(readings[0], reader))


def _page(url: str, reader: IndexReader) -> Page | None:
    """Return the page that is stored at a URL; None if there is none."""
    if (text := reader.catalogue.page_body(url)) is None:
        return None
    page = parse_page(text)
    if page.facts.url != url:
        raise IndexCorrupt(f"the text of {url} belongs to {page.facts.url}")
    # Pages that several scopes share are stored once, with the name of the scope that wrote them first.
    return replace(page, scope=reader.generation.scope)


def suggestions(path: str, reader: IndexReader) -> list[str]:
    """Suggest pages for a wrong path: search hits with a similar name, and the nearest parent folder."""
    url = canonical_path("/" + path.lstrip("/")).removesuffix(".md")
    folders = [folder for folder in ancestors(url)[1:-1] if folder != "/"][: -_MAX_ABOVE - 1 : -1]
    above = next((folder for folder in folders if reader.catalogue.page_records(folder)), None)
    last = " ".join(url.split("/")[-3:]).replace("-", " ").replace("_", " ")
    words = " ".join(last.split()[:_MAX_WORDS])[:_MAX_CHARS]
    hits = reader.words.search(words, top_k=4 * _MAX_SUGGESTIONS) if words else []
    triples = _triples(words)
    urls = (record.page.url for record in reader.catalogue.records([hit.id for hit in hits]))
    near = [url for url in urls if _is_near(url, triples)]
    return list(dict.fromkeys([*near, *([above] if above else [])]))[:_MAX_SUGGESTIONS]


def _is_near(url: str, triples: set[str]) -> bool:
    """Return True if the name of a page is similar to the requested one."""
    own = _triples(url.rpartition("/")[2])
    return len(own & triples) >= _NEAR * len(own) > 0


def _triples(text: str) -> set[str]:
    """Return all letter triples of the words; the ends of a word count as letters."""
    spaced = f" {_BETWEEN.sub(' ', text.lower())} "
    return {spaced[at : at + 3] for at in range(len(spaced) - 2)}


def _spellings(url: str) -> list[str]:
    """Return the URL paths that a URL may mean, for an address of the site or of a Markdown file."""
    if not url.endswith(".md"):
        return [*page_readings(url)]
    bare = url.removesuffix(".md")
    folder = [bare.removesuffix("/index") or "/"] if bare.endswith("/index") else []
    return [url, bare, *folder]
