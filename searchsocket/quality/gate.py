"""The gate before the switch: golden queries, asked of what was built and of what is live."""

from collections.abc import Sequence
from contextlib import suppress

from searchsocket.errors import ConfigError, ConfigMissing, IndexCorrupt, ScopeNotIndexed
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.outcome import CheckOutcome
from searchsocket.quality.golden import golden_queries
from searchsocket.quality.judgement import IndexJudgement
from searchsocket.stores.base import IndexReader


def golden_texts(run: ScopeRun) -> Sequence[str]:
    """The golden queries that `judge_candidate` asks in a run; none if the file cannot be used, which it reports."""
    try:
        queries = golden_queries(run.project.root, run.project.settings.golden.file, run.scope.name, run.corpus.name)
    except (ConfigError, ConfigMissing):
        return ()
    return [golden.query for golden in queries]


def judge_candidate(run: ScopeRun, candidate: IndexReader) -> CheckOutcome | None:
    """Run the golden queries of a scope on a candidate; None without golden queries.

    Raises:
        ConfigError, ConfigMissing: The file of golden queries cannot be used.
        EmbedderUnavailable, EmbedderRefused, BadVectors: They could not be embedded.
    """
    project, scope = run.project, run.scope
    queries = golden_queries(project.root, project.settings.golden.file, scope.name, run.corpus.name)
    if not queries:
        return None
    from searchsocket.quality.judging import judge_readers  # the engine, which a run without such queries needs not

    live: IndexReader | None = None
    with suppress(ScopeNotIndexed, IndexCorrupt):
        live = run.backends.store.reader(scope)
    return outcome_of(judge_readers(project, run.backends, scope, queries, candidate, live, run.clock), run)


def outcome_of(judgement: IndexJudgement, run: ScopeRun) -> CheckOutcome:
    """A judgement as a check says it; where the run accepts a drop, it warns."""
    return CheckOutcome(
        judgement.passed,
        judgement.message,
        "warn" if run.options.accept_quality_drop else "error",
        judgement.numbers(),
        judgement.tables(),
    )
