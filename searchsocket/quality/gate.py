"""Quality gate before a publish: run golden queries on the candidate and on the live generation."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from searchsocket import __version__
from searchsocket.backends import Backends
from searchsocket.curation.live_rules import Curation
from searchsocket.curation.rules import FILE_NAME
from searchsocket.errors import ConfigMissing, EmbeddingModelMismatch
from searchsocket.extensions import extensions
from searchsocket.extensions.base import load
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.pipeline.run.context import corpora_by_name
from searchsocket.project.project import Project
from searchsocket.quality.generations import engine_over, queries_of
from searchsocket.quality.golden import FILES, GoldenQuery, golden_queries
from searchsocket.quality.judgement import (
    DEPTH,
    Ask,
    GoldenResult,
    GoldenResults,
    IndexJudgement,
    ask_all,
    judge,
    refuse_words_alone,
)
from searchsocket.search.answer import Result
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.types import Scope

_HEX = 16  # digits of a digest

Clock = Callable[[], datetime]


def gate_digest(project: Project) -> str:
    """Return a digest of what the gate judges a candidate by: release, settings and files of the owner."""
    digest = sha256(f"{__version__}\n{project.settings.model_dump_json()}\n".encode())
    judged_by = (name for each in extensions() if each.is_on(project.settings) for name in each.judged_by)
    for name in (project.settings.golden.file, *FILES, FILE_NAME, *judged_by):
        with suppress(OSError):
            digest.update((project.root / name).read_bytes())
        digest.update(b"\0")
    return digest.hexdigest()[:_HEX]


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
    ask_with = load(corpora_by_name()[queries[0].corpus if queries else "site"].ask)
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


def own_queries(project: Project, scope: Scope, only: str | None = None) -> Mapping[str, Sequence[GoldenQuery]]:
    """Return the golden queries of a scope by corpus.

    Args:
        only: The only corpus to return; None: all.

    Raises:
        ConfigMissing: There are no golden queries.
        ConfigError: The file is not valid.
    """
    file = project.settings.golden.file
    names = tuple(corpus.name for corpus in corpora_by_name().values()) if only is None else (only,)
    all_queries = {name: golden_queries(project.root, file, scope.name, name) for name in names}
    by_corpus = {corpus: queries for corpus, queries in all_queries.items() if queries}
    if not by_corpus:
        of_corpus = f" of the {only}" if only else ""
        raise ConfigMissing(
            f"there are no golden queries{of_corpus} for scope {scope.name!r} in {project.root}; write "
            "golden-queries.toml, or run `searchsocket test --record` to propose entries from your last searches"
        )
    return by_corpus


class RuleEffects(NamedTuple):
    """Effects of the owner's rules on golden queries, one sentence per query."""

    broken: tuple[str, ...]  # queries that find no expected page
    moved: tuple[str, ...]  # queries that find it at a worse rank


def rule_effects(
    project: Project,
    vectors: QueryVectors,
    reader: IndexReader,
    scope: Scope,
    clock: Callable[[], datetime],
    replies: Iterable[GoldenResults],
) -> RuleEffects:
    """Return the golden queries of pages that the rules of the owner make worse."""
    curation = Curation(project.root, clock=clock)
    ask = asks(engine_over(project, vectors, reader, clock, has_rules=False), scope)
    broken, moved = [], []
    for reply in replies:
        golden = reply.golden
        rules = curation.matching(golden.query) if golden.corpus == "site" and golden.expect else ()
        rank = GoldenResults(golden, tuple(ask(golden))).rank if rules else reply.rank
        names = ", ".join(f"{FILE_NAME}:{rule.line}" for rule in rules)
        if rank and not reply.rank:
            broken.append(f"{golden.query!r} finds no expected page because of {names}")
        elif reply.rank > rank:
            moved.append(f"{names} moves {golden.query!r} from {rank} to {reply.rank}")
    return RuleEffects(tuple(broken), tuple(moved))


def embed_all(vectors: QueryVectors, queries: Sequence[GoldenQuery], readers: Iterable[IndexReader]) -> None:
    """Embed the golden queries in one request, for the generations that have the configured model.

    Raises:
        EmbedderUnavailable, EmbedderRefused, BadVectors: See `QueryVectors.embed_ahead`.
    """
    texts: list[str] = []
    for reader in readers:
        embedder = vectors.embedder_of(reader.generation.model_id)
        if embedder.is_remote and embedder.model_id == reader.generation.model_id:
            texts += [_embedded_text(reader, golden) for golden in queries]
    if texts:
        vectors.embed_ahead(embedder, texts)


def ask_over(
    project: Project, vectors: QueryVectors, reader: IndexReader, scope: Scope, clock: Callable[[], datetime]
) -> Ask:
    """Return a function that runs golden queries on one generation of pages, with the rules of the owner."""
    return asks(engine_over(project, vectors, reader, clock), scope)


def asks(engine: SearchEngine, scope: Scope) -> Ask:
    """Return a function that runs golden queries; it raises `EmbedderUnavailable` for an answer by words only."""

    def ask(golden: GoldenQuery) -> list[GoldenResult]:
        answer = engine.search(SearchQuery(golden.query, top_k=max(golden.k, DEPTH), explain=True), scope)
        refuse_words_alone(golden, answer.meta.notes)
        return [_hit(result) for result in answer.results]

    return ask


def _hit(result: Result) -> GoldenResult:
    anchors = frozenset([result.anchor, *(section.anchor for section in result.sections)])
    return GoldenResult(result.url, anchors, result.score, result.explanation)


def _embedded_text(reader: IndexReader, golden: GoldenQuery) -> str:
    """The text of a query that the engine embeds."""
    corrects = corpora_by_name()[golden.corpus].corrects_queries
    return reader.words.corrected(golden.query) if corrects else golden.query
