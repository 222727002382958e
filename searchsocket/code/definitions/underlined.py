"""Find sections of plain text by underlined titles, as in reStructuredText."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from searchsocket.code.definitions.model import Definition, Symbol

_RULE = re.compile(r"([=\-~^\"'`*+#.:_])\1{2,}\s*$")
_MAX_TITLE = 200
_MAX_DEPTH = 8  # of nested sections; deeper ones become siblings


class _Title(NamedTuple):
    first: int  # first line, from 1; that of the rule above the title, if there is one
    line: int
    text: str
    depth: int


def underlined_sections(lines: Sequence[str]) -> tuple[Definition, ...]:
    """The top sections with their subsections; the first title style is the outermost, as in docutils."""
    titles = list(_titles(lines))
    return tuple(_sections(titles, len(lines), ()))


def _titles(lines: Sequence[str]) -> Iterator[_Title]:
    styles: dict[tuple[str, bool], int] = {}
    for at in range(len(lines) - 1):
        text = lines[at].strip()
        rule = _RULE.match(lines[at + 1])
        if not text or rule is None or len(lines[at + 1].rstrip()) < len(text) or _RULE.match(lines[at]):
            continue
        above = lines[at - 1].rstrip() if at else ""
        is_between = bool(above) and above == lines[at + 1].rstrip()
        if is_between or (not above and not lines[at][0].isspace()):
            depth = styles.setdefault((rule[1], is_between), min(len(styles), _MAX_DEPTH - 1))
            yield _Title(at if is_between else at + 1, at + 1, text[:_MAX_TITLE], depth)


def _sections(titles: Sequence[_Title], last: int, parents: tuple[str, ...]) -> Iterator[Definition]:
    at = 0
    while at < len(titles):
        title = titles[at]
        end = next((n for n in range(at + 1, len(titles)) if titles[n].depth <= title.depth), len(titles))
        until = titles[end].first - 1 if end < len(titles) else last
        members = tuple(_sections(titles[at + 1 : end], until, (*parents, title.text)))
        symbol = Symbol(title.text, parents, "heading", title.line, exported=False)
        yield Definition((symbol,), title.first, until, title.text, members=members)
        at = end
