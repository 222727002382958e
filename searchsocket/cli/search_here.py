"""Answer a search of the command line in this process, if no service runs."""

import os
import webbrowser
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from urllib.parse import urljoin

import click

from searchsocket.backends import Backends
from searchsocket.cli.options import load_scope
from searchsocket.cli.output import line_width, safe, warn
from searchsocket.cli.recent_searches import note_search
from searchsocket.cli.results import answer_lines, more_lines, places_of, print_answer
from searchsocket.errors import ConfigMissing
from searchsocket.project.project import Project
from searchsocket.project.settings.model import Settings
from searchsocket.quality.generations import engine_over, queries_of
from searchsocket.search.answer import SearchAnswer
from searchsocket.search.query import SearchQuery
from searchsocket.serving.service import open_service
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Scope


def print_own_answer(
    root: Path,
    fields: JsonObject,
    scope_name: str | None,
    generation: str,
    part: JsonObject,
    *,
    as_json: bool,
    opens: bool,
) -> None:
    """Print the answer to a query.

    Args:
        fields: Fields of `SearchQuery`.
        generation: A generation to search instead of the live one.
        part: `max_tokens` and `continuation_token`, to print only a part of the answer.
        opens: Open the first result in the browser.
    """
    project, scope = load_scope(root, scope_name)
    base_url = _base_url(project.settings) if opens else ""
    if generation and any(part.values()):
        raise click.UsageError("--max-tokens and --continue work only with the live generation; remove --generation")
    if generation:
        answer = _of_generation(project, SearchQuery(**fields), scope, generation)
    else:
        answer = _of_live(project, fields, scope, part)
        note_search(project.state_dir, answer.q, answer.scope, places_of(answer))
    lines = chain(answer_lines(answer, line_width()), more_lines(answer.continuation_token))
    print_answer(answer, lines, as_json=as_json, notes=answer.meta.notes)
    if opens and answer.results:
        _open(urljoin(base_url, answer.results[0].href))  # the link contains the base path


def _of_live(project: Project, fields: JsonObject, scope: Scope, part: JsonObject) -> SearchAnswer:
    """Search the live generation; return the answer, or its best results that fit in a number of tokens."""
    service = open_service(project, os.environ, on_error=warn)
    if not any(part.values()):
        return service.search(SearchQuery(**fields), scope)
    # Loading them builds the models of all requests, 3 % of a search.
    from searchsocket.serving.capabilities.base import SHELL
    from searchsocket.serving.capabilities.pages import SearchRequest, search_scope

    filters = [f"{name}:{value}" for name, values in fields["filters"] for value in values]
    request = SearchRequest.model_construct(None, **{**fields, "filters": filters, **part})
    return search_scope(service, request, scope, SHELL)


def _of_generation(project: Project, query: SearchQuery, scope: Scope, generation: str) -> SearchAnswer:
    """Search a stored generation."""
    backends = Backends(project, os.environ)
    reader = backends.store.reader_of(scope, generation)
    click.echo(f"note: results are from generation {reader.generation.name}", err=True)
    queries = queries_of(project, backends, _now)
    return engine_over(project, queries, reader, _now).search(query, scope)


def _now() -> datetime:
    return datetime.now(UTC)


def _base_url(settings: Settings) -> str:
    """Return the URL of the site."""
    if not (base_url := settings.project.base_url):
        raise ConfigMissing("--open needs the URL of the site; set project.base_url, e.g. https://example.com")
    return base_url


def _open(url: str) -> None:
    if not webbrowser.open(url):
        click.echo(f"could not open a browser; open {safe(url)}", err=True)
