"""Search query, normalized and validated before any work is done, and its cost."""

import re
import unicodedata
from dataclasses import dataclass, replace

from searchsocket.errors import InvalidRequest
from searchsocket.search.bounds import MAX_QUERY_CHARS, MAX_TOP_K
from searchsocket.search.filters import (
    Filters,
    checked_counts,
    checked_filters,
    checked_language,
    with_filters,
    with_stated_values,
)
from searchsocket.search.versions import NO_VERSIONS, VersionScope, checked_versions, searched_versions
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.text.facets import NO_FACETS, Facets
from searchsocket.text.words import parse_query
from searchsocket.types import Filter, GroupBy
from searchsocket.web.urls.paths import canonical_path, normalise_prefix, page_path

MAX_OFFSET = 1_000  # the maximum number of candidates
MAX_GENERATION_CHARS = 100
MAX_TAGS = 20
MAX_TAG_CHARS = 200
_MAX_RAW_CHARS = 4 * MAX_QUERY_CHARS  # a longer query is refused before it is normalized
# Joiners stay: they join emoji sequences and the letters of some scripts.
_JOINERS = "\u200c\u200d"
_SPACE = re.compile(r"\s+")
# Costs, fitted to the CPU times of 50 kinds of query over the PostgreSQL manual (docs/notes/performance.md).
_BASE_COST = 0.5
_WORD_COST = 0.03  # to look up, and to count in pages
_QUOTED_COST = 0.02  # per page or section to read and cut
_MARKED_COST = 0.002  # per page and marked word
_FILTER_COST = 0.05
_SCAN_OF_100_000 = 1.1  # to scan the vectors of 100,000 records
_WORD_OF_100_000 = 0.1
_MAX_MARKED = 32  # words and parts, see `marks.QueryWords`
_RELATED_COST = 0.4
_CHUNK_SHARE = 0.5  # compared with a page, which has several sections


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """One question to one scope (spec 14.1)."""

    q: str
    top_k: int = 10  # results: pages, or chunks when grouped by chunk; 1..100
    path_prefix: str = ""  # a directory of the site, see `Filter`
    tags: tuple[str, ...] = ()  # a page must carry all of them
    group_by: GroupBy = "page"
    explain: bool = False  # return every part of every score
    filters: Filters = ()  # language, kind and facets
    prefer_language: str = ""  # of the visitor; selects the translation of a page to show
    version: tuple[str, ...] = ()  # names or aliases, `all`, or a page's path for its version; () = the default
    facets: tuple[str, ...] = ()  # facets whose values are counted
    offset: int = 0  # results to skip: those of previous answers
    generation: str = ""  # of the previous answers; the answer has a note if another one is live
    rerank: bool = False  # score the best candidates with the reranker
    section_snippets: bool = False  # quote the sections of each page too; else only link them
    within: VersionScope = NO_VERSIONS  # `version` resolved in the generation that answers, see `in_index`
    typed: str = ""  # the text with the words that it excludes, see `WordSnapshot.satisfying`; "": as `q`
    sources: bool = False  # return the file and lines of each passage; only for trusted callers

    @property
    def where(self) -> Filter:
        """The filter, for a query that `checked` returned."""
        labels, directories = self.within.labels, self.within.directories
        where = Filter("" if directories else self.path_prefix, self.tags, directories=directories)
        where = with_filters(where, self.filters) if self.filters else where
        return replace(where, facets=(*where.facets, labels)) if labels else where


