"""`searchsocket test`: golden queries, for people and CI."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import click

from searchsocket.backends import Backends
from searchsocket.cli.exits import FAILED
from searchsocket.cli.options import load_scope, result_options, scope_options
from searchsocket.cli.output import print_json, safe, say
from searchsocket.cli.recent_searches import read_recent_searches
from searchsocket.errors import GenerationNotKept
from searchsocket.extensions import corpus_names
from searchsocket.pipeline.run.context import corpora_by_name
from searchsocket.project.project import Project
from searchsocket.quality.gate import judge_readers, own_queries
from searchsocket.quality.golden import GoldenQuery, as_toml, golden_queries, proposals
from searchsocket.quality.judgement import IndexJudgement, Measures
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Scope

_MAX_RUNS = 200
_MEASURES = {"recall": "recall@k", "mrr10": "MRR@10", "ndcg10": "nDCG@10"}


_FURTHER = "".join(f", or of the {name}" for name in corpus_names()[1:])


@click.command()
@scope_options
@click.option(
    "--generation", default="live", metavar="NAME", help="Generation to test: live, candidate, previous, or its name."
)
@click.option("--against", default="", metavar="NAME", help="Generation to compare with; default: the one before it.")
@click.option("--only", type=click.Choice(corpus_names()), help=f"Run only the queries of the site{_FURTHER}.")
@click.option("--history", is_flag=True, help="Show the results of past runs instead, from every machine.")
@click.option("--record", is_flag=True, help="Propose golden queries from your last searches.")
@result_options
def test(
    root: Path,
    scope_name: str | None,
    generation: str,
    against: str,
    only: str | None,
    history: bool,
    record: bool,
    as_json: bool,
) -> None:
    """Run the golden queries and show what changed.

    Fails if the answers are worse than [golden] allows: below a minimum, with a result that must not appear, or much
    worse than before.

    \b
    Example:
      searchsocket test
      searchsocket test --generation candidate --json
      searchsocket test --record >> golden-queries.toml
    """

    project, scope = load_scope(root, scope_name)
    if history:
        _print_history(project, scope, as_json)
        return
    if record:
        _propose(project, scope, as_json)
        return
    judgements = _judge_all(project, scope, own_queries(project, scope, only), generation, against)
    if as_json:
        print_json(_all_as_json(judgements, scope.name))
    else:
        for corpus, (judgement, live, compared) in judgements.items():
            title = ", ".join(filter(None, (scope.name, corpora_by_name()[corpus].title)))
            for line in _lines(judgement, title, live, compared):
                say(line)
    if not all(judgement.passed for judgement, _, _ in judgements.values()):
        raise SystemExit(FAILED)


def _print_history(project: Project, scope: Scope, as_json: bool) -> None:
    runs = Backends(project, os.environ).state.golden_runs(scope.name, _MAX_RUNS)
    if as_json:
        listed = [
            {
                "finishedAt": run.finished_at,
                "generation": run.generation,
                **{name: getattr(run, name) for name in _MEASURES},
            }
            for run in runs
        ]
        print_json({"scope": scope.name, "runs": listed})
        return
    for run in runs:
        measures = ", ".join(f"{name} {getattr(run, field):.3f}" for field, name in _MEASURES.items())
        say(safe(f"{run.finished_at[:19]}  {run.generation}  {measures}"))
    if not runs:
        say(f"no run of {scope.name} has evaluated golden queries yet")


# A judgement, and the names of the tested generation and of the one that it is compared with.
Judged = tuple["IndexJudgement", str, str]


def _judge_all(
    project: Project,
    scope: Scope,
    queries: Mapping[str, Sequence[GoldenQuery]],
    generation: str,
    against: str,
) -> Mapping[str, Judged]:
    """Judge each corpus that has this generation; for `live`, every corpus must be indexed."""

    judgements: dict[str, Judged] = {}
    errors: list[GenerationNotKept] = []
    for corpus, corpus_queries in queries.items():
        try:
            judgements[corpus] = _judge_corpus(project, scope, corpus, corpus_queries, generation, against)
        except GenerationNotKept as error:
            errors.append(error)
    if not judgements:
        raise errors[0]
    return judgements


def _judge_corpus(
    project: Project,
    scope: Scope,
    corpus: str,
    queries: Sequence[GoldenQuery],
    generation: str,
    against: str,
) -> Judged:

    home = corpora_by_name()[corpus].home(project)
    backends, own = Backends(home, os.environ), home.scope_named(scope.name)
    if backends.store.generation(own) is None and generation == "live":
        raise corpora_by_name()[corpus].not_indexed(scope.name)
    now = backends.store.reader_of(own, generation)
    before = None
    try:
        before = backends.store.reader_of(own, against or ("live" if generation == "candidate" else "previous"))
    except GenerationNotKept:
        if against:
            raise
    if before is not None and before.generation.name == now.generation.name:
        before = None
    judgement = judge_readers(home, backends, own, queries, now, before, lambda: datetime.now(UTC))
    return judgement, now.generation.name, before.generation.name if before else ""


def _all_as_json(judgements: Mapping[str, Judged], scope: str) -> JsonObject:
    """Return the site's judgement at the top, and that of each other corpus under its name."""
    objects = {corpus: _as_json(judgement, scope, *names) for corpus, (judgement, *names) in judgements.items()}
    return {**objects.pop("site", {"scope": scope}), **objects}


def _as_json(judgement: IndexJudgement, scope: str, generation: str, compared: str) -> JsonObject:
    queries = [
        {
            "query": reply.golden.query,
            "expect": reply.golden.expect,
            "tags": reply.golden.tags,
            "k": reply.golden.k,
            "rank": reply.rank,
            "unwanted": reply.unwanted,
            "found": [each.url for each in reply.results[: reply.golden.k]],
        }
        for reply in judgement.replies
    ]
    return {
        "scope": scope,
        "generation": generation,
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


def _lines(judgement: IndexJudgement, scope: str, generation: str, compared: str) -> Iterator[str]:
    now, before = judgement.now, judgement.before
    answered = sum(reply.rank > 0 for reply in judgement.replies if reply.golden.expect)
    against = f", against {compared}" if compared else ""
    title = click.style(scope, bold=True)
    yield f"{title}: {len(judgement.replies)} golden queries on generation {generation}{against}"
    yield f"  {answered} of {now.queries} find their page; {_measure_words(now, before)}"
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
        first = reply.results[0].url if reply.results else "nothing"
        yield f"  {safe(reply.golden.query)}  {safe(' '.join(reply.golden.expect))}; first is {first}"
    for reason in judgement.reasons:
        yield click.style(f"failed: {safe(reason)}", fg="red")
    if judgement.passed:
        yield click.style("passed", fg="green")


def _measure_words(now: Measures, before: Measures | None) -> str:
    return ", ".join(
        f"{words} {getattr(now, name):.3f}" + (f" (was {getattr(before, name):.3f})" if before else "")
        for name, words in _MEASURES.items()
    )


def _propose(project: Project, scope: Scope, as_json: bool) -> None:
    """Print recent searches that are not golden queries yet, as entries for the file."""

    golden = golden_queries(project.root, project.settings.golden.file)
    suggestions = proposals(read_recent_searches(project.state_dir), golden, scope.name)
    if as_json:
        print_json({"scope": scope.name, "queries": [asdict(each) for each in suggestions]})
        return
    if not suggestions:
        click.echo(
            f"no recent search in scope {scope.name!r} is missing from the golden queries; run `searchsocket "
            f"search` first",
            err=True,
        )
    click.echo(as_toml(suggestions), nl=False)
