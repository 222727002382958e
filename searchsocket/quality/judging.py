"""The golden queries of a scope, asked of one of its generations and compared with another."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from searchsocket.backends import Backends
from searchsocket.errors import ConfigMissing, EmbeddingModelMismatch
from searchsocket.pipeline.run.corpora import CORPORA
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


def judge_readers(
    project: Project,
    backends: Backends,
    scope: Scope,
    queries: Sequence[GoldenQuery],
    now: IndexReader,
    before: IndexReader | None,
    clock: Clock,
) -> IndexJudgement:
    """Ask both readers, and judge the first.

    Args:
        project: The home of the corpus that the queries are of: all of them of one.

    Raises:
        EmbedderUnavailable: The queries could not be embedded, or one was answered by words alone.
        EmbedderRefused, BadVectors: The provider will not embed them, or gave what cannot be vectors.
        EmbeddingModelMismatch: `now` is of a model that is not configured; with `before` nothing is compared then.
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
    """The golden queries of a scope, by the corpus that they are asked of; only those of one where that is named.

    Raises:
        ConfigMissing: There are none.
        ConfigError: The file cannot be used.
    """
    file = project.settings.golden.file
    every = tuple(corpus.name for corpus in CORPORA.values()) if only is None else (only,)
    by_corpus = {name: golden_queries(project.root, file, scope.name, name) for name in every}
    with_queries = {corpus: queries for corpus, queries in by_corpus.items() if queries}
    if not with_queries:
        of_corpus = f" of the {only}" if only else ""
        raise ConfigMissing(
            f"there are no golden queries{of_corpus} for scope {scope.name!r} in {project.root}; write "
            "golden-queries.toml, or run `searchsocket test --record` to propose entries from your last searches"
        )
    return with_queries
