"""`searchsocket diff`: differences between two generations, also as a comment for a pull request."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from searchsocket.backends import Backends
from searchsocket.cli.options import json_option, load_scope, scope_options
from searchsocket.cli.output import count, print_json, safe
from searchsocket.dollars import dollars
from searchsocket.errors import GenerationNotKept, ScopeNotIndexed
from searchsocket.project.project import Project
from searchsocket.quality.diff import Diff, diff_of
from searchsocket.quality.judgement import IndexJudgement
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.stores.base.naming import GENERATION_NAME
from searchsocket.types import Scope

MARK = "<!-- searchsocket diff -->"  # identifies the comment, so that the next run can update it
_GENERATIONS = ("live", "previous", "candidate")
_ROWS = 20
_COMMENT_ROWS = 50
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#@~])")


@click.command()
@click.argument("before", default="previous", metavar="[A]")
@click.argument("after", default="live", metavar="[B]")
@scope_options
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


def comment(diff: Diff) -> str:
    """Format a diff as Markdown for GitHub; texts of pages and queries are escaped."""
    content = diff.content
    lines = [MARK, "### Search index", "", *_headline(diff), ""]
    lines += [
        "| | added | removed | changed | moved |",
        "| --- | ---: | ---: | ---: | ---: |",
        f"| pages | {len(content.added)} | {len(content.removed)} | {len(content.changed)} | {len(content.moved)} |",
        f"| chunks | {content.chunks_added} | {content.chunks_removed} | | |",
        "",
        f"{content.new_texts:,} new texts, about {content.new_tokens:,} tokens, {dollars(diff.cost_usd)}",
        "",
    ]
    if diff.judgement:
        lines += _golden(diff.judgement)
    lines += _list("New broken links", _dead(diff), is_open=True)
    lines += _list("Moved pages, as rows of `_redirects`", _fence(diff.redirects()))
    lines += _list("Pages added", (f"- {_code(page.url)} {_plain(page.title)}" for page in content.added))
    lines += _list("Pages removed", (f"- {_code(page.url)} {_plain(page.title)}" for page in content.removed))
    lines += _list(
        "Pages changed",
        (f"- {_code(page.url)} {_plain(page.title)}: +{page.added} −{page.removed} chunks" for page in content.changed),
    )
    return "\n".join(lines).rstrip() + "\n"


def _headline(diff: Diff) -> Iterator[str]:
    before, after = diff.before, diff.after
    revision = f" at {_code(after.source_revision[:12])}" if after.source_revision else ""
    size = f"{after.pages:,} pages, {after.records:,} chunks"
    is_one_scope = before.scope == after.scope
    new, old = (f"{side.scope}@{side.name}" if is_one_scope else side.scope for side in (after, before))
    yield f"{_code(new)}{revision} against {_code(old)}: {size}."
    if diff.content.is_empty:
        yield "No page changed."


def _golden(judged: IndexJudgement) -> list[str]:
    now, previous = judged.now, judged.before
    mark = "✅" if judged.passed else "❌"
    words = [
        f"{name} {getattr(now, field):.3f}" + (f" (was {getattr(previous, field):.3f})" if previous else "")
        for field, name in (("recall", "recall@k"), ("mrr10", "MRR@10"), ("ndcg10", "nDCG@10"))
    ]
    lines = [f"{mark} {now.queries} golden queries: {', '.join(words)}", ""]
    lines += [f"- {_plain(reason)}" for reason in judged.reasons] + [""] * bool(judged.reasons)
    rows = [
        f"| {_plain(move.query)} | {_code(move.place)} | {move.before or '–'} → {move.after or '–'} "
        f"| {_plain(move.why)} |"
        for move in judged.moves
    ]
    table = ["| query | page | rank | why |", "| --- | --- | --- | --- |", *rows] if rows else []
    return [*lines, *_list("Golden queries that changed", table, is_open=not judged.passed)]


def _dead(diff: Diff) -> list[str]:
    return [f"- {_code(link.target)} on {_code(link.page)}" for link in diff.dead_links]


def _list(title: str, items: Iterable[str], *, is_open: bool = False) -> list[str]:
    rows = list(items)
    if not rows:
        return []
    if len(rows) > _COMMENT_ROWS + 2:
        rows = [*rows[:_COMMENT_ROWS], f"- and {len(rows) - _COMMENT_ROWS} more"]
    return [f"<details{' open' * is_open}><summary>{title}</summary>", "", *rows, "", "</details>", ""]


def _fence(rows: Sequence[str]) -> list[str]:
    return ["```text", *rows, "```"] if rows else []


def _code(text: str) -> str:
    """Format a path or name as code; backticks and pipes are percent-encoded."""
    return f"`{' '.join(text.replace('`', '%60').replace('|', '%7C').split())}`" if text else "–"


def _plain(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
