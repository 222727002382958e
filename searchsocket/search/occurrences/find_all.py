"""Find every occurrence of words or a phrase, in the text of the pages that the word index lists."""

from collections.abc import Iterator
from datetime import datetime

from searchsocket.content.mirror import parse_page
from searchsocket.errors import InvalidRequest
from searchsocket.search.bounds import MAX_OCCURRENCES
from searchsocket.search.content.budget import check_bounds, fitting
from searchsocket.search.continuation import Continuations
from searchsocket.search.notes import language_notes
from searchsocket.search.occurrences.answer import FindAnswer, FindQuery, Occurrence, continuation_of, offset_of
from searchsocket.search.occurrences.page_text import heading_above, headings, page_text, passage_at
from searchsocket.search.occurrences.spelling import Spelling
from searchsocket.search.query import SearchQuery, checked, in_index
from searchsocket.search.quoting.results import href, short_title
from searchsocket.search.versions import VersionScope, page_in
from searchsocket.stores.base import IndexReader
from searchsocket.text.amounts import age_s
from searchsocket.text.facets import NO_FACETS, Facets

MAX_PAGES_READ = 20_000  # takes about 1 s; words on more pages are too common to search for
Span = tuple[int, int]
_OF_PROCESS = Continuations()


def find_all(
    reader: IndexReader, query: FindQuery, now: datetime, facets: Facets = NO_FACETS, words: Continuations = _OF_PROCESS
) -> FindAnswer:
    """Return some of the occurrences in page order, and their total number.

    Raises:
        InvalidRequest: The text or a limit is not valid, or too many pages would have to be read.
        ContinuationGone: The token is not valid, or belongs to another query or generation.
        UnknownFacet: A facet is not configured.
        UnknownVersion: The site has no such version.
        PageTextsMissing: An older version published the index, without texts.
    """
    if not 1 <= query.limit <= MAX_OCCURRENCES:
        raise InvalidRequest(f"limit must be from 1 to {MAX_OCCURRENCES}, not {query.limit}")
    check_bounds(None, query.max_tokens)
    search_query = SearchQuery(
        query.q, path_prefix=query.path_prefix, tags=query.tags, filters=query.filters, version=query.version
    )
    checked_query = in_index(checked(search_query, facets), reader, facets)
    spelling = Spelling(checked_query.q, query.whole_words, query.match_case)
    offset = offset_of(query.continuation, query.identity, reader.generation, words)
    urls = reader.words.pages_with(spelling.letters, where=checked_query.where)
    if len(urls) > MAX_PAGES_READ:
        raise InvalidRequest(
            f"{checked_query.q[:40]!r} may be on {len(urls)} pages, and at most {MAX_PAGES_READ} can be read; "
            "add words or a directory"
        )
    total = pages = 0
    occurrences: list[Occurrence] = []
    pattern = spelling.pattern
    for url in urls:
        mirror = reader.catalogue.page_body(url) or ""
        text = page_text(mirror)
        spans = [match.span() for match in pattern.finditer(text)]
        in_page = spans[max(offset - total, 0) :][: query.limit - len(occurrences)]
        if in_page:
            occurrences += _occurrences(mirror, text, in_page, checked_query.within)
        total, pages = total + len(spans), pages + bool(spans)
    fitting_occurrences = fitting(occurrences, _text, query.max_tokens) if query.max_tokens else occurrences
    generation, last = reader.generation, offset + len(fitting_occurrences)
    return FindAnswer(
        q=checked_query.q,
        scope=generation.scope,
        generation=generation.name,
        age_seconds=age_s(generation.published_at, now),
        total=total,
        pages=pages,
        occurrences=tuple(fitting_occurrences),
        continuation=continuation_of(query.identity, generation, last, words) if occurrences and last < total else None,
        truncated=len(fitting_occurrences) < len(occurrences),
        notes=language_notes(reader, checked_query.filters),
    )


def _text(occurrence: Occurrence) -> str:
    return f"{occurrence.title} {occurrence.section_title} {occurrence.snippet}"


def _occurrences(mirror: str, text: str, spans: list[Span], within: VersionScope) -> Iterator[Occurrence]:
    page = parse_page(mirror)
    facts = page_in(page.facts, within)
    above = headings(page.body)
    for start, end in spans:
        line = text.count("\n", 0, start)
        heading, passage = heading_above(above, line), passage_at(text, start, end)
        yield Occurrence(
            url=facts.url,
            href=href(facts, heading.anchor),
            anchor=heading.anchor,
            title=short_title(page.facts.title),
            section_title=short_title(heading.title),
            line=line + 1,
            snippet=passage.text,
            marks=((passage.start, passage.end),),
        )
