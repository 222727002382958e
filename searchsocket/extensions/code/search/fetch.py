"""Fetch current lines of chunks or of a file: bounded, numbered, within a token budget, and of indexed files only."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Annotated, NamedTuple

from pydantic import Field

from searchsocket.errors import InvalidRequest, PageNotFound
from searchsocket.extensions.code.parsing.reading import source_text
from searchsocket.extensions.code.search.results import ReadNow, is_changed, lines_now
from searchsocket.search.bounds import MAX_LINES, MAX_PLACES
from searchsocket.search.continuation import cut_to, json_tokens
from searchsocket.search.wire import Wire
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.types import Lines


@dataclass(frozen=True, slots=True)
class FetchedLines(Wire):
    """Some lines of a file."""

    file: str
    first_line: int
    last_line: int  # of the request; `text` may end before it
    text: tuple[str, ...]  # `N| the line`
    changed_since: bool  # True if the file changed since it was indexed


def fetch_chunks(reader: IndexReader, ids: Sequence[str], max_lines: int, read_now: ReadNow) -> list[FetchedLines]:
    """Return the first lines of each of the first `MAX_PLACES` chunks at their current position.

    Chunks of deleted files are left out.

    Raises:
        InvalidRequest: A chunk does not exist, or `max_lines` is out of range.
    """
    fetched = []
    for record in reader.catalogue.records(list(dict.fromkeys(ids))[:MAX_PLACES]):
        at = record.chunk.at
        assert isinstance(at, Lines)
        data = read_now(record.page.source_file)
        now = lines_now(record.chunk.body.text, at.first, at.last, reader.catalogue.page_digest(record.page.url), data)
        if now is not None and data is not None:
            fetched.append(_lines(record.page.source_file, data, now.first, now.last, max_lines, changed=now.changed))
    return fetched


def fetch_file(
    reader: IndexReader, path: str, first: int, last: int, max_lines: int, read_now: ReadNow
) -> FetchedLines:
    """Return current lines of an indexed file.

    Args:
        first, last: From 1, both included.

    Raises:
        InvalidRequest: The range of lines, or `max_lines`, is not valid.
        PageNotFound: The file is not indexed, or was deleted. Files outside the index are never returned.
    """
    if not 1 <= first <= last:
        raise InvalidRequest(
            f"lines {first}-{last}: the first line must be 1 or more, and the last must not be before it"
        )
    is_indexed = reader.catalogue.page_records(f"/{path}")
    data = read_now(path) if is_indexed else None
    if data is None:
        near = _near_path(reader, path)
        fix = f"did you mean {near!a}?" if near else "use the file of a result"
        raise PageNotFound(f"{path[:200]!a} is not an indexed file; {fix}")
    changed = is_changed(reader.catalogue.page_digest(f"/{path}"), data)
    return _lines(path, data, first, last, max_lines, changed=changed)


def _near_path(reader: IndexReader, path: str) -> str:
    """Return the only indexed file whose path ends like a path, or that has its name; "" if there are none or several.

    Callers guess the folder of a file, or name it from the folder of the package.
    """
    files = [url[1:] for url in reader.words.pages_with(())]
    for end in (path.removeprefix("./"), path.rpartition("/")[2]):
        near = [file for file in files if end and f"/{file}".endswith(f"/{end}")]
        if len(near) == 1:
            return near[0]
    return ""


def _lines(path: str, data: bytes, first: int, last: int, max_lines: int, *, changed: bool) -> FetchedLines:
    if not 1 <= max_lines <= MAX_LINES:
        raise InvalidRequest(f"max_lines must be from 1 to {MAX_LINES}, not {max_lines}")
    lines = source_text(data)[0].split("\n")[first - 1 : last][:max_lines]
    numbered = tuple(f"{number}| {line}" for number, line in enumerate(lines, first))
    return FetchedLines(path, first, last, numbered, changed)


@dataclass(frozen=True, slots=True)
class LinesLeft(Wire):
    """Lines that did not fit, as a range of a file to fetch next."""

    file: str
    first_line: int
    last_line: int


class FittingLines(NamedTuple):
    """Lines that fit, in order, and the remaining ones."""

    files: tuple[FetchedLines, ...]
    left: tuple[LinesLeft, ...]


@dataclass(frozen=True, slots=True)
class FetchedCode(Wire):
    """Fetched lines, in the order of the request."""

    scope: str
    fetched: tuple[FetchedLines, ...]
    truncated: Annotated[bool, Field(description="True if `maxTokens` ended the answer.")]
    left: Annotated[tuple[LinesLeft, ...], Field(description="Remaining lines, to fetch next.")]


def fetched_code(scope: str, fetched: Sequence[FetchedLines], max_tokens: int | None) -> FetchedCode:
    """Return as many of the fetched lines as fit; all of them if `max_tokens` is None."""
    files, remaining = fitting_lines(fetched, max_tokens) if max_tokens else FittingLines(tuple(fetched), ())
    return FetchedCode(scope, files, files != tuple(fetched), remaining)


def fitting_lines(fetched: Sequence[FetchedLines], max_tokens: int) -> FittingLines:
    """Return as many whole lines as fit; the beginning of the first line if that line alone is too long."""
    files: list[FetchedLines] = []
    budget = max_tokens
    for number, file in enumerate(fetched):
        costs = list(accumulate(map(json_tokens, file.text)))
        fitting = bisect_right(costs, budget)
        if fitting == len(file.text):
            files.append(file)
            budget -= costs[-1] if costs else 0
            continue
        lines = file.text[:fitting] or (() if files else (cut_to(file.text[0], budget),))
        cut = [replace(file, text=lines)] if lines else []
        remaining = [
            _remaining_lines(file, len(lines)),
            *(_remaining_lines(later, 0) for later in fetched[number + 1 :]),
        ]
        return FittingLines((*files, *cut), tuple(lines for lines in remaining if lines.first_line <= lines.last_line))
    return FittingLines(tuple(files), ())


def _remaining_lines(file: FetchedLines, start: int) -> LinesLeft:
    return LinesLeft(file.file, file.first_line + start, file.first_line + len(file.text) - 1)
