"""Format code for a terminal: `file:line`, which editors open, and numbered lines."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from searchsocket.cli.output import safe
from searchsocket.search.code.results import numbered_lines

if TYPE_CHECKING:
    from searchsocket.search.code.answer import CodeResult


def result_lines(result: "CodeResult") -> Iterator[str]:
    """Yield the lines of a result: its place, kind and name, and its first lines of code."""
    first, _, last = result.lines.partition("-")
    name = f"  {result.kind} {click.style(safe(result.symbol), bold=True)}" if result.symbol else ""
    changed = click.style("  has changed since it was indexed", fg="yellow") if result.changed_since else ""
    yield f"{file_line(result.file, int(first))}{name}  {result.score:.2f}{changed}"
    lines = list(numbered_lines(result.preview, int(first)))
    for number, line in lines:
        yield numbered(number, marked(safe(line.expandtabs(4)), result.why.terms))
    if (remaining := int(last) - int(first) + 1 - len(lines)) > 0:
        yield click.style(f"         … {remaining} more line{'s' if remaining > 1 else ''}", dim=True)


def file_line(file: str, line: int, column: int = 0) -> str:
    """`file:line`, or `file:line:column`."""
    return click.style(safe(file), fg="cyan") + f":{line}" + (f":{column}" if column else "")


def numbered(number: int, line: str) -> str:
    """Return a line after its number."""
    return f"  {click.style(f'{number:>5}', dim=True)}  {line}"


def marked(line: str, terms: Sequence[str]) -> str:
    """Highlight the words of the query."""
    pattern = "|".join(re.escape(term) for term in sorted(terms, key=len, reverse=True))
    if not pattern:
        return line
    return re.sub(f"(?i)({pattern})", lambda match: bright(match[0]), line)


def bright(text: str) -> str:
    """Highlight a match."""
    return click.style(text, fg="yellow", bold=True)
