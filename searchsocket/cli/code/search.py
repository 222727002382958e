"""`searchsocket code search`."""

from pathlib import Path

import click

from searchsocket.cli.code.asked import asked, files_options, print_answer
from searchsocket.cli.code.printed import result_lines
from searchsocket.cli.options import json_option, part_options, project_option, scope_option
from searchsocket.cli.results import more_lines


@click.command()
@click.argument("query", nargs=-1, required=True)
@project_option
@scope_option
@click.option("--limit", type=click.IntRange(1, 50), default=10, show_default=True, help="Maximum number of results.")
@files_options
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only definitions of this kind, e.g. function.")
@click.option("--exported", is_flag=True, help="Only definitions that other files can use.")
@click.option(
    "--per-file", type=click.IntRange(1, 50), default=2, show_default=True, help="Maximum number of results per file."
)
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
    from searchsocket.search.code.query import CodeQuery

    code, scope = asked(root, scope_name)
    wanted = CodeQuery(" ".join(query), limit, path, languages, kinds, exported, per_file)
    if max_tokens or token:
        from searchsocket.serving.parts import Part, code_part

        answer = code_part(code, wanted, Part(max_tokens, token), scope)
    else:
        answer = code.search(wanted, scope)
    for note in answer.notes:
        click.echo(f"note: {note.message}", err=True)
    if as_json:
        print_answer(answer)
        return
    if not answer.results:
        click.echo("no code matches this query closely")
    for result in answer.results:
        for line in result_lines(result):
            click.echo(line)
        click.echo()
    for line in more_lines(answer.continuation_token):
        click.echo(line)
