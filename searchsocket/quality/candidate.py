"""The golden queries of a run: their texts, and the judgement of its candidate."""

from collections.abc import Sequence
from contextlib import suppress

from searchsocket.errors import IndexCorrupt, ScopeNotIndexed
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.results import CheckOutcome
from searchsocket.quality.golden import golden_queries
from searchsocket.stores.base.index_reader import IndexReader


def golden_texts(run: ScopeRun) -> Sequence[str]:
    """Return the golden queries of a run.

    Raises:
        ConfigError, ConfigMissing: Their file is not valid or does not exist.
    """
    queries = golden_queries(run.project.root, run.project.settings.golden.file, run.scope.name, run.corpus.name)
    return [golden.query for golden in queries]


def judge_candidate(run: ScopeRun, candidate: IndexReader) -> CheckOutcome | None:
    """Run the golden queries of a scope on a candidate; None without golden queries.

    Raises:
        ConfigError, ConfigMissing: The file of golden queries is not valid or does not exist.
        EmbedderUnavailable, EmbedderRefused, BadVectors: The queries could not be embedded.
    """
    if not golden_texts(run):
        return None
    live: IndexReader | None = None
    with suppress(ScopeNotIndexed, IndexCorrupt):
        live = run.backends.store.reader(run.scope)
    return golden_outcome(run, candidate, live)


def golden_outcome(run: ScopeRun, now: IndexReader, before: IndexReader | None) -> CheckOutcome:
    """Run the golden queries of a scope, of which there are some, on two generations, and judge the first one.

    A failure is only a warning if the run accepts a drop.

    Raises:
        ConfigError, ConfigMissing, EmbedderUnavailable, EmbedderRefused, BadVectors: As `judge_candidate`.
    """
    from searchsocket.quality.gate import judge_readers  # 50 ms: the search engine

    project, scope = run.project, run.scope
    queries = golden_queries(project.root, project.settings.golden.file, scope.name, run.corpus.name)
    judgement = judge_readers(project, run.backends, scope, queries, now, before, run.clock)
    return CheckOutcome(
        judgement.passed,
        judgement.message,
        "warn" if run.options.accept_quality_drop else "error",
        judgement.numbers(),
        judgement.tables(),
    )
