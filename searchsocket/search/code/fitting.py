"""As many fetched lines as fit into so many tokens, and which are left to be asked for."""

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
    """Lines that did not fit, as they are fetched by the name of their file."""

    file: str
    first_line: int
    last_line: int


class FittingLines(NamedTuple):
    """Lines that fit, in order, and the remaining ones."""

    files: tuple[FetchedLines, ...]
    left: tuple[LinesLeft, ...]


@dataclass(frozen=True, slots=True)
class FetchedCode(Wire):
    """Lines of some places, in the order in which they were named."""

    scope: str
    fetched: tuple[FetchedLines, ...]
    truncated: Annotated[bool, Field(description="True if `maxTokens` ended the answer.")]
    left: Annotated[tuple[LinesLeft, ...], Field(description="Remaining lines, to fetch next.")]


def fetched_code(scope: str, fetched: Sequence[FetchedLines], max_tokens: int | None) -> FetchedCode:
    """The fetched lines, as many as fit; None: all."""
    files, left = fitting_lines(fetched, max_tokens) if max_tokens else FittingLines(tuple(fetched), ())
    return FetchedCode(scope, files, files != tuple(fetched), left)


def fitting_lines(fetched: Sequence[FetchedLines], max_tokens: int) -> FittingLines:
    """As many whole lines as fit; of a first one that is too long alone, its beginning."""
    files: list[FetchedLines] = []
    budget = max_tokens
    for number, one in enumerate(fetched):
        costs = list(accumulate(map(json_tokens, one.text)))
        fitting = bisect_right(costs, budget)
        if fitting == len(one.text):
            files.append(one)
            budget -= costs[-1] if costs else 0
            continue
        lines = one.text[:fitting] or (() if files else (cut_to(one.text[0], budget),))
        cut = [replace(one, text=lines)] if lines else []
        left = [_from(one, len(lines)), *(_from(other, 0) for other in fetched[number + 1 :])]
        return FittingLines((*files, *cut), tuple(some for some in left if some.first_line <= some.last_line))
    return FittingLines(tuple(files), ())


def _from(one: FetchedLines, lines_fitting: int) -> LinesLeft:
    return LinesLeft(one.file, one.first_line + lines_fitting, one.first_line + len(one.text) - 1)
