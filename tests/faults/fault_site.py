"""Runs over a small project, and what everybody may see of it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from click.testing import CliRunner, Result

from searchsocket.cli.main import cli
from searchsocket.models.embedders import make_embedder
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.pipeline.run.context import ScopeRun, utc_now
from searchsocket.pipeline.run.index import index_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.summary import IndexSummary
from searchsocket.project.project import open_project
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery
from searchsocket.stores import make_store
from searchsocket.stores.base.vector_store import VectorStore

# The identifiers of `small_site` are words that one page holds: each has one right answer.
QUESTIONS = {"bowline": "/docs/ropes", "installer": "/docs/install", "boats": "/about"}
_numbers = count()


@dataclass(frozen=True)
class Project:
    """A project on disk that is opened again for each operation, as commands do."""

    root: Path

    @property
    def state(self) -> Path:
        return self.root / ".searchsocket"

    def command(self, name: str, *arguments: str) -> Result:
        """A command of `searchsocket` in this process."""
        return CliRunner().invoke(cli, [name, *arguments, "--project", str(self.root)])

    def index(self, scope: str = "main", clock: Callable[[], datetime] = utc_now, **options: object) -> IndexSummary:
        """A run of the library, without Dagster."""
        project = open_project(self.root, {})
        run_options = RunOptions(**options)  # type: ignore[arg-type]
        return index_scope(
            ScopeRun(project, project.scope_named(scope), f"run-{next(_numbers)}", run_options, clock=clock)
        )

    def store(self) -> VectorStore:
        project = open_project(self.root, {})
        return make_store(project.settings.vector, project.state_dir, project.id)

    def fingerprints(self, scope: str = "main") -> list[tuple[str, str]]:
        return list(self.store().fingerprints(open_project(self.root, {}).scope_named(scope)))

    def damage(self, scope: str = "main") -> list[str]:
        return self.store().verify(open_project(self.root, {}).scope_named(scope))

    def answers(self, scope: str = "main") -> dict[str, str]:
        """Return the best page for every question, from a new reader."""
        project = open_project(self.root, {})
        store = make_store(project.settings.vector, project.state_dir, project.id)
        embedder = make_embedder(project.settings.embeddings, {})
        engine = SearchEngine(
            store, QueryVectors(lambda _: embedder), project.settings.ranking, lambda: datetime.now(UTC)
        )
        results_by_query = {q: engine.search(SearchQuery(q, 1), project.scope_named(scope)).results for q in QUESTIONS}
        return {q: results[0].url if results else "" for q, results in results_by_query.items()}
