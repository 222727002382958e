"""The golden queries of a scope, asked of one of its generations and compared with another."""

from collections.abc import Callable, Sequence
from datetime import datetime

from searchsocket.errors import ConfigMissing, EmbeddingModelMismatch
from searchsocket.project.backends import Backends
from searchsocket.project.project import Project
from searchsocket.quality.engine import ask_over
from searchsocket.quality.golden import GoldenQuery, golden_queries
from searchsocket.quality.judgement import Judgement, judge
from searchsocket.quality.replies import Reply, ask_all
from searchsocket.stores.base import IndexReader
from searchsocket.types import Scope

Clock = Callable[[], datetime]


def judge_readers(
    project: Project,
    backends: Backends,
    scope: Scope,
    queries: Sequence[GoldenQuery],
    now: IndexReader,
    before: IndexReader | None,
    clock: Clock,
) -> Judgement:
    """Ask both readers, and judge the first.

    Raises:
        EmbedderUnavailable: A query was answered by words alone.
        EmbeddingModelMismatch: `now` is of a model that is not configured; with `before` nothing is compared then.
    """
    replies = ask_all(queries, ask_over(project, backends, now, scope, clock))
    earlier: list[Reply] | None = None
    notes: list[str] = []
    if before is not None:
        try:
            earlier = ask_all(queries, ask_over(project, backends, before, scope, clock))
        except EmbeddingModelMismatch:
            model = before.generation.model_id
            notes.append(f"generation {before.generation.name} is of {model}, so only the floors count")
    return judge(replies, earlier, project.settings.golden, notes)


def own_queries(project: Project, scope: Scope) -> Sequence[GoldenQuery]:
    """The golden queries of a scope.

    Raises:
        ConfigMissing: There are none.
        ConfigError: The file cannot be used.
    """
    found = golden_queries(project.root, project.settings.golden.file, scope.name)
    if not found:
        raise ConfigMissing(
            f"there are no golden queries for scope {scope.name!r} in {project.root}; write golden-queries.toml, or "
            "let `searchsocket test --record` propose entries from what you searched last"
        )
    return found
