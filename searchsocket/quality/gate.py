"""Quality gate before a publish: run golden queries on the candidate and on the live generation."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from searchsocket.backends import Backends
from searchsocket.errors import ConfigError, ConfigMissing, EmbeddingModelMismatch, IndexCorrupt, ScopeNotIndexed
from searchsocket.pipeline.run.context import CORPORA, ScopeRun
from searchsocket.pipeline.run.results import CheckOutcome
from searchsocket.project.corpora import CorpusName
from searchsocket.project.project import Project
from searchsocket.quality.engine import ASK_OVER, embed_all, rule_effects
from searchsocket.quality.golden import GoldenQuery, golden_queries
from searchsocket.quality.judgement import IndexJudgement, judge
from searchsocket.quality.one_generation import queries_of
from searchsocket.quality.replies import GoldenResults, ask_all
from searchsocket.stores.base import IndexReader
from searchsocket.types import Scope

Clock = Callable[[], datetime]


def golden_texts(run: ScopeRun) -> Sequence[str]:
    """Return the golden queries of a run; empty if their file is not valid, which `judge_candidate` reports."""
    try:
        queries = golden_queries(run.project.root, run.project.settings.golden.file, run.scope.name, run.corpus.name)
    except (ConfigError, ConfigMissing):
        return ()
    return [golden.query for golden in queries]


def judge_candidate(run: ScopeRun, candidate: IndexReader) -> CheckOutcome | None:
    """Run the golden queries of a scope on a candidate; None without golden queries.

    Raises:
        ConfigError, ConfigMissing: The file of golden queries is not valid or does not exist.
        EmbedderUnavailable, EmbedderRefused, BadVectors: The queries could not be embedded.
    """
    project, scope = run.project, run.scope
    queries = golden_queries(project.root, project.settings.golden.file, scope.name, run.corpus.name)
    if not queries:
        return None
    live: IndexReader | None = None
    with suppress(ScopeNotIndexed, IndexCorrupt):
        live = run.backends.store.reader(scope)
    return outcome_of(judge_readers(project, run.backends, scope, queries, candidate, live, run.clock), run)


def outcome_of(judgement: IndexJudgement, run: ScopeRun) -> CheckOutcome:
    """Turn a judgement into the outcome of a check; a failure is only a warning if the run accepts a drop."""
    return CheckOutcome(
        judgement.passed,
        judgement.message,
        "warn" if run.options.accept_quality_drop else "error",
        judgement.numbers(),
        judgement.tables(),
    )


def judge_readers(
    project: Project,
    backends: Backends,
    scope: Scope,
    queries: Sequence[GoldenQuery],
    now: IndexReader,
    before: IndexReader | None,
    clock: Clock,
) -> IndexJudgement:
    """Run the queries on both readers, and judge `now`.

    Args:
        project: The home of the queries' corpus.
        queries: Queries of one corpus.

    Raises:
        EmbedderUnavailable: The queries could not be embedded, or one was answered by words only.
        EmbedderRefused, BadVectors: The provider refused the queries, or returned invalid vectors.
        EmbeddingModelMismatch: The model of `now` is not configured. If only that of `before` is not, `now` is judged
            without a comparison.
    """
    ask_with = ASK_OVER[queries[0].corpus if queries else "site"]
    vectors = queries_of(project, backends, clock)
    embed_all(vectors, queries, [now] if before is None else [now, before])
    replies = ask_all(queries, ask_with(project, vectors, now, scope, clock))
    earlier: list[GoldenResults] | None = None
    effects = rule_effects(project, vectors, now, scope, clock, replies)
    notes = [*effects.moved]
    if before is not None:
        try:
            earlier = ask_all(queries, ask_with(project, vectors, before, scope, clock))
        except EmbeddingModelMismatch:
            model = before.generation.model_id
            notes.append(f"generation {before.generation.name} is of {model}, so only the minimums apply")
    return judge(replies, earlier, project.settings.golden, notes, effects.broken)


def own_queries(
    project: Project, scope: Scope, only: CorpusName | None = None
) -> Mapping[CorpusName, Sequence[GoldenQuery]]:
    """Return the golden queries of a scope by corpus.

    Args:
        only: The only corpus to return; None: all.

    Raises:
        ConfigMissing: There are no golden queries.
        ConfigError: The file is not valid.
    """
    file = project.settings.golden.file
    names = tuple(corpus.name for corpus in CORPORA.values()) if only is None else (only,)
    all_queries = {name: golden_queries(project.root, file, scope.name, name) for name in names}
    by_corpus = {corpus: queries for corpus, queries in all_queries.items() if queries}
    if not by_corpus:
        of_corpus = f" of the {only}" if only else ""
        raise ConfigMissing(
            f"there are no golden queries{of_corpus} for scope {scope.name!r} in {project.root}; write "
            "golden-queries.toml, or run `searchsocket test --record` to propose entries from your last searches"
        )
    return by_corpus
