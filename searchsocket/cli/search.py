"""`searchsocket search`: ask the live index of a scope (spec 14, 19)."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

import click

from searchsocket.cli.asking import ask, identity
from searchsocket.cli.exits import exit_status
from searchsocket.cli.options import (
    count_option,
    each,
    json_option,
    load_project,
    named_filter,
    part_options,
    project_option,
    scope_option,
    versions_option,
)
from searchsocket.cli.output import line_width, print_error, safe
from searchsocket.cli.results import answer_lines, more_lines, places_of
from searchsocket.cli.searched import note_search
from searchsocket.pipeline.unchanged.state_dir import state_dir_of
from searchsocket.search.bounds import MAX_TOP_K
from searchsocket.system.garbage import end_at_once, loading

if TYPE_CHECKING:
    from searchsocket.project.project import Project
    from searchsocket.project.settings.model import Settings
    from searchsocket.search.answer import SearchAnswer
    from searchsocket.search.engine import SearchEngine
    from searchsocket.serving.service import SearchService
    from searchsocket.types import Scope


@click.command()
@click.argument("query", nargs=-1, required=True)
@project_option
@scope_option
@count_option("--top-k", MAX_TOP_K, 5, "Maximum number of results.")
@click.option("--path-prefix", default="", metavar="PATH", help="Only below this path, e.g. /docs.")
@click.option("--tag", "tags", multiple=True, help="Only pages with this tag; repeat for several.")
@click.option(
    "--language", "languages", multiple=True, metavar="LANG", help="Only in this language; repeat for any of several."
)
@click.option(
    "--kind", "kinds", multiple=True, help="Only chunks of this kind, e.g. section; repeat for any of several."
)
@click.option(
    "--filter",
    "named",
    multiple=True,
    metavar="NAME=VALUE",
    help="Only with this value of a facet; repeat for any of several.",
)
@versions_option
@click.option("--facet", "facets", multiple=True, metavar="NAME", help="Count pages by the values of this facet.")
@click.option("--group-by", type=click.Choice(["page", "chunk"]), default="page", show_default=True)
@click.option(
    "--generation", default="", metavar="NAME", help="Search another generation: candidate, previous, or its name."
)
@click.option("--rerank", is_flag=True, help="Rerank the best candidates with the configured reranker.")
@click.option("--explain", is_flag=True, help="Show the parts of each score.")
@part_options
@click.option("--open", "opens", is_flag=True, help="Open the best result in the browser.")
@json_option
@loading()  # it ends soon
def search(
    query: tuple[str, ...],
    root: Path,
    scope_name: str | None,
    top_k: int,
    path_prefix: str,
    tags: tuple[str, ...],
    languages: tuple[str, ...],
    kinds: tuple[str, ...],
    named: tuple[str, ...],
    versions: tuple[str, ...],
    facets: tuple[str, ...],
    group_by: str,
    generation: str,
    rerank: bool,
    explain: bool,
    max_tokens: int | None,
    token: str,
    opens: bool,
    as_json: bool,
) -> None:
    """Search the site from the command line.

    If `searchsocket serve` is running for this project, it answers, which is faster.

    \b
    Example:
      searchsocket search how do I install it
      searchsocket search "rate limit" --path-prefix /docs --top-k 3 --json
      searchsocket search "rate limit" --open
    """
    end_at_once()
    fields = {
        "q": " ".join(query),
        "top_k": top_k,
        "path_prefix": path_prefix,
        "tags": tags,
        "group_by": group_by,
        "filters": (*each("language", languages), *each("kind", kinds), *map(named_filter, named)),
        "version": versions,
        "facets": facets,
        "explain": explain,
        "rerank": rerank,
        "section_snippets": as_json,  # what is printed names them
        "sources": True,
    }
    request = {"query": fields, "scope": scope_name, "json": as_json, "width": line_width()}
    is_plain = not (opens or rerank or generation or max_tokens or token)
    if is_plain and (reply := ask(str(root), os.environ, request)):
        _print(reply)
        note_search(Path(state_dir_of(str(root), os.environ)), " ".join(query), reply["scope"], reply["places"])
        return
    from searchsocket.search.query import SearchQuery

    asked = SearchQuery(**fields)  # type: ignore[arg-type]  # the types of click's options
    if is_plain and (kept := _kept(root)):
        from searchsocket.serving.shell.query import answer_alone

        answer = answer_alone(kept, asked, os.environ, scope_name)
        _answered(kept, answer, as_json)
        return
    project = load_project(root)
    keep_settings(project)
    scope = project.scope(os.environ, scope_name)
    base_url = _base_url(project.settings) if opens else ""
    if generation and (max_tokens or token):
        raise click.UsageError("--max-tokens and --continue work only with the live generation; leave --generation out")
    if generation:
        answer = _engine_of(project, scope, generation).search(asked, scope)
        _show(answer, as_json)
    else:
        from searchsocket.serving.service import open_service

        service = open_service(project, os.environ, on_error=_report)
        if max_tokens or token:
            answer = _part(service, fields, scope, max_tokens, token)
        else:
            answer = service.search(asked, scope)
        _answered(project, answer, as_json)
    if opens and answer.results:
        _open(urljoin(base_url, answer.results[0].href))  # which has the base path


def _part(
    service: "SearchService", fields: Mapping[str, Any], scope: "Scope", max_tokens: int | None, token: str
) -> "SearchAnswer":
    """The best results that fit in a number of tokens."""
    from searchsocket.serving.capabilities.base import SHELL
    from searchsocket.serving.capabilities.pages import SearchRequest, search_scope

    filters = [f"{name}:{value}" for name, values in fields["filters"] for value in values]
    part = {"filters": filters, "max_tokens": max_tokens, "continuation_token": token}
    return search_scope(service, SearchRequest.model_construct(None, **{**fields, **part}), scope, SHELL)


def _kept(root: Path) -> "Project | None":
    """The project, where its settings are known already and nobody else is asked."""
    from searchsocket.serving.shell.kept_project import kept_project
    from searchsocket.serving.shell.query import answers_alone

    with suppress(OSError):  # of which who reads the settings says more
        project = kept_project(root, identity(os.path.realpath(root), os.environ), os.environ)
        return project if project and answers_alone(project) else None
    return None


def keep_settings(project: "Project") -> None:
    """Keep a project as its settings were just read, for the queries that follow."""
    from searchsocket.serving.shell.kept_project import keep_project

    with suppress(OSError):
        keep_project(project, identity(os.path.realpath(project.root), os.environ))


def _answered(project: "Project", answer: "SearchAnswer", as_json: bool) -> None:
    note_search(project.state_dir, answer.q, answer.scope, places_of(answer))
    _show(answer, as_json)


def _show(answer: "SearchAnswer", as_json: bool) -> None:
    for note in answer.meta.notes:
        click.echo(f"note: {note.message}", err=True)
    if as_json:
        click.echo(_json(answer))
    else:
        for line in (*answer_lines(answer, line_width()), *more_lines(answer.continuation_token)):
            click.echo(line)


def _json(answer: "SearchAnswer") -> str:
    from searchsocket.serving.shell.plain_json import plain_json

    if (text := plain_json(answer)) is not None:
        return text
    from searchsocket.serving.answer_json import to_json

    return to_json(answer, sources=True).decode()


def _print(reply: Mapping[str, Any]) -> None:
    """Print the answer of a service."""
    if error := reply.get("error"):
        print_error(error["code"], error["message"])
        raise SystemExit(exit_status(error["code"]))
    for note in reply["notes"]:
        click.echo(f"note: {note}", err=True)
    for line in reply["lines"]:
        click.echo(line)


def _engine_of(project: "Project", scope: "Scope", generation: str) -> "SearchEngine":
    """The engine over a stored generation."""
    from datetime import UTC, datetime

    from searchsocket.backends import Backends
    from searchsocket.quality.engine import engine_over

    backends = Backends(project, os.environ)
    reader = backends.store.reader_of(scope, generation)
    click.echo(f"note: results are from generation {reader.generation.name}", err=True)
    return engine_over(project, backends, reader, lambda: datetime.now(UTC))


def _base_url(settings: "Settings") -> str:
    """The URL of the site."""
    from searchsocket.errors import ConfigMissing

    if not (base_url := settings.project.base_url):
        raise ConfigMissing("--open needs the URL of the site; set project.base_url, e.g. https://example.com")
    return base_url


def _open(url: str) -> None:
    import webbrowser

    if not webbrowser.open(url):
        click.echo(f"could not open a browser; open {safe(url)}", err=True)


def _report(error: BaseException) -> None:
    click.echo(f"warning: {error}", err=True)