def checked(query: SearchQuery, facets: Facets = NO_FACETS) -> SearchQuery:
    """Return the query with a normalized text and a canonical prefix, after a check of every limit.

    Args:
        facets: The configured facets.

    Raises:
        InvalidRequest: The normalized text is empty, or a value is out of range.
        UnknownFacet: A facet is not configured.
    """
    if not 1 <= query.top_k <= MAX_TOP_K:
        raise InvalidRequest(f"topK must be from 1 to {MAX_TOP_K}, not {query.top_k}")
    if not 0 <= query.offset <= MAX_OFFSET:
        raise InvalidRequest(f"offset must be from 0 to {MAX_OFFSET}, not {query.offset}")
    if query.group_by not in ("page", "chunk"):
        raise InvalidRequest("groupBy must be 'page' or 'chunk'")
    return SearchQuery(
        q=clean_text(query.q),
        top_k=query.top_k,
        path_prefix=normalise_prefix(page_path(canonical_path(query.path_prefix))),
        tags=_clean_tags(query.tags),
        group_by=query.group_by,
        explain=query.explain,
        filters=checked_filters(query.filters, facets),
        prefer_language=checked_language(query.prefer_language, "preferLanguage") if query.prefer_language else "",
        version=checked_versions(query.version),
        facets=checked_counts(query.facets, facets),
        offset=query.offset,
        generation=query.generation,
        rerank=query.rerank,
        section_snippets=query.section_snippets,
        sources=query.sources,
    )


def in_index(query: SearchQuery, reader: IndexReader, facets: Facets = NO_FACETS) -> SearchQuery:
    """Resolve the versions and comparisons of a query in the generation that answers.

    Args:
        facets: The configured facets.

    Raises:
        UnknownVersion: The site has no version with this name.
    """
    within = searched_versions(query.version, query.path_prefix, reader.generation.versions)
    filters = with_stated_values(query.filters, facets, reader.catalogue.facet_labels)
    return (
        query if (within, filters) == (query.within, query.filters) else replace(query, within=within, filters=filters)
    )


def clean_text(text: str) -> str:
    """Normalize the text of a query: NFC, on one line, without control and invisible characters.

    Raises:
        InvalidRequest: The result is empty, or longer than 1,000 characters.
    """
    if len(text) > _MAX_RAW_CHARS:
        raise InvalidRequest(f"the query has {len(text)} characters; the limit is {MAX_QUERY_CHARS}")
    if not (text.isascii() and text.isprintable()):
        text = "".join(map(_visible, unicodedata.normalize("NFC", text)))
    clean = _SPACE.sub(" ", text).strip()
    if not clean.strip(_JOINERS + " "):
        raise InvalidRequest("the query is empty")
    if len(clean) > MAX_QUERY_CHARS:
        raise InvalidRequest(f"the query has {len(clean)} characters; the limit is {MAX_QUERY_CHARS}")
    return clean


def _visible(char: str) -> str:
    """Return the character; a space for a control character; "" for one that cannot be seen or encoded."""
    if char.isascii():
        return char if char.isprintable() else " "
    category = unicodedata.category(char)
    if category == "Cc":
        return " "
    return "" if category in ("Cf", "Cs") and char not in _JOINERS else char


def _clean_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    if len(tags) > MAX_TAGS:
        raise InvalidRequest(f"{len(tags)} tags; the limit is {MAX_TAGS}")
    clean = tuple(dict.fromkeys(tag.strip() for tag in tags))
    if any(not tag or len(tag) > MAX_TAG_CHARS for tag in clean):
        raise InvalidRequest(f"a tag must have from 1 to {MAX_TAG_CHARS} characters")
    return clean


def cost_of(query: SearchQuery, records: int) -> float:
    """Return the cost of a query in plain queries: three words, ten pages, no filter.

    Args:
        records: Of the index; a large index makes a plain query more expensive, so further words add less.
    """
    return _units(query, records) / _units(SearchQuery("three plain words"), records)


def related_cost(top_k: int) -> float:
    """Return the cost of a request for `top_k` related pages, in plain queries."""
    return _RELATED_COST * (1 + top_k / 10)


def _units(query: SearchQuery, records: int) -> float:
    parsed = parse_query(query.q)
    words = len(parsed.words) + len(parsed.phrases)
    marked = min(sum(1 + len(word.parts) for word in parsed.words), _MAX_MARKED)
    shown = query.top_k * (1.0 if query.group_by == "page" else _CHUNK_SHARE)
    quoted = shown * (_QUOTED_COST + _MARKED_COST * marked)
    filters = len(query.tags) + bool(query.path_prefix) + len(query.filters) + bool(query.facets)
    scan = records / 100_000 * (_SCAN_OF_100_000 + _WORD_OF_100_000 * words)
    return _BASE_COST + scan + _WORD_COST * words + _FILTER_COST * filters + quoted
