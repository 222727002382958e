"""Pages and chunks put into a state through its own verbs, up to the step that a test is about."""

from collections.abc import Callable

from searchsocket.content.chunking.records import CutChunk, cut_chunks, hash_of
from searchsocket.content.pages import ExtractedPage, Link, RawPage
from searchsocket.state.chunks import chunk_key
from searchsocket.state.extracts import extract_key
from searchsocket.state.scope import ScopeState
from searchsocket.types import Chunk, Generation, PageFacts, Prose, Scope, Section

SCOPE = Scope("museum", "main")
HOW = hash_of("extractor and settings")
Damage = Callable[[str], None]


def digest_of_file(url: str) -> str:
    """Of the mirror file that `mirrored` writes."""
    return hash_of(f"digest of {url}")


def raw(url: str, stamp: str = "1") -> RawPage:
    return RawPage(url, url, f"{url}.html", stamp, "html")


def listed(state: ScopeState, *urls: str, text: str = "") -> None:
    """As if a source had these pages, each of which says its URL and `text`."""
    listed_pages = state.pages.see(urls)
    for url in urls:
        state.pages.put(raw(url), hash_of(url + text), len(url + text), listed_pages.get(url))


def number(state: ScopeState, url: str) -> int:
    """Of a known page."""
    pages = state.extracts.pages(state.extracts.stale(HOW, everything=True))
    return next(page.id for page in pages if page.raw.url == url)


def extracted(
    state: ScopeState, url: str, *links: str, body: str = "", skip: str = "", redirect_to: str = "", **facts: str
) -> int:
    """A page that is listed and says something; its number."""
    if not state.pages.see([url]).get(url):
        listed(state, url)
    page_id = number(state, url)
    page = ExtractedPage(
        body=body, tags=("boats",), skip=skip, redirect_to=redirect_to,
        links=tuple(Link(link, f"to {link}") for link in links), **{"title": f"Title of {url}", **facts},
    )  # fmt: skip
    state.extracts.put(page_id, extract_key(raw(url), hash_of(url), HOW), page)
    return page_id


def mirrored(state: ScopeState, url: str, *links: str, digest: str = "") -> int:
    """A page whose mirror file was written; its number."""
    page_id = extracted(state, url, *links)
    write(state, page_id, digest or digest_of_file(url))
    return page_id


def write(state: ScopeState, page_id: int, digest: str) -> None:
    state.mirror.set_written(
        page_id, digest=digest, stamp="10:1", generated_at="2026-01-01T00:00:00Z", route_resolution="exact"
    )


def chunked(state: ScopeState, url: str, *texts: str) -> int:
    """A page with one chunk for every text; how many texts are new on it."""
    page_id = number(state, url) if state.pages.see([url]) else mirrored(state, url)
    chunks = cut(url, *texts)
    return state.chunks.replace(
        page_id, chunk_key(digest_of_file(url), HOW), chunks, [len(text.split()) for text in texts]
    )


def cut(url: str, *texts: str) -> list[CutChunk]:
    page = PageFacts(url=url, title="")
    return cut_chunks(
        page, [Chunk(i, "section", Prose(text), Section((), "", "", 0)) for i, text in enumerate(texts)], SCOPE, "m"
    )


def generation(records: int, name: str = "20260101T000000Z-abcdef") -> Generation:
    return Generation(name, "main", "museum", "m", 2, "2026-01-01T00:00:00Z", records, 1, "digest", {})


def dirty(state: ScopeState) -> set[str]:
    """URLs of the pages whose mirror file may have to change."""
    return {state.mirror.page(page_id).url for page_id in state.mirror.dirty()}
