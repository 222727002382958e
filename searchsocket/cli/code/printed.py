"""Code as a person reads it on a terminal: `file:line`, which editors open, and lines with their numbers."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from searchsocket.cli.output import safe
from searchsocket.search.code.preview import numbered_lines

if TYPE_CHECKING:
    from searchsocket.search.code.answer import CodeResult


def result_lines(result: "CodeResult") -> Iterator[str]:
    """A result: where it stands, what it is, and the lines that it begins with."""
    first, _, last = result.lines.partition("-")
    name = f"  {result.kind} {click.style(safe(result.symbol), bold=True)}" if result.symbol else ""
    changed = click.style("  has changed since it was indexed", fg="yellow") if result.changed_since else ""
    yield f"{file_line(result.file, int(first))}{name}  {result.score:.2f}{changed}"
    lines = list(numbered_lines(result.preview, int(first)))
    for number, line in lines:
        yield numbered(number, marked(safe(line.expandtabs(4)), result.why.terms))
    if (rest := int(last) - int(first) + 1 - len(lines)) > 0:
        yield click.style(f"         … {rest} more line{'s' if rest > 1 else ''}", dim=True)


def file_line(file: str, line: int, column: int = 0) -> str:
    """`file:line`, or `file:line:column`."""
    return click.style(safe(file), fg="cyan") + f":{line}" + (f":{column}" if column else "")


def numbered(number: int, line: str) -> str:
    """A line behind its number."""
    return f"  {click.style(f'{number:>5}', dim=True)}  {line}"


def marked(line: str, terms: Sequence[str]) -> str:
    """The words of the query made visible, where the terminal can."""
    pattern = "|".join(re.escape(term) for term in sorted(terms, key=len, reverse=True))
    if not pattern:
        return line
    return re.sub(f"(?i)({pattern})", lambda match: bright(match[0]), line)


def bright(text: str) -> str:
    """Highlight a match."""
    return click.style(text, fg="yellow", bold=True)
