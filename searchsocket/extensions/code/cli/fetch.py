"""`searchsocket code fetch`."""

import re
from collections.abc import Sequence
from pathlib import Path

import click

from searchsocket.cli.options import count_option, json_option, scope_options, tokens_option
from searchsocket.cli.output import safe
from searchsocket.cli.results import print_answer
from searchsocket.errors import InvalidRequest
from searchsocket.extensions.code.cli.requests import CodeScope, file_line, open_scope
from searchsocket.extensions.code.jsonl.chunk_ids import ChunkIds
from searchsocket.extensions.code.search.fetch import FetchedLines, LinesLeft, fetched_code
from searchsocket.search.bounds import MAX_LINES, MAX_PLACES

_LISTED_ID = re.compile(r"[^\[\]\s,\"']+")


@click.command()
@click.argument("places", nargs=-1)
@click.option("--id", "--ids", "ids", multiple=True, metavar="ID", help="Chunk id from a result, or a list of them.")
@scope_options
@count_option("--max-lines", MAX_LINES, MAX_LINES, "Maximum number of lines per place.")
@tokens_option
@json_option
def fetch(
    places: tuple[str, ...],
    ids: tuple[str, ...],
    root: Path,
    scope_name: str | None,
    max_lines: int,
    max_tokens: int | None,
    as_json: bool,
) -> None:
    """Print lines of indexed files.

    At most five places with 120 lines each, read from the files as they are now. PLACES are FILE:FIRST-LAST, as in
    results.

    \b
    Example:
      searchsocket code fetch src/auth/token.ts:45-78
      searchsocket code fetch src/auth/token.ts:45 src/use.ts --max-lines 20 --json
    """
    ids = tuple(each for listed in ids for each in _LISTED_ID.findall(listed))
    if not 1 <= len(places) + len(ids) <= MAX_PLACES:
        raise click.UsageError("pass one to five places")
    source = open_scope(root, scope_name)
    files = [_file(source, place, max_lines) for place in places]
    files += source.code.fetch_chunks(_chunk_ids(source, ids), source.scope, max_lines) if ids else []
    left: Sequence[LinesLeft] = ()
    if as_json or max_tokens:
        answer = fetched_code(source.scope, files, max_tokens)
        if as_json:
            print_answer(answer, (), as_json=True)
            return
        files, left = list(answer.fetched), answer.left
    for each in files:
        if each.changed_since:
            click.echo(f"note: {each.file} has changed since it was indexed", err=True)
        if len(files) > 1:
            click.echo(file_line(each.file, each.first_line))
        for line in each.text:
            number, mark, text = line.partition("| ")
            click.echo(click.style(number + mark, dim=True) + safe(text))
    for more in left:
        click.echo(click.style(f"more: {safe(more.file)}:{more.first_line}-{more.last_line}", dim=True))


def _chunk_ids(source: CodeScope, ids: Sequence[str]) -> list[str]:
    """Return ids as results have them; the numbers of `code serve` are accepted too.

    Raises:
        InvalidRequest: A number is unknown.
    """
    numbers = ChunkIds(source.code.home.state_dir)
    chunk_ids = [numbers.record_id(source.scope, int(each)) if each.isdecimal() else each for each in ids]
    if None in chunk_ids:
        raise InvalidRequest(f"unknown chunk id {ids[chunk_ids.index(None)]}: search again")
    return [each for each in chunk_ids if each is not None]


def _file(source: CodeScope, place: str, max_lines: int) -> FetchedLines:
    path, mark, lines = place.rpartition(":")
    first, _, last = lines.partition("-")
    if not mark or not _is_number(first) or not _is_number(last or first):
        path, first, last = place, "1", str(max_lines)
    return source.code.fetch_file(path, int(first), int(last or first), source.scope, max_lines)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10
