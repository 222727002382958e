"""The use case: index a scope, or say what indexing it would do (spec 8.1, 21)."""

import tempfile
from dataclasses import replace
from pathlib import Path

from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.history import results_of
from searchsocket.pipeline.run.results import IndexSummary, StageResult, summarise
from searchsocket.pipeline.run.stage import exclusive, state
from searchsocket.pipeline.run.stages import STAGES
from searchsocket.pipeline.stages.chunk_embeddings import embedding_result, plan_embeddings
from searchsocket.pipeline.stages.page_chunks import page_chunks
from searchsocket.pipeline.stages.page_mirror import page_mirror
from searchsocket.pipeline.stages.search_index import IndexPlan, changes, index_result, refuse_large_deletion
from searchsocket.pipeline.stages.site_pages import site_pages
from searchsocket.project.project import Project
from searchsocket.state.database import open_copy, open_state, translated


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
    with tempfile.TemporaryDirectory(prefix="searchsocket-plan-") as folder:
        dry = replace(run, workspace=Path(folder))
        open_copy(run.project.state_dir / "state.db", dry.state_file).close()
        results = [site_pages(dry), page_mirror(dry), page_chunks(dry), _plan_embeddings(dry), _plan_index(dry)]
    return summarise(run.scope.name, results, dry_run=True)


def summary_of(project: Project, run_id: str, scope: str) -> IndexSummary:
    """The summary of a run whose stages ran elsewhere, from what they put on record."""
    path = project.state_dir / "state.db"
    with translated(path):
        db = open_state(path)
        try:
            return summarise(scope, results_of(db, run_id))
        finally:
            db.close()


def _plan_embeddings(run: ScopeRun) -> StageResult:
    with state(run) as db:
        return embedding_result(run, db, run.backends.embedder, plan_embeddings(run, db))


def _plan_index(run: ScopeRun) -> StageResult:
    store = run.backends.store
    live = store.generation(run.scope)
    plan = IndexPlan()
    with state(run) as db:
        refuse_large_deletion(run, db, live)
        for _ in changes(run, db, store, live, plan):
            pass  # counted in the plan
    return index_result(plan, live, published=False)
