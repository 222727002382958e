"""Quality gate before a publish: run golden queries on the candidate and on the live generation."""

from collections.abc import Sequence
from contextlib import suppress

from searchsocket.errors import ConfigError, ConfigMissing, IndexCorrupt, ScopeNotIndexed
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.outcome import CheckOutcome
from searchsocket.quality.golden import golden_queries
from searchsocket.quality.judgement import IndexJudgement
from searchsocket.stores.base import IndexReader


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
    from searchsocket.quality.judging import judge_readers  # loads the search engine, only if there are queries

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
