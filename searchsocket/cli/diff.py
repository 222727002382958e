"""`searchsocket diff`: differences between two generations, of one scope or two."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click

from searchsocket.backends import Backends
from searchsocket.cli.options import json_option, load_scope, project_option, scope_option
from searchsocket.cli.output import count, print_json, safe
from searchsocket.dollars import dollars
from searchsocket.errors import GenerationNotKept, ScopeNotIndexed
from searchsocket.project.project import Project
from searchsocket.quality.diff.markdown import comment
from searchsocket.quality.diff.report import Diff, diff_of
from searchsocket.stores.base import IndexReader
from searchsocket.stores.base.naming import GENERATION_NAME
from searchsocket.types import Scope

_GENERATIONS = ("live", "previous", "candidate")
_ROWS = 20


@click.command()
@click.argument("before", default="previous", metavar="[A]")
@click.argument("after", default="live", metavar="[B]")
@project_option
@scope_option
@click.option(
    "--format",
    "style",
    type=click.Choice(["text", "github"]),
    default="text",
    show_default=True,
    help="Output format.",
)
@json_option
def diff(before: str, after: str, root: Path, scope_name: str | None, style: str, as_json: bool) -> None:
    """Compare two scopes or two generations.

    Shows changed pages, chunks, cost, broken links and golden queries. A and B are each a scope, a generation (live,
    previous, candidate, or its name), or both as SCOPE@GENERATION. Default: the previous and the live generation.

    \b
    Example:
      searchsocket diff live candidate
      searchsocket diff main preview-search --format github
    """

    project, own = load_scope(root, scope_name)
    backends = Backends(project, os.environ)
    readers = [_reader(project, backends, own, name) for name in (before, after)]
    difference = diff_of(project, backends, readers[0], readers[1], lambda: datetime.now(UTC))
    if as_json:
        print_json(difference.to_json())
    elif style == "github":
        click.echo(comment(difference), nl=False)
    else:
        for line in _lines(difference):
            click.echo(line)


def _reader(project: Project, backends: Backends, own: Scope, name: str) -> IndexReader:
    """Open the generation that an argument names."""

    scope_part, at, generation = name.rpartition("@")
    if not at:
        is_generation = name in _GENERATIONS or GENERATION_NAME.fullmatch(name)
        scope_part, generation = ("", name) if is_generation else (name, "live")
    scope = project.scope(os.environ, scope_part) if scope_part else own
    try:
        return backends.store.reader_of(scope, generation)
    except GenerationNotKept:
        if generation == "live":
            raise ScopeNotIndexed(scope.name) from None
        raise


def _lines(difference: Diff) -> Iterator[str]:

    content = difference.content
    names = [f"{side.scope}@{side.name}" for side in (difference.before, difference.after)]
    yield f"{click.style(names[1], bold=True)} against {names[0]}"
    yield (
        f"  pages   {len(content.added):,} added, {len(content.removed):,} removed, {len(content.changed):,} changed, "
        f"{len(content.moved):,} moved, {content.unchanged:,} the same"
    )
    yield (
        f"  chunks  {content.chunks_added:,} added, {content.chunks_removed:,} removed; "
        f"{content.new_texts:,} new texts, about {count(content.new_tokens, 'token')}, {dollars(difference.cost_usd)}"
    )
    yield from _row_lines("added", [f"{page.url}  {page.title}" for page in content.added])
    yield from _row_lines("removed", [f"{page.url}  {page.title}" for page in content.removed])
    yield from _row_lines(
        "changed", [f"{page.url}  {page.title}  +{page.added} -{page.removed}" for page in content.changed]
    )
    yield from _row_lines("moved pages, as rows of a _redirects file", difference.redirects())
    yield from _row_lines("new broken links", [f"{link.target} on {link.page}" for link in difference.dead_links])
    if judgement := difference.judgement:
        yield f"golden queries: {safe(judgement.message)}"
        moves = [f"{move.before or '-'} → {move.after or '-'}  {move.query}  {move.why}" for move in judgement.moves]
        yield from _row_lines("golden queries that changed", moves)


def _row_lines(title: str, rows: list[str]) -> Iterator[str]:
    if rows:
        yield title
    yield from (f"  {safe(row)}" for row in rows[:_ROWS])
    if len(rows) > _ROWS:
        yield f"  and {len(rows) - _ROWS:,} more; --json lists them all"
