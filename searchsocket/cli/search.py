"""`searchsocket search`: search the site from the command line (spec 14, 19)."""

import os
import webbrowser
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import click

from searchsocket.backends import Backends
from searchsocket.cli.options import (
    count_option,
    each,
    json_option,
    load_scope,
    named_filter,
    pages_options,
    part_options,
    scope_options,
)
from searchsocket.cli.output import line_width, safe, warn
from searchsocket.cli.recent_searches import note_search
from searchsocket.cli.results import answer_lines, more_lines, print_answer
from searchsocket.errors import ConfigMissing
from searchsocket.project.project import Project
from searchsocket.project.settings.model import Settings
from searchsocket.quality.generations import engine_over, queries_of
from searchsocket.search.answer import SearchAnswer
from searchsocket.search.bounds import MAX_TOP_K
from searchsocket.search.query import SearchQuery
from searchsocket.serving.service import open_service
from searchsocket.system.json_text import JsonObject
from searchsocket.system.this_process import end_at_once, without_collector
from searchsocket.types import Scope


@click.command()
@click.argument("query", nargs=-1, required=True)
@scope_options
@count_option("--top-k", MAX_TOP_K, 5, "Maximum number of results.", "--limit")
@pages_options
@click.option(
    "--prefer-language",
    default="",
    metavar="LANG",
    help="Show the translation of a page in this language, if there is one.",
)
@click.option(
    "--kind", "kinds", multiple=True, help="Only chunks of this kind, e.g. section; repeat for any of several."
)
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
@without_collector()  # the command is short
def search(
    query: tuple[str, ...],
    root: Path,
    scope_name: str | None,
    languages: tuple[str, ...],
    kinds: tuple[str, ...],
    named: tuple[str, ...],
    generation: str,
    max_tokens: int | None,
    continuation_token: str,
    opens: bool,
    as_json: bool,
    **fields: Any,
) -> None:
    """Search the site from the command line.

    \b
    Example:
      searchsocket search how do I install it
      searchsocket search "rate limit" --path-prefix /docs --top-k 3 --json
      searchsocket search "rate limit" --open
    """
    end_at_once()
    fields |= {
        "q": " ".join(query),
        "filters": (*each("language", languages), *each("kind", kinds), *map(named_filter, named)),
        "section_snippets": as_json,  # the printed text only names them
        "sources": True,
    }
    part: JsonObject = {"max_tokens": max_tokens, "continuation_token": continuation_token}
    project, scope = load_scope(root, scope_name)
    base_url = _base_url(project.settings) if opens else ""
    if generation and any(part.values()):
        raise click.UsageError("--max-tokens and --continue work only with the live generation; remove --generation")
    if generation:
        answer = _of_generation(project, SearchQuery(**fields), scope, generation)
    else:
        answer = _of_live(project, fields, scope, part)
        places = [f"{result.url}#{result.anchor}" if result.anchor else result.url for result in answer.results]
        note_search(project.state_dir, answer.q, answer.scope, places)
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
