"""Find related pages of a page: by meaning, with a bonus for links and for the same directory."""

import re
from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from searchsocket.errors import InvalidRequest, PageNotFound
from searchsocket.search.answer import RelatedPage
from searchsocket.search.bounds import MAX_TOP_K
from searchsocket.search.quoting.results import href
from searchsocket.search.versions import page_in, scope_of, stored_at
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.types import MATCH_ALL, Filter, PageFacts, Record, Vector, Vectors
from searchsocket.web.urls.paths import canonical_path, page_readings
from searchsocket.web.urls.resolve import resolve_link

_LINKED = 0.15  # the author considers a linked page related
_SAME_DIRECTORY = 0.05
_HITS_PER_PAGE = 5  # chunks fetched per requested page
_MAX_LINKS = 30
_MAX_CHUNKS = 200  # of the page itself: enough for its subject
_LINK = re.compile(r"\]\(<?([^()\s<>]{1,2000})")


def related_pages(reader: IndexReader, url: str, top_k: int) -> list[RelatedPage]:
    """Return at most `top_k` pages related to the page `url`, nearest first; equal scores by URL.

    Raises:
        PageNotFound: The index does not contain the page.
        InvalidRequest: The path is not valid, or `top_k` is out of range.
    """
    if not 1 <= top_k <= MAX_TOP_K:
        raise InvalidRequest(f"topK must be from 1 to {MAX_TOP_K}, not {top_k}")
    path, families = canonical_path(url), reader.generation.versions
    own = _records(reader, path)[:_MAX_CHUNKS]
    if not own:
        raise PageNotFound(f"there is no page {path[:200]!r} in this index")
    url = own[0].page.url
    within = scope_of(path, families)
    mean = _mean(reader.vectors.vectors_of([record.id for record in own]))
    linked_records = {
        records[0].page.url: records[0] for link in _links(own, url) if (records := _records(reader, link))
    }
    where = Filter(facets=(within.labels,)) if within.labels else MATCH_ALL
    hits = reader.vectors.nearest(mean, top_k=top_k * _HITS_PER_PAGE + len(own), where=where)
    near = reader.catalogue.records([hit.id for hit in hits])
    far = list(linked_records.values())
    cosines = [hit.score for hit in hits] + reader.vectors.similarities(mean, [record.id for record in far])
    pages: dict[str, RelatedPage] = {}
    for record, cosine in zip([*near, *far], cosines, strict=True):
        if record.page.url == url or record.page.weight <= 0:
            continue
        page = _page(
            page_in(record.page, within),
            cosine,
            is_linked=record.page.url in linked_records,
            is_neighbour=_folder(record.page.url) == _folder(url),
        )
        if record.page.url not in pages or page.score > pages[record.page.url].score:
            pages[record.page.url] = page
    return sorted(pages.values(), key=lambda page: (-page.score, page.url))[:top_k]


def _records(reader: IndexReader, path: str) -> Sequence[Record]:
    """Return the records of the page at a canonical path; empty if there is no such page."""
    catalogue = reader.catalogue
    for url in page_readings(path):
        if records := catalogue.page_records(url):
            return records
        for stored_url, label in stored_at(url, reader.generation.versions):
            records = catalogue.page_records(stored_url)
            if records and label in records[0].page.facets:
                return records
    return []


def _page(facts: PageFacts, cosine: float, *, is_linked: bool, is_neighbour: bool) -> RelatedPage:
    meaning = min(max(0.0, cosine), 1.0)  # this order turns a NaN into 0
    score = (meaning + _LINKED * is_linked + _SAME_DIRECTORY * is_neighbour) / (1 + _LINKED + _SAME_DIRECTORY)
    return RelatedPage(
        url=facts.url,
        href=href(facts),
        title=facts.title,
        description=facts.description,
        score=round(score, 6),
        meaning=round(meaning, 6),
        is_linked=is_linked,
        is_neighbour=is_neighbour,
        tags=facts.tags,
        route_file=facts.route_file or None,
        route_resolution=facts.route_resolution,
    )


def _mean(vectors: Vectors) -> Vector:
    """Return the mean of the vectors at unit length; the first vector if they cancel out."""
    total: NDArray[np.float64] = np.asarray(vectors.sum(axis=0, dtype=np.float64))
    length = float(np.linalg.norm(total))
    return np.asarray(total / length, dtype=np.float32) if length > 1e-6 else vectors[0].copy()


def _links(records: Iterable[Record], url: str) -> list[str]:
    """Return the pages that the Markdown of a page links to, in order and without repetition."""
    targets = (match[1] for record in records for match in _LINK.finditer(record.chunk.body.text))
    resolved = (resolve_link(target, url) for target in islice(targets, 10 * _MAX_LINKS))
    return list(dict.fromkeys(link for link in resolved if link and link != url))[:_MAX_LINKS]


def _folder(url: str) -> str:
    return url.rpartition("/")[0]
