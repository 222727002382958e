"""`searchsocket find`: every occurrence of words or a phrase."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from searchsocket.cli.options import (
    continuation_option,
    count_option,
    each,
    json_option,
    load_scope,
    named_filter,
    pages_options,
    scope_options,
    tokens_option,
)
from searchsocket.cli.output import count, line_width, safe
from searchsocket.cli.results import mark_lines, print_answer
from searchsocket.search.bounds import MAX_OCCURRENCES
from searchsocket.search.occurrences import FindAnswer, FindQuery
from searchsocket.serving.service import open_service

_INDENT = "   "


@click.command()
@click.argument("words", nargs=-1, required=True)
@scope_options
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
    parts: bool,
    languages: tuple[str, ...],
    named: tuple[str, ...],
    as_json: bool,
    **fields: Any,
) -> None:
    """List every occurrence of words or a phrase.

    \b
    Example:
      searchsocket find atomic rename
      searchsocket find --parts embed --path-prefix /docs --json
    """
    project, scope = load_scope(root, scope_name)
    filters = (*each("language", languages), *map(named_filter, named))
    query = FindQuery(" ".join(words), whole_words=not parts, filters=filters, **fields)
    answer = open_service(project, os.environ).find(query, scope)
    print_answer(answer, answer_lines(answer, line_width()), as_json=as_json, notes=answer.notes)


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
