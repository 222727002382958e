"""Related content: similar code, pages that document a definition, and the code that a page mentions."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from searchsocket.content.markdown.blocks import parse_blocks
from searchsocket.content.mirror import parse_page
from searchsocket.errors import InvalidRequest, PageNotFound, PageTextsMissing
from searchsocket.extensions.code.parsing.symbols import EXACT, LABEL, looks_like_code, symbols_in
from searchsocket.extensions.code.search.answer import CodeResult
from searchsocket.extensions.code.search.results import ReadNow, code_result
from searchsocket.search.bounds import MAX_RELATED_CODE
from searchsocket.search.occurrences import Spelling, heading_above, headings
from searchsocket.search.quoting.results import href, short_title
from searchsocket.search.wire import ContinuationToken, Href, Truncated, Url, Wire
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.types import Filter, Lines, Record

_MAX_PER_FILE = 2
_MAX_PAGES_READ = 2_000  # a name on more pages is a common word
_MAX_NAMES = 60  # of a page
_SPAN = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_CALL = re.compile(r"\(.*\)?$", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_$@][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*")


@dataclass(frozen=True, slots=True)
class RelatedQuery:
    """Subject of the request: a chunk, a line of a file, the name of a definition, or a page of the site."""

    id: str = ""
    file: str = ""
    line: int = 1
    symbol: str = ""
    url: str = ""
    top_k: int = 5  # 1 to 20, of code and of pages each

    def checked(self) -> "RelatedQuery":
        """Return the query itself.

        Raises:
            InvalidRequest: The query names no subject or several, or a value is out of range.
        """
        subjects = [name for name in ("id", "file", "symbol", "url") if getattr(self, name)]
        if len(subjects) != 1:
            raise InvalidRequest(f"send one of id, file, symbol and url, not {' and '.join(subjects) or 'none'}")
        if not 1 <= self.top_k <= MAX_RELATED_CODE:
            raise InvalidRequest(f"limit must be from 1 to {MAX_RELATED_CODE}, not {self.top_k}")
        if self.line < 1:
            raise InvalidRequest(f"line must be 1 or more, not {self.line}")
        return self


@dataclass(frozen=True, slots=True)
class DocumentingPage(Wire):
    """A page of the site that mentions a definition's name in code."""

    url: Url
    href: Href
    title: str
    section_title: str
    mentions: Annotated[int, Field(ge=1, description="Number of mentions of the name in code.")]
    text: Annotated[str, Field(description="First line that mentions it.")]


@dataclass(frozen=True, slots=True)
class RelatedCode(Wire):
    """Code and pages related to a definition or a page."""

    scope: str
    subject: Annotated[str, Field(description="The definition, the lines, or the page of the request.")]
    code: Annotated[tuple[CodeResult, ...], Field(description="Similar code; for a page, the code that it mentions.")]
    pages: Annotated[tuple[DocumentingPage, ...], Field(description="Pages that document it; empty for a page.")]
    truncated: Truncated = False
    continuation_token: ContinuationToken = None


def chunk_of_query(reader: IndexReader, query: RelatedQuery) -> Record:
    """Return the chunk that a query names.

    Raises:
        InvalidRequest: There is no chunk with this id.
        PageNotFound: The name or the file is not indexed.
    """
    if query.id:
        return reader.catalogue.records([query.id])[0]
    if query.symbol:
        definitions = defining(reader, query.symbol, 1)
        if not definitions:
            raise PageNotFound(f"no definition {query.symbol[:200]!a} in the index of the source code")
        return definitions[0]
    records = reader.catalogue.page_records(f"/{query.file}")
    if not records:
        raise PageNotFound(f"{query.file[:200]!a} is not an indexed file")
    return min(records, key=lambda record: _distance(record, query.line))


def defining(reader: IndexReader, name: str, top_k: int) -> list[Record]:
    """Return chunks that define a name: in the same case, else in any case; those of tests last."""
    symbols = symbols_in(name)
    for label, names in ((EXACT, symbols), (LABEL, tuple(symbol.casefold() for symbol in symbols))):
        where = Filter(facets=(tuple(f"{label}={symbol}" for symbol in names),))
        hits = reader.words.search(name, top_k=4 * top_k, where=where) if names else []
        if hits:
            records = reader.catalogue.records([hit.id for hit in hits])
            return sorted(records, key=lambda record: "test=true" in record.page.facets)[:top_k]
    return []


