"""`searchsocket code search`."""

from collections.abc import Iterator
from pathlib import Path

import click

from searchsocket.cli.options import count_option, json_option, part_options, scope_options
from searchsocket.cli.results import more_lines, print_answer
from searchsocket.extensions.code.capabilities import SEARCH_CODE
from searchsocket.extensions.code.cli.requests import answer_of, files_options, result_lines
from searchsocket.extensions.code.search.answer import CodeAnswer
from searchsocket.search.bounds import MAX_CODE_TOP_K


@click.command()
@click.argument("query", nargs=-1)
@click.option("--q", "text", default="", metavar="TEXT", help="The query, instead of QUERY.")
@scope_options
@count_option("--limit", MAX_CODE_TOP_K, 10, "Maximum number of results.", "--top-k", "top_k")
@files_options
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only definitions of this kind, e.g. function.")
@click.option("--exported", is_flag=True, help="Only definitions that other files can use.")
@count_option("--per-file", MAX_CODE_TOP_K, 3, "Maximum number of results per file.", "max_per_file")
@click.option("--explain", is_flag=True, help="Show the parts of each score.")
@part_options
@json_option
def search(
    query: tuple[str, ...], text: str, root: Path, scope_name: str | None, as_json: bool, **fields: object
) -> None:
    """Find code by meaning, words and names of definitions.

    \b
    Example:
      searchsocket code search how are tokens checked
      searchsocket code search Parser.parse --path 'src/**/*.ts' --json
    """
    if bool(query) == bool(text):
        raise click.UsageError("pass either QUERY or --q")
    answer = answer_of(SEARCH_CODE, root, scope_name, q=text or " ".join(query), **fields)
    print_answer(answer, _lines(answer), as_json=as_json, notes=answer.notes)


def _lines(answer: CodeAnswer) -> Iterator[str]:
    if not answer.results:
        yield "no code matches this query closely"
    for result in answer.results:
        yield from result_lines(result)
        if result.parts:
            largest = sorted(result.parts.items(), key=lambda part: -part[1])
            parts = " + ".join(f"{name} {part:.3f}" for name, part in largest)
            yield f"score {result.score:.3f} = {parts}"
        yield ""
    yield from more_lines(answer.continuation_token)
