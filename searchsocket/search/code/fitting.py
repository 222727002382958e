"""Limit fetched lines to a number of tokens, and list the lines that remain."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Annotated, NamedTuple

from pydantic import Field

from searchsocket.search.code.fetch import FetchedLines
from searchsocket.search.content.budget import cut_to, json_tokens
from searchsocket.search.wire import Wire


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
    files, left = fitting_lines(fetched, max_tokens) if max_tokens else FittingLines(tuple(fetched), ())
    return FetchedCode(scope, files, files != tuple(fetched), left)


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
        left = [_lines_left(file, len(lines)), *(_lines_left(later, 0) for later in fetched[number + 1 :])]
        return FittingLines((*files, *cut), tuple(lines for lines in left if lines.first_line <= lines.last_line))
    return FittingLines(tuple(files), ())


def _lines_left(file: FetchedLines, start: int) -> LinesLeft:
    return LinesLeft(file.file, file.first_line + start, file.first_line + len(file.text) - 1)
