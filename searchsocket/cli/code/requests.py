"""Requests of the commands for source code."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click

from searchsocket.cli.options import load_project
from searchsocket.search.wire import Wire
from searchsocket.serving.answer_json import to_json
from searchsocket.serving.capabilities.base import SHELL, A, Capability, Services
from searchsocket.serving.code import CodeService, open_code
from searchsocket.serving.scopes import ReadableScopes

F = TypeVar("F", bound=Callable[..., Any])


class CodeScope(NamedTuple):
    """The services for a project's source code, and a scope."""

    code: CodeService
    scope: str
    services: Services


def open_scope(root: Path, scope_name: str | None) -> CodeScope:
    """Open the source code of the project in `root`."""

    project = load_project(root)
    scope = project.scope(os.environ, scope_name)
    code = open_code(project, os.environ, on_error=_report)
    services = Services(ReadableScopes(project, os.environ), _no_service, lambda: code, _no_service)
    return CodeScope(code, scope.name, services)


def answer(capability: Capability[Any, A], root: Path, scope_name: str | None, **fields: object) -> A:
    """Answer a request about source code."""

    source = open_scope(root, scope_name)
    request = capability.request.model_construct(None, scope=source.scope, **fields)
    return capability.run(source.services, request, SHELL)


def _no_service() -> Any:
    raise AssertionError("a command over source code needs no other service")


def print_answer(answer: Wire) -> None:
    """Print an answer as the service's JSON."""

    click.echo(to_json(answer, sources=True))


def files_options(command: F) -> F:
    """Add `--path` and `--language`, as the parameters `path` and `languages`."""
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
