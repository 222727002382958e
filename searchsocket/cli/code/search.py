"""`searchsocket code search`."""

from pathlib import Path

import click

from searchsocket.cli.code.requests import answer, files_options, print_answer, result_lines
from searchsocket.cli.options import count_option, json_option, part_options, project_option, scope_option
from searchsocket.cli.results import more_lines
from searchsocket.search.bounds import MAX_CODE_TOP_K
from searchsocket.serving.capabilities.code import SEARCH_CODE


@click.command()
@click.argument("query", nargs=-1, required=True)
@project_option
@scope_option
@count_option("--limit", MAX_CODE_TOP_K, 10, "Maximum number of results.", "--top-k")
@files_options
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only definitions of this kind, e.g. function.")
@click.option("--exported", is_flag=True, help="Only definitions that other files can use.")
@count_option("--per-file", MAX_CODE_TOP_K, 3, "Maximum number of results per file.")
@part_options
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
    max_tokens: int | None,
    token: str,
    as_json: bool,
) -> None:
    """Find code by meaning, words and names of definitions.

    \b
    Example:
      searchsocket code search how are tokens checked
      searchsocket code search Parser.parse --path 'src/**/*.ts' --json
    """

    results = answer(
        SEARCH_CODE,
        root,
        scope_name,
        q=" ".join(query),
        top_k=limit,
        path=path,
        languages=languages,
        kinds=kinds,
        exported=exported,
        max_per_file=per_file,
        max_tokens=max_tokens,
        continuation_token=token,
    )
    for note in results.notes:
        click.echo(f"note: {note.message}", err=True)
    if as_json:
        print_answer(results)
        return
    if not results.results:
        click.echo("no code matches this query closely")
    for result in results.results:
        for line in result_lines(result):
            click.echo(line)
        click.echo()
    for line in more_lines(results.continuation_token):
        click.echo(line)
