"""Precedence of two routes."""

import re
from functools import cmp_to_key
from typing import NamedTuple

from searchsocket.web.routes.segments import url_folders

_INNER_OPTIONAL = re.compile(r"\[\[[^\]]+\]\](?!(?:/\([^/]+\))*$)")
_DYNAMIC = re.compile(r"\[\[.*?\]\]|\[.*?\]")


class _Part(NamedTuple):
    """Literal text, or one bracket of a segment; they alternate, literal first and last."""

    rank: int  # 0 literal, 1 required, 2 optional, 3 rest
    text: str
    matched: bool = False


_REST = 3
_ABSENT = (_Part(0, ""),)


def by_precedence(route_ids: list[str]) -> list[str]:
    """Route ids in the order in which SvelteKit tries them.

    Args:
        route_ids: Parents before their children, siblings by name: the framework's comparison is not a total
            order, so the initial order affects the result.
    """
    parts = {route_id: _parts(route_id) for route_id in route_ids}

    def compare(a: str, b: str) -> int:
        return _compare(parts[a], parts[b]) or (1 if _utf16(a) < _utf16(b) else -1)

    return sorted(route_ids, key=cmp_to_key(compare))


def _parts(route_id: str) -> list[tuple[_Part, ...]]:
    # Only optional segments at the end affect the order; earlier ones may be absent.
    return [_split(folder) for folder in url_folders(_INNER_OPTIONAL.sub("", route_id))]


def _split(folder: str) -> tuple[_Part, ...]:
    parts, at = [], 0
    for match in _DYNAMIC.finditer(folder):
        text = match[0]
        rank = 2 if text.startswith("[[") else _REST if text.startswith("[.") else 1
        parts += [_Part(0, folder[at : match.start()]), _Part(rank, text, "=" in text)]
        at = match.end()
    return (*parts, _Part(0, folder[at:]))


def _compare(a: list[tuple[_Part, ...]], b: list[tuple[_Part, ...]]) -> int:
    for i in range(max(len(a), len(b))):
        left = a[i] if i < len(a) else _ABSENT
        right = b[i] if i < len(b) else _ABSENT
        for j in range(max(len(left), len(right))):
            if j % 2 == 0:
                order = _compare_literals(left, right, j)
            elif j >= len(left) or j >= len(right):
                order = -1 if j >= len(left) else 1
            else:
                order = _compare_dynamic(left[j], right[j], _next_literal(a, i, j), _next_literal(b, i, j))
            if order:
                return order
    return 0


def _compare_literals(left: tuple[_Part, ...], right: tuple[_Part, ...], j: int) -> int:
    a, b = left[j].text, right[j].text  # missing dynamic parts were decided before
    if a == b:
        return 0
    if left is _ABSENT or right is _ABSENT:
        return -1 if left is _ABSENT else 1
    # Alphabetical, but `foobar` before `foo`.
    if a.startswith(b) or b.startswith(a):
        return -1 if len(a) > len(b) else 1
    return -1 if _utf16(a) < _utf16(b) else 1


def _compare_dynamic(a: _Part, b: _Part, next_a: str, next_b: str) -> int:
    if a.rank == b.rank == _REST and (next_a or next_b):
        return 0 if next_a and next_b else -1 if next_a else 1
    # `[...rest]/x` precedes `[required]`, but not `[required]/x`.
    if a.rank == _REST:
        return -1 if next_a and not next_b else 1
    if b.rank == _REST:
        return 1 if next_b and not next_a else -1
    if a.matched != b.matched:
        return -1 if a.matched else 1
    return a.rank - b.rank


def _next_literal(segments: list[tuple[_Part, ...]], i: int, j: int) -> str:
    return segments[i][j + 1].text or (segments[i + 1][0].text if i + 1 < len(segments) else "")


def _utf16(text: str) -> bytes:
    """Encode for JavaScript's order, in which characters beyond the basic plane precede some within it."""
    return text.encode("utf-16-be", "surrogatepass")
