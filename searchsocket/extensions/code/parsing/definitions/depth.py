"""Nesting that a grammar cannot bear.

The scanner of YAML writes four bytes per open collection into a buffer of 1,024 bytes and does not check its end: from
254 collections on, it writes over the memory of the process.
"""

import re
from collections.abc import Iterator

_MOST_COLLECTIONS = 200  # nobody writes 100 levels by hand
_LINE_END = re.compile(rb"[\r\n]")
_INDICATOR = re.compile(rb"[-?:](?=[ \t]|\Z)")


def is_too_deep(language: str, source: bytes) -> bool:
    """Return True if the parser must not read a file."""
    return language == "yaml" and any(count > _MOST_COLLECTIONS for count in _collections(source))


def _collections(source: bytes) -> Iterator[int]:
    """An upper bound of the open collections at each line: two per column in which one starts, and those of the line.

    Two, because the items of a list may be in the column of its key.
    """
    columns: list[int] = []
    for line in _LINE_END.split(source):
        text = line.lstrip(b" \t")
        if not text:
            continue
        column = len(line) - len(text)
        while columns and columns[-1] >= column:
            columns.pop()
        columns.append(column)
        yield 2 * len(columns) + len(_INDICATOR.findall(text))
