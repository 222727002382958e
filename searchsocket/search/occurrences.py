"""Find every occurrence of words or a phrase, in the text of the pages that the word index lists.

The text of a page is on the lines of its Markdown. An answer continues with a token.
"""

import hashlib
import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, NamedTuple

from pydantic import Field

from searchsocket.content.markdown.text import inline_text
from searchsocket.content.mirror import parse_page
from searchsocket.errors import ContinuationGone, InvalidRequest
from searchsocket.search.answer import Note
from searchsocket.search.bounds import MAX_OCCURRENCES
from searchsocket.search.continuation import Continuations, check_bounds, fitting
from searchsocket.search.filters import Filters
from searchsocket.search.notes import language_notes
from searchsocket.search.query import SearchQuery, checked, in_index
from searchsocket.search.quoting.results import href, short_title
from searchsocket.search.versions import VersionScope, page_in
from searchsocket.search.wire import Age, Href, Marks, Url, Wire, absent_if_empty
from searchsocket.stores.base.index_reader import IndexReader, Letters
from searchsocket.text.amounts import age_s
from searchsocket.text.facets import NO_FACETS, Facets
from searchsocket.text.words import plain_words, readable_markdown
from searchsocket.types import Generation

MAX_PAGES_READ = 20_000  # takes about 1 s; words on more pages are too common to search for
Span = tuple[int, int]
_OF_PROCESS = Continuations()
MAX_CHARS = 400
_KIND = "find"

