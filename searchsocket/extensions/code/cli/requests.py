"""Requests of the commands for source code, and code as they print it."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

import click

from searchsocket.cli.options import all_of, language_option, load_scope
from searchsocket.cli.output import not_searched, safe, warn
from searchsocket.extensions.code.search.answer import CodeResult
from searchsocket.extensions.code.search.find_all import CodeFindAnswer
from searchsocket.extensions.code.search.results import numbered_lines
from searchsocket.extensions.code.serving.part import CodePart
from searchsocket.extensions.code.serving.service import CodeService, open_code
from searchsocket.extensions.code.serving.status import CodeStatus, CodeSynced
from searchsocket.serving.capabilities.base import SHELL, A, Capability, R, Services
from searchsocket.serving.scopes import ReadableScopes
from searchsocket.text.hidden import visible

# `path` and `languages`.
files_options = all_of(
    language_option,
    click.option("--path", default="", metavar="PATH", help="Only in this folder, or files that match this glob."),
)


class CodeScope(NamedTuple):
    """The services for a project's source code, and a scope."""

    code: CodeService
    scope: str
    services: Services


def open_scope(root: Path, scope_name: str | None) -> CodeScope:
    """Open the source code of the project in `root`."""
    project, scope = load_scope(root, scope_name)
    code = open_code(project, os.environ, on_error=warn)
    services = Services(
        project,
        ReadableScopes(project, os.environ),
        _no_service,
        _no_service,
        {"code": lambda: CodePart(lambda: code, None)},
    )
    return CodeScope(code, scope.name, services)


def answer_of(capability: Capability[R, A], root: Path, scope_name: str | None, **fields: object) -> A:
    """Answer a request about source code."""
    source = open_scope(root, scope_name)
    request = capability.request.model_construct(None, scope=source.scope, **fields)
    return capability.run(source.services, request, SHELL)


def _no_service() -> NoReturn:
    raise AssertionError("a command over source code needs no other service")


def not_searched_lines(answer: CodeFindAnswer | CodeStatus | CodeSynced) -> Iterator[str]:
    """Yield a line about the files that are not searched, if there are any."""
    yield from not_searched([(each.page, each.reason) for each in answer.skipped], answer.skip_reasons)


def result_lines(result: CodeResult) -> Iterator[str]:
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
    """`file:line`, or `file:line:column`; a name keeps its hidden characters, as codes, and is one line."""
    name = visible(file).replace("\n", "⟨U+000A⟩")
    return click.style(name, fg="cyan") + f":{line}" + (f":{column}" if column else "")


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
