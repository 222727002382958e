"""A backtracking matcher that counts its steps: the cost of a pattern without a clock.

It walks what Python's own parser makes of a pattern, in the order in which the `re` module tries alternatives. `re`
skips some of these steps, so a count is an upper bound of its work.
"""

import re
from collections.abc import Callable, Iterable
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

Continue = Callable[[int], bool]


class TooManySteps(Exception):
    """The pattern took more steps than its budget."""


class CountedPattern:
    """A pattern whose attempts at every position of a text are counted."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern
        self._tree = list(_parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE))
        self._text, self._steps, self._budget = "", 0, 0
        self._classes: dict[str, re.Pattern[str]] = {}

    def spans(self, text: str, budget: int) -> list[tuple[int, int]]:
        """Matches of the pattern from left to right.

        Raises:
            TooManySteps: They took more than `budget` steps.
        """
        self._text, self._steps, self._budget = text, 0, budget
        spans, at = [], 0
        while at <= len(text):
            end = self._end(self._tree, at, self._pattern.flags)
            if end is not None:
                spans.append((at, end))
            at = max(at + 1, end or 0)
        return spans

    def steps(self, text: str, budget: int) -> int:
        """Steps of all attempts on a text."""
        self.spans(text, budget)
        return self._steps

    def _match(self, nodes: Any, index: int, at: int, flags: int, then: Continue) -> bool:
        """Return True if `nodes[index:]` match at a position, and their continuation too."""
        while index < len(nodes):
            self._count()
            kind, value = nodes[index]
            index += 1
            if kind in (op.LITERAL, op.NOT_LITERAL, op.IN, op.ANY, op.CATEGORY):
                if at >= len(self._text) or not self._is_member(kind, value, self._text[at], flags):
                    return False
                at += 1
                continue
            after = index

            def rest(end: int, after: int = after) -> bool:
                return self._match(nodes, after, end, flags, then)

            if kind is op.AT:
                if not self._is_place(value, at):
                    return False
            elif kind in (op.ASSERT, op.ASSERT_NOT):
                direction, inner = value
                width = inner.getwidth()[0] if direction < 0 else 0  # the two are equal behind a position
                begin = at - width
                is_match = begin >= 0 and self._end(list(inner), begin, flags) is not None
                if is_match is not (kind is op.ASSERT):
                    return False
            elif kind is op.SUBPATTERN:
                _, added, removed, inner = value
                return self._match(list(inner), 0, at, (flags | added) & ~removed, rest)
            elif kind is op.BRANCH:
                return any(self._match(list(branch), 0, at, flags, rest) for branch in value[1])
            elif kind in (op.MAX_REPEAT, op.MIN_REPEAT):
                least, most, inner = value
                return self._repeat(list(inner), least, most, at, flags, rest, greedy=kind is op.MAX_REPEAT)
            else:
                raise AssertionError(f"{kind} in {self._pattern.pattern!r} is not counted yet")
        return then(at)

    def _end(self, nodes: Any, at: int, flags: int) -> int | None:
        """End of the first match of some nodes at a position."""
        ends: list[int] = []
        return ends[-1] if self._match(nodes, 0, at, flags, lambda end: ends.append(end) is None) else None

    def _repeat(self, inner: Any, least: int, most: int, at: int, flags: int, rest: Continue, *, greedy: bool) -> bool:
        if len(inner) == 1 and inner[0][0] in (op.LITERAL, op.NOT_LITERAL, op.IN, op.ANY):
            (kind, value), end = inner[0], at
            while end < len(self._text) and end - at < most and self._is_member(kind, value, self._text[end], flags):
                self._count()
                end += 1
            ends: Iterable[int] = range(at + least, end + 1)
            return any(rest(item) for item in (reversed(list(ends)) if greedy else ends))
        stack: list[int] = [at]  # ends of the first 0, 1, 2 … rounds; each inner match is deterministic
        while len(stack) <= most:
            end_of_round = self._end(inner, stack[-1], flags)
            if end_of_round is None or end_of_round == stack[-1]:
                break
            stack.append(end_of_round)
        candidates = stack[least:]
        return any(rest(candidate) for candidate in (reversed(candidates) if greedy else candidates))

    def _count(self) -> None:
        self._steps += 1
        if self._steps > self._budget:
            raise TooManySteps(f"{self._budget} steps of {self._pattern.pattern[:80]!r} on {self._text[:40]!r}")

    def _is_member(self, kind: Any, value: Any, character: str, flags: int) -> bool:
        ignore_case = bool(flags & re.IGNORECASE)
        options = {character, character.lower(), character.upper()} if ignore_case else {character}
        if kind is op.ANY:
            return character != "\n" or bool(flags & re.DOTALL)
        if kind is op.LITERAL:
            return chr(value) in options
        if kind is op.NOT_LITERAL:
            return chr(value) not in options
        negated = bool(value) and value[0][0] is op.NEGATE
        return any(_has(part, option) for part in value for option in options) is not negated

    def _is_place(self, value: Any, at: int) -> bool:
        text = self._text
        if value in (op.AT_BEGINNING, op.AT_BEGINNING_STRING):
            return at == 0
        if value in (op.AT_END, op.AT_END_STRING):
            return at >= len(text) - text.endswith("\n")
        edges = [0 <= item < len(text) and (text[item].isalnum() or text[item] == "_") for item in (at - 1, at)]
        return (edges[0] is not edges[1]) is (value is op.AT_BOUNDARY)


_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    op.CATEGORY_DIGIT: str.isdigit,
    op.CATEGORY_NOT_DIGIT: lambda each: not each.isdigit(),
    op.CATEGORY_SPACE: str.isspace,
    op.CATEGORY_NOT_SPACE: lambda each: not each.isspace(),
    op.CATEGORY_WORD: lambda each: each.isalnum() or each == "_",
    op.CATEGORY_NOT_WORD: lambda each: not (each.isalnum() or each == "_"),
}


def _has(part: Any, character: str) -> bool:
    kind, value = part
    if kind is op.LITERAL:
        return ord(character) == value
    if kind is op.RANGE:
        return bool(value[0] <= ord(character) <= value[1])
    return kind is op.CATEGORY and _CATEGORIES[value](character)


def words_of(pattern: re.Pattern[str]) -> list[str]:
    """Longest runs of literal characters in a pattern, from its own parse tree."""
    words: set[str] = set()
    _collect(list(_parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)), words)
    return sorted(words)


def _collect(nodes: Any, words: set[str]) -> None:
    run = ""
    for kind, value in [*nodes, (None, None)]:
        if kind is op.LITERAL:
            run += chr(value)
            continue
        if run:
            words.add(run)
        run = ""
        if kind is op.SUBPATTERN:
            _collect(list(value[3]), words)
        elif kind is op.BRANCH:
            for branch in value[1]:
                _collect(list(branch), words)
        elif kind in (op.MAX_REPEAT, op.MIN_REPEAT):
            _collect(list(value[2]), words)
        elif kind is op.IN:
            words.update(chr(part[1]) for part in value if part[0] is op.LITERAL)
