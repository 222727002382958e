"""Turn ranked chunks into the results that callers get."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from html import escape
from typing import NamedTuple
from urllib.parse import quote

import numpy as np

from searchsocket.content.markdown.chunk_text import ChunkText, Opening
from searchsocket.search.answer import AlikePage, Explanation, FeaturePart, Result, SectionResult
from searchsocket.search.quoting.lines import mirror_of, source_of
from searchsocket.search.quoting.marks import Mark, QueryWords
from searchsocket.search.quoting.passage import (
    SectionScorer,
    Window,
    beginning,
    below_title,
    opening_of,
    section_called,
    window,
)
from searchsocket.search.ranking.rank import MAX_SECTIONS, PageGroup, Parts, Ranked, parts_of_sum, weights_of
from searchsocket.search.versions import NO_VERSIONS, VersionScope, page_versions
from searchsocket.stores.base.index_reader import ReadableRecord
from searchsocket.text.graphemes import safe_cut
from searchsocket.text.hidden import hidden_positions
from searchsocket.types import Generation, PageFacts, Record, Scores

_DIGITS = 6
# Fields that a result copies from its page.
_PAGE_FIELDS = [
    each.name
    for each in fields(Result)
    if each.name in {fact.name for fact in fields(PageFacts)} - {"url", "title", "route_file"}
]
_FRAGMENT_SAFE = "!$&()*+,;=:@/?-._~"
MAX_CHARS = 240
_ELLIPSIS = "…"
_CODE_RUN = re.compile("c+")
_Range = tuple[int, int]
_Ranges = Sequence[_Range]


class Snippet(NamedTuple):
    """Plain text of a passage: prose on one line, and a line per row, item, heading or line of code.

    Ranges are half-open, ascending and disjoint.
    """

    text: str
    marks: tuple[_Range, ...] = ()
    code: tuple[_Range, ...] = ()  # whole lines
    is_answer: bool = True  # False: only headings, labels, signatures and links

    @property
    def html(self) -> str:
        """Escaped text with `<mark>` around each mark, `<pre><code>` around code, `<br>` between other lines."""
        if not self.code and "\n" not in self.text:
            return self._marked_html(0, len(self.text))
        parts, at = list[str](), 0
        for start, end in self.code:
            parts += [self._marked_html(at, max(start - 1, at)).replace("\n", "<br>")] if start else []
            parts += ["<pre><code>", self._marked_html(start, end), "</code></pre>"]
            at = min(end + 1, len(self.text))
        parts.append(self._marked_html(at, len(self.text)).replace("\n", "<br>"))
        return "".join(parts)

    def _marked_html(self, at: int, until: int) -> str:
        text, parts = self.text, list[str]()
        for start, end in self.marks:
            if at <= start and end <= until:
                parts += text[at:start], "<mark>", text[start:end], "</mark>"
                at = end
        parts.append(text[at:until])
        # Most text contains none of these, and five searches for one character are faster than a pattern of all.
        if "'" in text or '"' in text or "<" in text or ">" in text or "&" in text:
            parts[::2] = map(escape, parts[::2])
        return "".join(parts)


def excerpt(chunk_text: ChunkText, marks: Sequence[Mark], part: Window) -> Snippet:
    """Return the snippet for a part of a chunk's text, with the marks inside it."""
    start, end, is_cut_before, is_cut_after = part
    text, starts = chunk_text.text[start:end], chunk_text.starts
    first = bisect_right(starts, start) - 1
    kinds = chunk_text.kinds[max(first, 0) : bisect_left(starts, end)]
    among = marks[bisect_left(marks, (start,)) : bisect_left(marks, (end,))]
    inside: _Ranges = [(a - start, b - start) for a, b, _ in among if b <= end]
    code: _Ranges = ()
    if "\n" in text and "pp" in kinds:
        text = _join_paragraphs(text, start, kinds, starts[first:])
    if "c" in kinds:
        code = _code(len(text), start, kinds, starts[first:])
        if any(text[at] == " " for at, _ in code):
            text, inside, code = _without_indent(text, inside, code)
    if hidden := hidden_positions(text):
        text, inside, code = _without(hidden, text, inside, code)
    if is_cut_before:
        text = _ELLIPSIS + text
        inside = [(a + 1, b + 1) for a, b in inside]
        code = [(a and a + 1, b + 1) for a, b in code]
    if is_cut_after:
        code = [(a, b + (b == len(text))) for a, b in code]
        text += _ELLIPSIS
    return Snippet(text, tuple(inside), tuple(code), bool(kinds.strip("hfn")))


