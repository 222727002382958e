"""The use case: index a scope, or say what indexing it would do (spec 8.1, 21)."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from searchsocket.pipeline.run.context import ScopeRun, Workspace
from searchsocket.pipeline.run.results import IndexSummary, StageResult, result_of, summarise
from searchsocket.pipeline.run.stage import exclusive
from searchsocket.pipeline.run.stages import STAGES
from searchsocket.pipeline.stages.chunk_embeddings import embedding_result, plan_embeddings
from searchsocket.pipeline.stages.index_changes import IndexPlan
from searchsocket.pipeline.stages.page_chunks import page_chunks
from searchsocket.pipeline.stages.page_mirror import page_mirror
from searchsocket.pipeline.stages.search_index import index_result, live_changes, refuse_large_deletion
from searchsocket.pipeline.stages.site_pages import site_pages
from searchsocket.project.project import Project
from searchsocket.state import make_state


def index_scope(run: ScopeRun) -> IndexSummary:
    """Run every stage under one lock.

    Raises:
        SearchSocketError: A stage failed; the live index is as it was.
    """
    with exclusive(run):
        return summarise(run.scope.name, [stage(run) for stage in STAGES.values()])


def plan_scope(run: ScopeRun) -> IndexSummary:
    """The dry run: the first stages run against a copy of the state, the last two are only counted.

    Calls no provider and writes nothing outside a temporary folder.

    Raises:
        SearchSocketError: What the real run would fail with as well.
    """
    with _workspace(run) as workspace:
        dry = replace(run, workspace=workspace)
        results = [site_pages(dry), page_mirror(dry), page_chunks(dry), _plan_embeddings(dry), _plan_index(dry)]
    return summarise(run.scope.name, results, dry_run=True)


def summary_of(project: Project, run_id: str, scope: str) -> IndexSummary:
    """The summary of a run whose stages ran elsewhere, from what they put on record."""
    return summarise(scope, [result_of(report) for report in make_state(project.state_dir).results_of(run_id)])


@contextmanager
def _workspace(run: ScopeRun) -> Iterator[Workspace]:
    with tempfile.TemporaryDirectory(prefix="searchsocket-plan-") as folder, run.state.dry_copy() as state:
        yield Workspace(Path(folder), state)


def _plan_embeddings(run: ScopeRun) -> StageResult:
    with run.state.open(run.scope.name) as state:
        return embedding_result(state, run.backends.embedder, plan_embeddings(run, state))


def _plan_index(run: ScopeRun) -> StageResult:
    store = run.backends.store
    live = store.generation(run.scope)
    plan = IndexPlan(live.records if live else 0)
    with run.state.open(run.scope.name) as state:
        refuse_large_deletion(run, state, live)
        plan.count(live_changes(run, state, store, live))
    return index_result(plan, live, plan.warnings(), published=False)