_BEFORE, _AFTER = 60, 120
_HEADING = re.compile(r"(#{1,6}) (.*?)(?: \{#([^{}\s]*)\})?$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_RUN = re.compile("[a-z]+")
_INDEXED = range(3, 33)  # lengths of the words in the vocabulary of a record


@dataclass(frozen=True, slots=True)
class FindQuery:
    """Words or a phrase to find literally."""

    q: str
    limit: int = 20  # occurrences: 1 to 100
    whole_words: bool = True
    match_case: bool = False
    path_prefix: str = ""
    tags: tuple[str, ...] = ()
    filters: Filters = ()
    version: tuple[str, ...] = ()  # as in `SearchQuery`
    continuation: str = ""  # of the previous answer; "": start with the first occurrence
    max_tokens: int | None = None  # of text, approximate; None: only `limit` applies

    @property
    def identity(self) -> tuple[object, ...]:
        """The text and filters of the request, without limits and continuation."""
        return self.q, self.whole_words, self.match_case, self.path_prefix, self.tags, self.filters, self.version


@dataclass(frozen=True, slots=True)
class Occurrence(Wire):
    """An occurrence of the words on a page."""

    url: Url
    href: Href
    anchor: str
    title: str
    section_title: str
    line: Annotated[
        int, Field(ge=1, description="Line number in the page's Markdown, as the pages endpoint returns it.")
    ]
    snippet: str
    marks: Marks


@dataclass(frozen=True, slots=True)
class FindAnswer(Wire):
    """Occurrences in the order of pages and, on a page, of its text."""

    q: str  # after normalization
    scope: str
    generation: str
    age_seconds: Age
    total: Annotated[int, Field(ge=0, description="Number of occurrences on all pages that match the filters.")]
    pages: Annotated[int, Field(ge=0, description="Number of pages with an occurrence.")]
    occurrences: tuple[Occurrence, ...]
    continuation: Annotated[str | None, Field(description="Gets the next occurrences; null at the end.")]
    truncated: Annotated[bool, Field(description="True if `maxTokens` ended the answer before `limit`.")]
    notes: Annotated[tuple[Note, ...], absent_if_empty("Reasons why nothing can match.")] = ()


def continuation_of(request: Sequence[object], generation: Generation, offset: int, words: Continuations) -> str:
    """Return the token for the occurrences after the first `offset` ones.

    Args:
        request: The text and filters of the request; plain values.
    """
    return words.make_token(_KIND, generation, _digest(request), offset)


def offset_of(continuation: str, request: Sequence[object], generation: Generation, words: Continuations) -> int:
    """Return the number of occurrences in previous answers.

    Raises:
        ContinuationGone: The token is not valid, or belongs to another query or a generation that is not live.
    """
    if not continuation:
        return 0
    digest, offset = words.position(continuation[:MAX_CHARS], _KIND, generation)
    if digest != _digest(request):
        raise ContinuationGone("the continuation belongs to another query; send it with the same words and filters")
    return offset


def _digest(request: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(request).encode("utf-8", "replace")).hexdigest()[:16]


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


class Heading(NamedTuple):
    """A heading of a page."""

    line: int  # from 0
    anchor: str  # "" if it has none
    title: str


class OccurrenceText(NamedTuple):
    """Text around an occurrence, on the occurrence's own lines."""

    text: str
    start: int  # of the occurrence in `text`
    end: int


def page_text(mirror: str) -> str:
    """Return the readable text of a page's mirror file, with the line breaks of its Markdown."""
    return readable_markdown(mirror.partition("\n---\n\n")[2])


def passage_at(text: str, start: int, end: int) -> OccurrenceText:
    """Return the occurrence with the text before and after it, cut between words."""
    first = max(text.rfind("\n", 0, start) + 1, start - _BEFORE)
    stop = text.find("\n", end)
    last = min(stop if stop >= 0 else len(text), end + _AFTER)
    while first < start and first > 0 and not text[first - 1].isspace():
        first += 1
    while last > end and last < len(text) and not text[last].isspace():
        last -= 1
    while first < start and text[first].isspace():
        first += 1
    return OccurrenceText(text[first:last].rstrip(), start - first, end - first)


def headings(markdown: str) -> list[Heading]:
    """Return the headings of a page's Markdown, outside of code."""
    return list(_headings(markdown))


def _headings(markdown: str) -> Iterator[Heading]:
    fence = ""
    for number, line in enumerate(markdown.split("\n")):
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif not fence and (heading := _HEADING.match(line)):
            yield Heading(number, heading[3] or "", inline_text(heading[2]))


def heading_above(headings: list[Heading], line: int) -> Heading:
    """Return the nearest heading with an anchor at or above a line; an empty one at the top of a page."""
    above = bisect_right(headings, line, key=lambda heading: heading.line)
    return next((heading for heading in headings[:above][::-1] if heading.anchor), Heading(0, "", ""))


@dataclass(frozen=True, slots=True)
class Spelling:
    """Words in a fixed order, with any white space between them."""

    text: str  # one line; single spaces, unless it is literal
    whole_words: bool = True  # an occurrence starts and ends at word boundaries
    match_case: bool = False
    literal: bool = False  # white space must match too

    @property
    def pattern(self) -> re.Pattern[str]:
        """Pattern of an occurrence."""
        parts = [self.text] if self.literal else self.text.split()
        pattern = r"\s+".join("".join(map(self._char, part)) for part in parts)
        if not self.whole_words:
            return re.compile(pattern)
        start = r"(?<!\w)" if re.match(r"\w", self.text) else ""
        end = r"(?!\w)" if re.match(r"\w", self.text[-1]) else ""
        return re.compile(start + pattern + end)

    @property
    def letters(self) -> Sequence[Letters]:
        """Letters that every page with an occurrence contains. Other pages may too; an empty list matches all pages."""
        if self.whole_words:
            return [Letters(word) for word in plain_words(self.text)]
        if not self.text.isascii():
            return []
        text = self.text.lower()
        runs = (run for run in _RUN.finditer(text) if len(run[0]) in _INDEXED)
        return [Letters(run[0], run.start() > 0 and run.end() < len(text)) for run in runs]

    def _char(self, char: str) -> str:
        # `re.IGNORECASE` would match the Kelvin sign with a k, unlike the index.
        cases = {char} if self.match_case else {case for case in (char, char.lower(), char.upper()) if len(case) == 1}
        return re.escape(char) if len(cases) == 1 else f"[{''.join(map(re.escape, sorted(cases)))}]"
