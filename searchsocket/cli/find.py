"""`searchsocket find`: every occurrence of words or a phrase."""

import os
from collections.abc import Iterator
from pathlib import Path

import click

from searchsocket.cli.options import (
    continuation_option,
    count_option,
    each,
    json_option,
    load_project,
    named_filter,
    pages_options,
    project_option,
    scope_option,
    tokens_option,
)
from searchsocket.cli.output import count, line_width, safe
from searchsocket.cli.results import mark_lines
from searchsocket.search.bounds import MAX_OCCURRENCES
from searchsocket.search.occurrences.answer import FindAnswer, FindQuery
from searchsocket.serving.answer_json import to_json
from searchsocket.serving.service import open_service

_INDENT = "   "


@click.command()
@click.argument("words", nargs=-1, required=True)
@project_option
@scope_option
@count_option("--limit", MAX_OCCURRENCES, 20, "Maximum number of occurrences.")
@click.option("--parts", is_flag=True, help="Match inside longer words too.")
@click.option("--match-case", is_flag=True, help="Match upper and lower case exactly.")
@pages_options
@continuation_option
@tokens_option
@json_option
def find(
    words: tuple[str, ...],
    root: Path,
    scope_name: str | None,
    limit: int,
    parts: bool,
    match_case: bool,
    path_prefix: str,
    tags: tuple[str, ...],
    languages: tuple[str, ...],
    named: tuple[str, ...],
    versions: tuple[str, ...],
    continuation: str,
    max_tokens: int | None,
    as_json: bool,
) -> None:
    """List every occurrence of words or a phrase.

    \b
    Example:
      searchsocket find atomic rename
      searchsocket find --parts embed --path-prefix /docs --json
    """

    project = load_project(root)
    scope = project.scope(os.environ, scope_name)
    filters = (*each("language", languages), *map(named_filter, named))
    query = FindQuery(
        " ".join(words),
        limit,
        not parts,
        match_case,
        path_prefix,
        tags,
        filters,
        versions,
        continuation,
        max_tokens,
    )
    answer = open_service(project, os.environ).find(query, scope)
    for note in answer.notes:
        click.echo(f"note: {note.message}", err=True)
    if as_json:
        click.echo(to_json(answer, sources=True))
        return
    for line in answer_lines(answer, line_width()):
        click.echo(line)


def answer_lines(answer: FindAnswer, width: int) -> Iterator[str]:
    """Yield each page once, with its lines that contain the words."""
    page = ""
    for match in answer.occurrences:
        if match.url != page:
            page = match.url
            yield f"{click.style(safe(match.title) or page, bold=True)}  {click.style(safe(page), fg='cyan')}"
        for number, line in enumerate(mark_lines(match.snippet, match.marks, width - 2 * len(_INDENT) - 2)):
            yield f"{_INDENT}{match.line if number == 0 else '':>4}  {line}"
    if answer.occurrences:
        yield ""
    yield click.style(
        f"{count(answer.total, 'occurrence')} on {count(answer.pages, 'page')}, scope {answer.scope}", dim=True
    )
    if answer.continuation:
        yield click.style(f"more with --continuation {answer.continuation}", dim=True)