def near_code(reader: IndexReader, record: Record, top_k: int, read_now: ReadNow) -> tuple[CodeResult, ...]:
    """Return the chunks nearest to a chunk by meaning, from files that still exist."""
    hits = reader.vectors.nearest(reader.vectors.vectors_of([record.id])[0], top_k=8 * top_k + 1)
    other_hits = [hit for hit in hits if hit.id != record.id]
    results: list[CodeResult] = []
    per_file: Counter[str] = Counter()
    for hit, other in zip(other_hits, reader.catalogue.records([hit.id for hit in other_hits]), strict=True):
        if len(results) == top_k or per_file[other.page.url] == _MAX_PER_FILE:
            continue
        result = code_result(
            other, reader, read_now, cosine=hit.score, score=max(0.0, min(1.0, hit.score)), signals=("meaning",)
        )
        if result is not None:
            results.append(result)
            per_file[other.page.url] += 1
    return tuple(results)


def pages_about(site: IndexReader, names: Sequence[str], top_k: int) -> tuple[DocumentingPage, ...]:
    """Return pages that mention one of the names in code, most mentions first; equal counts in path order."""
    pages: dict[str, DocumentingPage] = {}
    for name in dict.fromkeys(last for whole in names for last in (whole, whole.rpartition(".")[2]) if last):
        urls = site.words.pages_with(Spelling(name, match_case=True, literal=True).letters)
        for url in urls if len(urls) <= _MAX_PAGES_READ else ():
            if url not in pages and (page := _documenting_page(site, url, name)):
                pages[url] = page
        if pages:  # the whole name is more specific than its last part
            break
    return tuple(sorted(pages.values(), key=lambda page: -page.mentions)[:top_k])


def code_of_page(reader: IndexReader, markdown: str, top_k: int, read_now: ReadNow) -> tuple[CodeResult, ...]:
    """Return the definitions of the names in a page's code, most mentioned first."""
    counts = Counter(name for span in _spans(markdown) for name in _names(span))
    results: dict[str, CodeResult] = {}
    for name, _ in counts.most_common(_MAX_NAMES):
        for record in defining(reader, name, 1):
            result = code_result(record, reader, read_now, q=name, cosine=0.0, score=1.0, signals=("definition",))
            if result is not None:
                results.setdefault(result.id, result)
        if len(results) >= top_k:
            break
    return tuple(results.values())[:top_k]


def _distance(record: Record, line: int) -> tuple[int, int]:
    """The distance of a line from a chunk, and the chunk's length, so that the innermost chunk wins."""
    at = record.chunk.at
    assert isinstance(at, Lines)
    return max(at.first - line, line - at.last, 0), at.last - at.first


def _documenting_page(site: IndexReader, url: str, name: str) -> DocumentingPage | None:
    try:
        body = site.catalogue.page_body(url)
    except PageTextsMissing:
        return None
    page = parse_page(body or "")
    lines = [line for line, span in _spans_by_line(page.body) if _mentions(span, name)]
    if not lines:
        return None
    heading = heading_above(headings(page.body), lines[0])
    return DocumentingPage(
        url=page.facts.url,
        href=href(page.facts, heading.anchor),
        title=short_title(page.facts.title),
        section_title=short_title(heading.title),
        mentions=len(lines),
        text=page.body.split("\n")[lines[0]].strip()[:300],
    )


def _mentions(span: str, name: str) -> bool:
    """Return True if code on a page names a definition; a name that is a plain word must be the whole span."""
    if looks_like_code(name):
        return re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", span) is not None
    return _CALL.sub("", span).strip().rpartition(".")[2] == name


def _names(span: str) -> list[str]:
    """Return the names in code on a page: the whole span if it is a name, else the parts that look like names."""
    whole = _CALL.sub("", span).strip()
    if _NAME.fullmatch(whole):
        return [whole.replace("::", ".").replace("#", ".")]
    return [name for name in _NAME.findall(span) if looks_like_code(name)]


def _spans(markdown: str) -> Iterator[str]:
    return (span for _, span in _spans_by_line(markdown))


def _spans_by_line(markdown: str) -> Iterator[tuple[int, str]]:
    """Yield (line from 0, code) of each span and each line of a fence."""
    for block in parse_blocks(markdown):
        first = block.lines[0] - 1
        for number, line in enumerate(block.text.split("\n"), first):
            if block.kind == "code":
                if number > first and line.strip("`~ "):
                    yield number, line
            else:
                yield from ((number, match[2].strip()) for match in _SPAN.finditer(line))
