"""`searchsocket code`: ask the index of the source code."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from searchsocket.cli.options import json_option, load_project, project_option, scope_option
from searchsocket.cli.output import print_json, safe

if TYPE_CHECKING:
    from searchsocket.search.code.answer import CodeAnswer, CodeResult


@click.group()
def code() -> None:
    """Ask the index of the source code.

    \b
    Example:
      searchsocket index --only code
      searchsocket code search verifyToken
    """


@code.command()
@click.argument("query", nargs=-1, required=True)
@project_option
@scope_option
@click.option("--limit", type=click.IntRange(1, 50), default=10, show_default=True, help="Results at most.")
@click.option("--path", default="", metavar="PATH", help="Only below this folder, or what this glob matches.")
@click.option("--language", "languages", multiple=True, metavar="LANG", help="Only in this language; repeat for more.")
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only definitions of this kind, e.g. function.")
@click.option("--exported", is_flag=True, help="Only what other files can use.")
@click.option("--per-file", type=click.IntRange(1, 50), default=2, show_default=True, help="Results of one file.")
@json_option
def search(
    query: tuple[str, ...],
    root: Path,
    scope_name: str | None,
    limit: int,
    path: str,
    languages: tuple[str, ...],
    kinds: tuple[str, ...],
    exported: bool,
    per_file: int,
    as_json: bool,
) -> None:
    """Find code by its meaning, its words and its names.

    \b
    Example:
      searchsocket code search how are tokens checked
      searchsocket code search Parser.parse --path 'src/**/*.ts' --json
    """
    from searchsocket.search.code.query import CodeQuery
    from searchsocket.serving.code import open_code

    project = load_project(root)
    scope = project.scope(os.environ, scope_name)
    asked = CodeQuery(" ".join(query), limit, path, languages, kinds, exported, per_file)
    answer = open_code(project, os.environ, on_error=_report).search(asked, scope.name)
    for note in answer.notes:
        click.echo(f"note: {note.message}", err=True)
    if as_json:
        from searchsocket.serving.answer_json import to_json

        click.echo(to_json(answer, sources=True))
        return
    for line in _lines(answer):
        click.echo(line)


@code.command()
@click.argument("place")
@project_option
@scope_option
@json_option
def fetch(place: str, root: Path, scope_name: str | None, as_json: bool) -> None:
    """Print lines of an indexed file, numbered, 120 at most.

    PLACE is a file with its lines, as results name them.

    \b
    Example:
      searchsocket code fetch src/auth/token.ts:45-78
    """
    from dataclasses import asdict

    from searchsocket.search.code.fetch import MAX_LINES
    from searchsocket.serving.code import open_code

    path, mark, lines = place.rpartition(":")
    first, _, last = lines.partition("-")
    if not mark or not first.isdecimal() or not (last or first).isdecimal():
        path, first, last = place, "1", str(MAX_LINES)
    project = load_project(root)
    scope = project.scope(os.environ, scope_name)
    found = open_code(project, os.environ, on_error=_report).fetch_file(
        path, int(first), int(last or first), scope.name
    )
    if as_json:
        print_json(asdict(found))
        return
    if found.changed_since:
        click.echo("note: the file changed since it was indexed", err=True)
    for line in found.text:
        click.echo(safe(line))


def _lines(answer: "CodeAnswer") -> Iterator[str]:
    """Each result as `file:line`, which editors open, and the lines that it begins with."""
    if not answer.results:
        yield "nothing in the code is near this query"
    for result in answer.results:
        yield from _result(result)
        yield ""


def _result(result: "CodeResult") -> Iterator[str]:
    first, _, last = result.lines.partition("-")
    name = f"  {result.kind} {click.style(safe(result.symbol), bold=True)}" if result.symbol else ""
    changed = click.style("  changed since it was indexed", fg="yellow") if result.changed_since else ""
    yield f"{click.style(safe(result.file), fg='cyan')}:{first}{name}  {result.score:.2f}{changed}"
    lines = result.preview.split("\n")
    for number, line in enumerate(lines, int(first)):
        yield f"  {click.style(f'{number:>5}', dim=True)}  {_marked(safe(line.expandtabs(4)), result.why.terms)}"
    if (rest := int(last) - int(first) + 1 - len(lines)) > 0:
        yield click.style(f"         … {rest} more lines", dim=True)


def _marked(line: str, terms: tuple[str, ...]) -> str:
    """The words of the query made visible, where the terminal can."""
    import re

    pattern = "|".join(re.escape(term) for term in sorted(terms, key=len, reverse=True))
    if not pattern:
        return line
    return re.sub(f"(?i)({pattern})", lambda match: click.style(match[0], fg="yellow", bold=True), line)


def _report(error: BaseException) -> None:
    click.echo(f"warning: {error}", err=True)
