"""Find every occurrence of a text in the current source files, like `grep -rnF`; `whole_words` is its `-w`.

A search reads only the files that contain the words by the word index, and the files that changed since.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated

from pydantic import Field

from searchsocket.errors import InvalidRequest
from searchsocket.extensions.code.parsing.file_kinds import language_of
from searchsocket.extensions.code.parsing.languages import LANGUAGES as HEADER_LANGUAGES
from searchsocket.extensions.code.parsing.languages import MIXED, is_header
from searchsocket.extensions.code.parsing.paths import PathFilter, checked_languages
from searchsocket.extensions.code.parsing.reading import source_text
from searchsocket.extensions.code.search.results import ReadNow, is_changed
from searchsocket.search.bounds import MAX_CODE_OCCURRENCES, MAX_QUERY_CHARS
from searchsocket.search.continuation import Continuations, check_bounds, fitting
from searchsocket.search.occurrences import Spelling, continuation_of, offset_of, passage_at
from searchsocket.search.wire import Age, FirstSkipped, Marks, SkipReasons, Wire
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.text.amounts import age_s, count
from searchsocket.types import Filter
from searchsocket.web.urls.paths import sort_key

_PATTERN_SIGNS = frozenset("\\*+?^$|[")  # agents take `find` for grep
_MAX_LINE_CHARS = 300  # a longer line is shortened around the occurrence
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CodeFindQuery:
    """A literal text to find in source code."""

    q: str  # one line; its white space counts
    limit: int = 100  # occurrences: 1 to 1,000
    whole_words: bool = False  # True: none inside longer words
    match_case: bool = True
    path: str = ""  # see `PathFilter`
    languages: tuple[str, ...] = ()
    continuation: str = ""  # of the previous answer; "": start with the first occurrence
    max_tokens: int | None = None  # of text, approximate; None: only `limit` applies

    @property
    def identity(self) -> tuple[object, ...]:
        """The text and filters of the request, without the continuation."""
        return self.q, self.whole_words, self.match_case, self.path, self.languages

    def checked(self) -> "CodeFindQuery":
        """Return the query itself.

        Raises:
            InvalidRequest: The text is blank or has several lines, or a value is out of range.
        """
        if not self.q.strip() or len(self.q) > MAX_QUERY_CHARS or "\n" in self.q or "\r" in self.q:
            raise InvalidRequest(f"the text must be one line of 1 to {MAX_QUERY_CHARS:,} characters and not blank")
        if not 1 <= self.limit <= MAX_CODE_OCCURRENCES:
            raise InvalidRequest(f"limit must be from 1 to {MAX_CODE_OCCURRENCES:,}, not {self.limit}")
        PathFilter(self.path).checked()
        checked_languages(self.languages)
        check_bounds(None, self.max_tokens)
        return self


@dataclass(frozen=True, slots=True)
class CodeOccurrence(Wire):
    """An occurrence of the text in a file."""

    file: str
    line: Annotated[int, Field(ge=1)]
    column: Annotated[int, Field(ge=1, description="In code points.")]
    text: Annotated[str, Field(description="The line, shortened around the occurrence if it is long.")]
    marks: Annotated[Marks, Field(description="Positions in `text`: [start, end) in code points.")]
    changed_since: bool  # True if the file changed since it was indexed


@dataclass(frozen=True, slots=True)
class CodeFindAnswer(Wire):
    """Occurrences in the order of paths and, in a file, of its text."""

    q: str
    scope: str
    generation: str
    age_seconds: Age
    total: Annotated[int, Field(ge=0, description="Number of occurrences in all files that match the filters.")]
    whole_words: Annotated[int, Field(ge=0, description="Whole words.")]
    files: Annotated[int, Field(ge=0, description="Number of files with an occurrence.")]
    occurrences: tuple[CodeOccurrence, ...]
    continuation: Annotated[str | None, Field(description="Gets the next occurrences; null at the end.")]
    truncated: Annotated[bool, Field(description="True if `maxTokens` ended the answer before `limit`.")]
    skipped: FirstSkipped = ()
    skip_reasons: SkipReasons = field(default_factory=dict)


def occurrences_in_files(answer: CodeFindAnswer, *, whole_words: bool) -> str:
    """Return the counts of an answer in words: `53 occurrences in 5 files, 8 as whole words`.

    Args:
        whole_words: True if the query was for whole words, so that the answer does not count others.
    """
    counts = f"{count(answer.total, 'whole word' if whole_words else 'occurrence')} in {count(answer.files, 'file')}"
    return f"{counts}, {answer.whole_words:,} as whole words" if answer.whole_words < answer.total else counts


def about_no_occurrence(answer: CodeFindAnswer) -> str:
    """Return why a pattern has no occurrence; "" for other texts and answers."""
    is_pattern = answer.total == 0 and not _PATTERN_SIGNS.isdisjoint(answer.q)
    return "the text is taken literally, not as a regular expression" if is_pattern else ""


def find_in_code(
    reader: IndexReader,
    query: CodeFindQuery,
    read_now: ReadNow,
    touched: Collection[str],
    now: datetime,
    words: Continuations,
) -> CodeFindAnswer:
    """Return some of the occurrences in path order, and their total number.

    Args:
        read_now: Reads the files.
        touched: Paths of files that may have changed since they were indexed; always searched.
        words: Make and read the continuation.

    Raises:
        InvalidRequest: A value is out of range, or a filter is not valid.
        ContinuationGone: The continuation belongs to another query or generation.
    """
    query.checked()
    spelling = Spelling(query.q, query.whole_words, query.match_case, literal=True)
    offset = offset_of(query.continuation, query.identity, reader.generation, words)
    pattern, total, files = spelling.pattern, 0, 0
    whole_pattern, whole_words = replace(spelling, whole_words=True).pattern, 0
    occurrences: list[CodeOccurrence] = []
    for path in _candidates(reader, query, spelling, touched):
        data = read_now(path)
        if data is None:  # deleted
            continue
        text, _ = source_text(data)
        spans = [match.span() for match in pattern.finditer(text)]
        in_page = spans[max(offset - total, 0) :][: query.limit - len(occurrences)]
        if in_page:
            occurrences += _occurrences(
                path, text, in_page, changed=is_changed(reader.catalogue.page_digest(f"/{path}"), data)
            )
        total, files = total + len(spans), files + bool(spans)
        whole_words += len(whole_pattern.findall(text)) if spans and not query.whole_words else len(spans)
    fitting_occurrences = _fitting(occurrences, query.max_tokens) if query.max_tokens else occurrences
    last, generation = offset + len(fitting_occurrences), reader.generation
    return CodeFindAnswer(
        q=query.q,
        scope=generation.scope,
        generation=generation.name,
        age_seconds=age_s(generation.published_at, now),
        total=total,
        whole_words=whole_words,
        files=files,
        occurrences=tuple(fitting_occurrences),
        continuation=continuation_of(query.identity, generation, last, words) if occurrences and last < total else None,
        truncated=len(fitting_occurrences) < len(occurrences),
    )


def _fitting(occurrences: Sequence[CodeOccurrence], max_tokens: int) -> Sequence[CodeOccurrence]:
    return fitting(occurrences, lambda occurrence: f"{occurrence.file} {occurrence.text}", max_tokens)


def _candidates(reader: IndexReader, query: CodeFindQuery, spelling: Spelling, touched: Collection[str]) -> list[str]:
    """Return the paths of the files that may contain an occurrence, in path order."""
    files = PathFilter(query.path)
    where = Filter(path_prefix=files.prefix, languages=query.languages)
    glob = files.matcher()
    indexed = (url[1:] for url in reader.words.pages_with(spelling.letters, where=where))
    paths = {path for path in indexed if glob is None or glob(path)}
    paths |= {path for path in touched if files.takes(path) and _may_contain_language(path, query.languages)}
    return sorted(paths, key=lambda path: sort_key(f"/{path}"))


def _may_contain_language(path: str, languages: Collection[str]) -> bool:
    """Return True if a file may contain code in one of the languages; a component contains several.

    The name of a script or a header need not tell its language.
    """
    name = path.rpartition("/")[2]
    language = language_of(name)
    is_open = not language or language in MIXED
    is_of_header = is_header(name) and not set(HEADER_LANGUAGES).isdisjoint(languages)
    return not languages or language in languages or is_open or is_of_header


def _occurrences(path: str, text: str, spans: list[Span], *, changed: bool) -> Iterator[CodeOccurrence]:
    line, counted = 1, 0
    for start, end in spans:
        line += text.count("\n", counted, start)
        counted = start
        first = text.rfind("\n", 0, start) + 1
        last = text.find("\n", end)
        whole = text[first : last if last >= 0 else len(text)]
        if len(whole) <= _MAX_LINE_CHARS:
            quote, marks = whole, (start - first, end - first)
        else:
            passage = passage_at(text, start, end)
            quote, marks = passage.text, (passage.start, passage.end)
        yield CodeOccurrence(path, line, start - first + 1, quote, (marks,), changed)