def _join_paragraphs(text: str, start: int, kinds: str, starts: Sequence[int]) -> str:
    """Join neighbouring paragraphs into one line; other units keep their own lines."""
    parts, at = list[str](), 0
    for unit in range(1, len(kinds)):
        begin = starts[unit] - start
        if text[begin - 1] == "\n" and kinds[unit - 1] == kinds[unit] == "p":
            parts.append(text[at : begin - 1])
            at = begin
    return " ".join([*parts, text[at:]])


def _code(size: int, start: int, kinds: str, starts: Sequence[int]) -> list[_Range]:
    """Return the ranges of code lines, adjacent lines as one range."""
    ends = [unit - start - 1 for unit in starts[1 : len(kinds)]] + [size]
    runs = [run.span() for run in _CODE_RUN.finditer(kinds)]
    return [(ends[first - 1] + 1 if first else 0, ends[last - 1]) for first, last in runs]


def _without(positions: Sequence[int], text: str, marks: _Ranges, code: _Ranges) -> tuple[str, _Ranges, _Ranges]:
    """Remove the characters at some positions, and move the ranges."""
    removed = frozenset(positions)

    def move(ranges: _Ranges) -> list[_Range]:
        return [(a - bisect_left(positions, a), b - bisect_left(positions, b)) for a, b in ranges]

    return "".join(char for at, char in enumerate(text) if at not in removed), move(marks), move(code)


def _without_indent(text: str, marks: _Ranges, code: _Ranges) -> tuple[str, list[_Range], list[_Range]]:
    """Remove the indentation that all lines of a run of code share, and move the ranges."""
    cuts, removed = list[int](), [0]  # starts of code lines, and the number of characters removed up to each
    parts, at = list[str](), 0
    for start, end in code:
        lines = text[start:end].split("\n")
        indent = min(len(line) - len(line.lstrip(" ")) for line in lines)
        for line in lines:
            cuts.append(start)
            removed.append(removed[-1] + indent)
            parts.append(text[at:start])
            at, start = start + indent, start + len(line) + 1
    parts.append(text[at:])
    return (
        "".join(parts),
        [(a - removed[bisect_right(cuts, a)], b - removed[bisect_left(cuts, b)]) for a, b in marks],
        [(a - removed[bisect_left(cuts, a)], b - removed[bisect_left(cuts, b)]) for a, b in code],
    )


@lru_cache(maxsize=1 << 12)
def _fragment(anchor: str) -> str:
    return quote(anchor, safe=_FRAGMENT_SAFE, errors="replace")


def href(page: PageFacts, anchor: str = "") -> str:
    """Return the link to a page at an anchor, escaped as a fragment; "": the top of the page."""
    address = page.address or page.url
    return f"{address}#{_fragment(anchor)}" if anchor else address


_MAX_CHARS = 120


