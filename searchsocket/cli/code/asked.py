"""Service and scope for the commands over source code."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from searchsocket.cli.options import load_project

if TYPE_CHECKING:
    from searchsocket.search.wire import Wire
    from searchsocket.serving.code import CodeService

F = TypeVar("F", bound=Callable[..., Any])


class Asked(NamedTuple):
    """A project's source code, and the name of a scope."""

    code: "CodeService"
    scope: str


def asked(root: Path, scope_name: str | None) -> Asked:
    """Open the service and the scope of a command line."""
    from searchsocket.serving.code import open_code

    project = load_project(root)
    scope = project.scope(os.environ, scope_name)
    return Asked(open_code(project, os.environ, on_error=_report), scope.name)


def print_answer(answer: "Wire") -> None:
    """An answer as the service would send it."""
    from searchsocket.serving.answer_json import to_json

    click.echo(to_json(answer, sources=True))


def files_options(command: F) -> F:
    """`--path` and `--language`, given as `path` and `languages`."""
    command = click.option(
        "--language",
        "languages",
        multiple=True,
        metavar="LANG",
        help="Only in this language; repeat for any of several.",
    )(command)
    return click.option(
        "--path", default="", metavar="PATH", help="Only in this folder, or files that match this glob."
    )(command)


def _report(error: BaseException) -> None:
    click.echo(f"warning: {error}", err=True)
