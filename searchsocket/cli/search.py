"""`searchsocket search`: search the site from the command line (spec 14, 19)."""

import os
from pathlib import Path

import click

from searchsocket.cli.exits import exit_status
from searchsocket.cli.options import (
    count_option,
    each,
    json_option,
    named_filter,
    pages_options,
    part_options,
    scope_options,
)
from searchsocket.cli.output import line_width, print_error
from searchsocket.cli.recent_searches import note_search
from searchsocket.cli.service_client import ask
from searchsocket.pipeline.unchanged.environment import state_dir_of
from searchsocket.search.bounds import MAX_TOP_K
from searchsocket.system.json_text import JsonObject
from searchsocket.system.memory import end_at_once, without_collector


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
    **fields: object,
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
    fields |= {
        "q": " ".join(query),
        "filters": (*each("language", languages), *each("kind", kinds), *map(named_filter, named)),
        "section_snippets": as_json,  # the printed text only names them
        "sources": True,
    }
    request = {"query": fields, "scope": scope_name, "json": as_json, "width": line_width()}
    is_plain = not (opens or fields["rerank"] or generation or max_tokens or continuation_token)
    if is_plain and (reply := ask(str(root), os.environ, request)):
        _print(reply)
        note_search(Path(state_dir_of(str(root), os.environ)), " ".join(query), reply["scope"], reply["places"])
        return
    # Loads the engine, which is not needed with a running service.
    from searchsocket.cli.search_here import print_own_answer

    part = {"max_tokens": max_tokens, "continuation_token": continuation_token}
    print_own_answer(root, fields, scope_name, generation, part, as_json=as_json, opens=opens)


def _print(reply: JsonObject) -> None:
    """Print the answer of a service."""
    if error := reply.get("error"):
        print_error(error["code"], error["message"])
        raise SystemExit(exit_status(error["code"]))
    for note in reply["notes"]:
        click.echo(f"note: {note}", err=True)
    for line in reply["lines"]:
        click.echo(line)