def short_title(title: str) -> str:
    """Shorten a title to 120 characters, between words if possible, with `…` at the cut."""
    if len(title) <= _MAX_CHARS:
        return title
    space = title.rfind(" ", _MAX_CHARS // 2, _MAX_CHARS)
    end = space if space > 0 else safe_cut(title, _MAX_CHARS - 1)
    return title[:end].rstrip(" ,;:–—-") + "…"


_SECTION_CHARS = 160
_NO_SNIPPET = Snippet("")


class SectionWindow(NamedTuple):
    """Section at which a chunk answers a query."""

    part: Window  # of the chunk's text
    anchor: str  # of the section with that part; a chunk may contain several small sections
    title: str  # of the same section


class Quote(NamedTuple):
    """Quoted text of a chunk and its location."""

    snippet: Snippet
    html: str  # of the snippet
    anchor: str  # see `SectionWindow`
    title: str


class QueryMatch(NamedTuple):
    """Match of a query's words in a chunk."""

    marks: list[Mark]  # in the chunk's text
    relevant_marks: list[Mark]  # marks by which the passage is chosen
    start: tuple[int, bool]  # of the best part, see `window.beginning`
    named_section: tuple[int, Opening | None] | None  # section whose name is the query, see `section_called`


@dataclass(frozen=True, slots=True)
class ResultWriter:
    """Data that all results of one answer share."""

    words: QueryWords
    scorer: SectionScorer
    readable: Mapping[int, ReadableRecord]  # by position among the candidates
    generation: Generation
    age_s: float
    parts: Parts | None  # of every score; None unless requested
    sources: bool = False  # True to return the lines of passages
    section_snippets: bool = True  # True to quote sections
    within: VersionScope = NO_VERSIONS  # the versions that are searched
    matches: dict[str, QueryMatch] = field(default_factory=dict)  # cache by record id, since most are quoted twice
    windows: dict[tuple[str, int], SectionWindow] = field(default_factory=dict)  # cache by record id and size
    quotes: dict[tuple[str, int], Quote] = field(default_factory=dict)  # cache by record id and size

    def quote(self, readable: ReadableRecord, max_chars: int = MAX_CHARS) -> Quote:
        record, text = readable
        key = _key(readable, max_chars)
        quote = self.quotes.get(key)
        if quote is None:
            part, anchor, title = self._section_window(readable, max_chars)
            part = below_title(text, part, title, record.page.title)
            snippet = excerpt(text, self.matches[record.id].marks, part)
            quote = self.quotes[key] = Quote(snippet, snippet.html, anchor, title)
        return quote

    def _section_window(self, readable: ReadableRecord, max_chars: int) -> SectionWindow:
        record, text = readable
        key = _key(readable, max_chars)
        section = self.windows.get(key)
        if section is None:
            match = self.matches.get(record.id)
            if match is None:
                match = self.matches[record.id] = self._match(readable)
            part = window(text, match.relevant_marks, max_chars, match.start)
            opening = (self._opening(readable, match, part) if text.openings else None) or record.chunk.at
            section = self.windows[key] = SectionWindow(part, opening.anchor, short_title(opening.title))
        return section

    def _match(self, readable: ReadableRecord) -> QueryMatch:
        """Match a chunk with the query; if a section's name is the query, only that section counts."""
        record, text = readable
        marks = relevant_marks = self.words.marks(text.text)
        named_section = section_called(self.scorer.names, record.chunk.at.title, text) if text.openings else None
        if named_section is not None:
            end, opening = named_section
            start = opening.start if opening else 0
            relevant_marks = [mark for mark in marks if start <= mark.start < end]
        return QueryMatch(marks, relevant_marks, beginning(text, relevant_marks, _SECTION_CHARS), named_section)

    def _opening(self, readable: ReadableRecord, match: QueryMatch, part: Window) -> Opening | None:
        if match.named_section is not None:
            return match.named_section[1]
        record, text = readable
        if not match.marks:  # a heading is no part of the text of its section
            called = max(text.openings, key=lambda opening: self.scorer.about(opening.title))
            if self.scorer.about(called.title) > self.scorer.about(record.chunk.at.title):
                return called
        is_first = part.start < text.openings[0].start
        own_words = [mark.word for mark in self.words.marks(record.chunk.at.title)] if is_first else ()
        return opening_of(text.openings, match.marks, part[:2], own_words)

    def result(self, group: PageGroup, alike: Sequence[int], confidence: float, *, is_pinned: bool = False) -> Result:
        """Return a page, or chunk, quoted at the section that answers, with its best sections and its copies."""
        best = self.readable[group.best.position]
        is_summary = best.record.chunk.kind == "summary"
        opening = group.best if is_summary else self._opening_section(group)
        if is_summary and (named := self._named_section(group)) is not None:
            opening, is_summary = named, False
        chunks = group.sections[:MAX_SECTIONS]
        if not is_summary and chunks:
            chunks = (opening, *(chunk for chunk in group.sections if chunk is not opening))[:MAX_SECTIONS]
        readable = self.readable[opening.position]
        quote = self.quote(readable)
        if is_summary:
            if chunks and not (quote.snippet.is_answer and quote.snippet.marks):
                # A description without the query's words may be on every page; a list of headings is no answer.
                section = self.quote(self.readable[chunks[0].position])
                quote = quote._replace(snippet=section.snippet, html=section.html)
        elif not quote.snippet.is_answer:
            quotes = (self.quote(self.readable[chunk.position]) for chunk in chunks)
            quote = next((other for other in quotes if other.snippet.is_answer and other.snippet.marks), quote)
        sections, copies = tuple(map(self._section, chunks)), tuple(map(self._alike, alike))
        result = self._result(group, confidence, readable.record, quote, sections, copies)
        result.is_pinned = is_pinned
        return result

    def _opening_section(self, group: PageGroup) -> Ranked:
        """Return the section that answers best; the first of equal ones."""
        if len(group.sections) < 2:
            return group.best
        opening, most = group.best, -1.0
        for chunk in group.sections:
            readable = self.readable[chunk.position]
            titles = [readable.record.chunk.at.title, *(opening.title for opening in readable.text.openings)]
            section_score = self.scorer.most(chunk.score, titles)
            # Otherwise no heading matches, and the passage does not count.
            if section_score > max(most, chunk.score):
                section_score = self.scorer.section_score(chunk.score, *self._title_and_marked_words(readable))
            if section_score > most:
                opening, most = chunk, section_score
        return opening

    def _named_section(self, group: PageGroup) -> Ranked | None:
        """Return the section whose heading and passage have all query words, if the page's title does not.

        The summary of a page has all of its headings, so it may be the best match for one of them.
        """
        if self.scorer.covers([self.readable[group.best.position].record.page.title]):
            return None
        for chunk in group.sections:
            readable = self.readable[chunk.position]
            title, marked = self._title_and_marked_words(readable)
            if self.scorer.covers([title, *readable.record.chunk.at.heading_path[1:]], marked):
                return chunk
        return None

    def _title_and_marked_words(self, readable: ReadableRecord) -> tuple[str, set[str]]:
        """Return the heading of a section that its passage opens, and the query's words in the passage."""
        (start, end, *_), _, title = self._section_window(readable, _SECTION_CHARS)
        marks = self.matches[readable.record.id].marks
        return title, {mark.word for mark in marks if start <= mark.start and mark.end <= end}

    def _section(self, chunk: Ranked) -> SectionResult:
        readable = self.readable[chunk.position]
        record = readable.record
        if self.section_snippets:
            snippet, html, anchor, title = self.quote(readable, _SECTION_CHARS)
        elif readable.text.openings:  # the passage determines which of several small sections answers
            (_, anchor, title), snippet, html = self._section_window(readable, _SECTION_CHARS), _NO_SNIPPET, ""
        else:
            anchor, title, snippet, html = record.chunk.at.anchor, short_title(record.chunk.at.title), _NO_SNIPPET, ""
        return SectionResult(
            href=href(record.page, anchor),
            anchor=anchor,
            title=title,
            heading_path=record.chunk.at.heading_path,
            snippet=snippet.text,
            snippet_html=html,
            marks=snippet.marks,
            score=chunk.score,
            source=source_of(record) if self.sources else None,
            mirror=mirror_of(record) if self.sources else None,
            ref=record.ref,
        )

    def _alike(self, position: int) -> AlikePage:
        record = self.readable[position].record
        return AlikePage(record.page.url, href(record.page, record.chunk.at.anchor), short_title(record.page.title))

    def _result(
        self,
        group: PageGroup,
        confidence: float,
        record: Record,
        quote: Quote,
        sections: tuple[SectionResult, ...],
        alike: tuple[AlikePage, ...],
    ) -> Result:
        versions = page_versions(record.page, self.within)
        return Result(
            url=record.page.url,
            href=href(record.page, quote.anchor),
            anchor=quote.anchor,
            title=short_title(record.page.title),
            section_title=quote.title,
            heading_path=record.chunk.at.heading_path,
            snippet=quote.snippet.text,
            snippet_html=quote.html,
            marks=quote.snippet.marks,
            code=quote.snippet.code,
            score=group.scored.score,
            confidence=confidence,
            kind=record.chunk.kind,
            ref=record.ref,
            languages=group.languages,
            version=versions[0] if versions else "",
            versions=versions,
            route_file=record.page.route_file or None,
            source=source_of(record) if self.sources else None,
            mirror=mirror_of(record) if self.sources else None,
            scope=self.generation.scope,
            generation=self.generation.name,
            age_seconds=self.age_s,
            sections=sections,
            alike=alike,
            explanation=_explanation(self.parts, group.scored) if self.parts else None,
            **{name: getattr(record.page, name) for name in _PAGE_FIELDS},
        )


def _explanation(parts: Parts, scored: Ranked) -> Explanation:
    scores, boosts, position = parts.lists, parts.boosts.columns, scored.position
    nothing = np.zeros(len(scores.fused))

    def at(column: Scores) -> float:
        return round(float(column[position]), _DIGITS)

    return Explanation(
        cosine=at(scores.cosine),
        bm25=at(scores.bm25),
        vector=at(scores.vector),
        keyword=at(scores.keyword),
        page_bm25=at(scores.page_bm25),
        page=at(scores.page),
        fused=at(scores.fused),
        second=at(scores.second),
        links=at(boosts["links"]),
        depth=at(boosts["depth"]),
        exact=at(parts.matches),
        weight=at(parts.weight),
        names=at(parts.bonuses.get("names", nothing)),
        passage=at(parts.bonuses.get("passage", nothing)),
        vector_share=scores.shares.meaning,
        keyword_share=scores.shares.words,
        page_share=scores.shares.page,
        rerank=None if parts.reranked is None else at(parts.reranked),
        features=_features(parts, scored),
    )


def _features(parts: Parts, scored: Ranked) -> tuple[FeaturePart, ...]:
    terms = {name: float(column[scored.position]) for name, column in parts_of_sum(parts).items()}
    scale = scored.score / (sum(terms.values()) or 1.0)
    weights = weights_of(parts)
    features = (
        FeaturePart(name, weight := weights.get(name, 1.0), round(term / weight, _DIGITS), round(term * scale, _DIGITS))
        for name, term in terms.items()
        if term
    )
    return tuple(sorted(features, key=lambda feature: -feature.part))


def _key(readable: ReadableRecord, max_chars: int) -> tuple[str, int]:
    """Return the cache key of a quote; a short text has the same quote in either size."""
    return readable.record.id, max_chars if len(readable.text.text) > _SECTION_CHARS else _SECTION_CHARS
