"""Ranked chunks as the results that callers get."""

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Lock

from searchsocket.markdown.text import plain_text
from searchsocket.search.answer import Explanation, Result, Section
from searchsocket.search.group import PageGroup
from searchsocket.search.links import href
from searchsocket.search.marks import Mark, QueryWords
from searchsocket.search.rank import Ranked
from searchsocket.search.snippet import MAX_CHARS, Snippet, fold, snippet
from searchsocket.types import Generation, Record

_SECTION_CHARS = 160
_REMEMBERED_TEXTS = 10_000  # about 20 MB


class PlainTexts:
    """Plain text of chunks, kept because parsing Markdown costs more than all else of a query."""

    def __init__(self) -> None:
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._lock = Lock()

    def of(self, record: Record) -> str:
        """What a person reads of the chunk, folded, without a heading that repeats its title."""
        key = record.record_hash
        with self._lock:
            if key in self._texts:
                self._texts.move_to_end(key)
                return self._texts[key]
        text = _plain(record)
        with self._lock:
            self._texts[key] = text
            while len(self._texts) > _REMEMBERED_TEXTS:
                self._texts.popitem(last=False)
        return text


def _plain(record: Record) -> str:
    if record.kind == "summary" and record.description:
        return fold(record.description)
    text = fold(plain_text(record.text))
    for title in (record.section_title, record.title):
        head, _, rest = text.partition("\n")
        if title and rest and head == fold(title):
            text = rest
    return text


@dataclass(frozen=True, slots=True)
class Telling:
    """What all results of one answer share."""

    words: QueryWords
    texts: PlainTexts
    generation: Generation
    age_s: float
    explain: bool
    marks: dict[str, list[Mark]] = field(default_factory=dict)  # by record id: most are quoted twice

    def quote(self, record: Record, max_chars: int = MAX_CHARS) -> Snippet:
        text = self.texts.of(record)
        if record.id not in self.marks:
            self.marks[record.id] = self.words.marks(text)
        return snippet(text, self.marks[record.id], max_chars)

    def chunk(self, chunk: Ranked) -> Result:
        """One chunk as a result of a flat list."""
        return self._result(chunk, self.quote(chunk.record), ())

    def page(self, group: PageGroup) -> Result:
        """One page: told as its best chunk, with its best sections."""
        sections = tuple(self._section(chunk) for chunk in group.sections)
        quote = self.quote(group.best.record)
        if group.best.record.kind == "summary" and group.sections and not quote.marks:
            # A description without the query's words says less than the best section, and may be that of every page.
            quote = self.quote(group.sections[0].record)
        return self._result(group.best, quote, sections)

    def _section(self, chunk: Ranked) -> Section:
        record = chunk.record
        return Section(
            href=href(record.url, record.anchor),
            anchor=record.anchor,
            title=record.section_title,
            heading_path=record.heading_path,
            snippet=self.quote(record, _SECTION_CHARS),
            score=chunk.score,
            ref=record.ref,
        )

    def _result(self, chunk: Ranked, quote: Snippet, sections: tuple[Section, ...]) -> Result:
        record = chunk.record
        return Result(
            url=record.url,
            href=href(record.url, record.anchor),
            anchor=record.anchor,
            title=record.title,
            section_title=record.section_title,
            heading_path=record.heading_path,
            snippet=quote,
            score=chunk.score,
            kind=record.kind,
            ref=record.ref,
            tags=record.tags,
            language=record.language,
            modified=record.modified,
            route_file=record.route_file,
            route_resolution=record.route_resolution,
            scope=self.generation.scope,
            generation=self.generation.name,
            age_s=self.age_s,
            sections=sections,
            explanation=_explanation(chunk) if self.explain else None,
        )


def age_s(published_at: str, now: datetime) -> float:
    """Seconds since a generation was published; never negative, 0 where the manifest has no readable time."""
    try:
        published = datetime.fromisoformat(published_at)
    except ValueError:
        return 0.0
    if published.tzinfo is None:
        published = published.replace(tzinfo=UTC)
    return round(max((now - published).total_seconds(), 0.0), 1)


def _explanation(chunk: Ranked) -> Explanation:
    found, boosts = chunk.candidate, chunk.boosts
    parts = (found.cosine, found.bm25, found.vector, found.keyword, found.page_bm25, found.page, found.fused)
    return Explanation(*(round(part, 6) for part in (*parts, boosts.links, boosts.depth, boosts.weight)))
