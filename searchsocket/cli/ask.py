"""`searchsocket ask`: the passages that answer a question."""

import os
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent
from typing import Any

import click

from searchsocket.cli.options import WholeNumber, continue_option, count_option, json_option, load_scope, scope_options
from searchsocket.cli.output import safe
from searchsocket.cli.results import changed_mark, more_lines, print_answer
from searchsocket.search.answering.answer import AnswerPassage, AskAnswer, AskQuery
from searchsocket.search.bounds import LEAST_MAX_TOKENS, MAX_PASSAGES, MOST_MAX_TOKENS
from searchsocket.serving.content import open_content
from searchsocket.serving.service import open_service


@click.command()
@click.argument("question", nargs=-1, required=True)
@scope_options
@count_option("--limit", MAX_PASSAGES, 3, "Maximum number of passages.")
@click.option(
    "--max-tokens",
    type=WholeNumber(LEAST_MAX_TOKENS, MOST_MAX_TOKENS),
    default=2_000,
    show_default=True,
    help="Approximate maximum size of the text in tokens.",
)
@continue_option
@json_option
def ask(question: tuple[str, ...], root: Path, scope_name: str | None, as_json: bool, **fields: Any) -> None:
    """Answer a question with passages of pages and code.

    \b
    Example:
      searchsocket ask how are tokens rotated
      searchsocket ask "Which port does it listen on?" --limit 1 --json
    """
    project, scope = load_scope(root, scope_name)
    service = open_content(project, os.environ, open_service(project, os.environ))
    answer = service.ask(AskQuery(" ".join(question), **fields), scope.name, trusted=True)
    print_answer(answer, _lines(answer), as_json=as_json, notes=answer.notes)


def _lines(answer: AskAnswer) -> Iterator[str]:
    if not answer.answered:
        yield answer.message
    for passage in answer.passages:
        changed = changed_mark(changed=passage.changed_since)
        yield f"{click.style(_place(passage), fg='cyan')}  {passage.confidence:.2f}{changed}"
        yield indent("\n".join(map(safe, passage.text.expandtabs(4).split("\n"))), "   ")
        yield ""
    yield from more_lines(answer.continuation_token)


def _place(passage: AnswerPassage) -> str:
    """The location of a passage: its file and line for an editor, or its page."""
    lines = passage.source
    if lines is not None and lines.file and lines.first_line:
        return f"{safe(lines.file)}:{lines.first_line}"
    return safe(passage.href or passage.file_path)
