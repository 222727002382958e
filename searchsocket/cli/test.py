"""`searchsocket test`: golden queries, for people and CI."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from searchsocket.cli.exits import FAILED
from searchsocket.cli.options import json_option, load_project, project_option, quiet_option, scope_option
from searchsocket.cli.output import print_json, safe, say

if TYPE_CHECKING:
    from searchsocket.project.project import Project
    from searchsocket.quality.judgement import Judgement
    from searchsocket.quality.replies import Measures
    from searchsocket.types import Scope

_MEASURES = {"recall": "recall@k", "mrr10": "MRR@10", "ndcg10": "nDCG@10"}


@click.command()
@project_option
@scope_option
@click.option(
    "--generation", default="live", metavar="NAME", help="What is asked: live, candidate, previous, or its name."
)
@click.option("--against", default="", metavar="NAME", help="What it is compared with; default: the one before it.")
@click.option("--record", is_flag=True, help="Propose entries from what `searchsocket search` was asked last.")
@quiet_option
@json_option
def test(root: Path, scope_name: str | None, generation: str, against: str, record: bool, as_json: bool) -> None:
    """Ask the golden queries, and say what moved and why.

    Fails where they are answered worse than [golden] allows: below a floor, with something that must not be found, or
    much worse than before.

    \b
    Example:
      searchsocket test
      searchsocket test --generation candidate --json
      searchsocket test --record >> golden-queries.toml
    """
    project = load_project(root)
    scope = project.scope(os.environ, scope_name)
    if record:
        _propose(project, scope, as_json)
        return
    judgement, asked, compared = _judged(project, scope, generation, against)
    if as_json:
        print_json(_as_json(judgement, scope.name, asked, compared))
    else:
        for line in _lines(judgement, scope.name, asked, compared):
            say(line)
    if not judgement.passed:
        raise SystemExit(FAILED)


def _judged(project: "Project", scope: "Scope", generation: str, against: str) -> "tuple[Judgement, str, str]":
    """The judgement, and the names of the generation that was asked and of the one that it is compared with."""
    from searchsocket.errors import GenerationNotKept, ScopeNotIndexed
    from searchsocket.project.backends import Backends
    from searchsocket.quality.judging import judge_readers, own_queries

    backends = Backends(project, os.environ)
    queries = own_queries(project, scope)
    if backends.store.generation(scope) is None and generation == "live":
        raise ScopeNotIndexed(scope.name)
    now = backends.store.reader_of(scope, generation)
    before = None
    try:
        before = backends.store.reader_of(scope, against or ("live" if generation == "candidate" else "previous"))
    except GenerationNotKept:
        if against:
            raise
    if before is not None and before.generation.name == now.generation.name:
        before = None
    judgement = judge_readers(project, backends, scope, queries, now, before, lambda: datetime.now(UTC))
    return judgement, now.generation.name, before.generation.name if before else ""


def _as_json(judgement: "Judgement", scope: str, asked: str, compared: str) -> Mapping[str, Any]:
    queries = [
        {
            "query": reply.golden.query,
            "expect": reply.golden.expect,
            "tags": reply.golden.tags,
            "k": reply.golden.k,
            "rank": reply.rank,
            "unwanted": reply.unwanted,
            "found": [each.url for each in reply.found[: reply.golden.k]],
        }
        for reply in judgement.replies
    ]
    return {
        "scope": scope,
        "generation": asked,
        "against": compared,
        "passed": judgement.passed,
        "reasons": judgement.reasons,
        "notes": judgement.notes,
        "measures": asdict(judgement.now),
        "before": asdict(judgement.before) if judgement.before else None,
        "byTag": {tag: asdict(values) for tag, values in judgement.by_tag().items()},
        "moves": [{**asdict(move), "worse": move.is_worse} for move in judgement.moves],
        "queries": queries,
    }


def _lines(judgement: "Judgement", scope: str, asked: str, compared: str) -> Iterator[str]:
    now, before = judgement.now, judgement.before
    found = sum(reply.rank > 0 for reply in judgement.replies if reply.golden.expect)
    against = f", against {compared}" if compared else ""
    yield f"{click.style(scope, bold=True)}: {len(judgement.replies)} golden queries asked of {asked}{against}"
    yield f"  {found} of {now.queries} find their page; {_measure_words(now, before)}"
    for tag, values in judgement.by_tag().items():
        yield f"  {safe(tag):<12} {values.queries:>4}  {_measure_words(values, None)}"
    for note in judgement.notes:
        yield f"  note: {safe(note)}"
    if judgement.moves:
        yield "moved"
    for move in judgement.moves:
        ranks = f"{move.before or '-'} → {move.after or '-'}"
        yield (
            click.style(f"  {ranks:<9}", fg="red" if move.is_worse else "green") + f" {safe(move.query)}  {move.place}"
        )
        yield f"            {safe(move.why)}"
    missing = [reply for reply in judgement.replies if reply.golden.expect and not reply.rank]
    if missing:
        yield "not found"
    for reply in missing:
        first = reply.found[0].url if reply.found else "nothing"
        yield f"  {safe(reply.golden.query)}  {safe(' '.join(reply.golden.expect))}; first is {first}"
    for reason in judgement.reasons:
        yield click.style(f"failed: {safe(reason)}", fg="red")
    if judgement.passed:
        yield click.style("passed", fg="green")


def _measure_words(now: "Measures", before: "Measures | None") -> str:
    return ", ".join(
        f"{words} {getattr(now, name):.3f}" + (f" (was {getattr(before, name):.3f})" if before else "")
        for name, words in _MEASURES.items()
    )


def _propose(project: "Project", scope: "Scope", as_json: bool) -> None:
    """Print what was searched last and is no golden query yet, as entries for the file."""
    from searchsocket.cli.searched import read_searched
    from searchsocket.quality.golden import golden_queries
    from searchsocket.quality.proposals import as_toml, proposals

    known = golden_queries(project.root, project.settings.golden.file)
    found = proposals(read_searched(project.state_dir), known, scope.name)
    if as_json:
        print_json({"scope": scope.name, "queries": [asdict(each) for each in found]})
        return
    if not found:
        click.echo(
            f"nothing was searched in scope {scope.name!r} lately that is no golden query yet; "
            "run `searchsocket search` first",
            err=True,
        )
    click.echo(as_toml(found), nl=False)
