"""Run golden queries on one generation."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from searchsocket.curation.live_rules import Curation
from searchsocket.curation.rules import FILE_NAME
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.project.corpora import CorpusName
from searchsocket.project.project import Project
from searchsocket.quality.golden import GoldenQuery
from searchsocket.quality.one_generation import OneReader, engine_over
from searchsocket.quality.replies import DEPTH, Ask, GoldenResult, GoldenResults, refuse_words_alone
from searchsocket.search.answer import Result
from searchsocket.search.code.engine import CodeSearch
from searchsocket.search.code.query import CodeQuery
from searchsocket.search.engine import SearchEngine
from searchsocket.search.query import SearchQuery
from searchsocket.stores.base import IndexReader
from searchsocket.types import Lines, Scope


class RuleEffects(NamedTuple):
    """Effects of the owner's rules on golden queries, one sentence per query."""

    broken: tuple[str, ...]  # queries that find no expected page
    moved: tuple[str, ...]  # queries that find it at a worse rank


def embed_all(vectors: QueryVectors, queries: Sequence[GoldenQuery], readers: Iterable[IndexReader]) -> None:
    """Embed the golden queries in one request, for the generations that have the configured model.

    Raises:
        EmbedderUnavailable, EmbedderRefused, BadVectors: See `QueryVectors.embed_ahead`.
    """
    texts: list[str] = []
    for reader in readers:
        embedder = vectors.embedder_of(reader.generation.model_id)
        if embedder.is_remote and embedder.model_id == reader.generation.model_id:
            texts += [EMBEDDED_TEXT[golden.corpus](reader, golden.query) for golden in queries]
    if texts:
        vectors.embed_ahead(embedder, texts)


def ask_over(
    project: Project, vectors: QueryVectors, reader: IndexReader, scope: Scope, clock: Callable[[], datetime]
) -> Ask:
    """Return a function that runs golden queries on one generation of pages, with the rules of the owner."""
    return asks(engine_over(project, vectors, reader, clock), scope)


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


def asks(engine: SearchEngine, scope: Scope) -> Ask:
    """Return a function that runs golden queries; it raises `EmbedderUnavailable` for an answer by words only."""

    def ask(golden: GoldenQuery) -> list[GoldenResult]:
        answer = engine.search(SearchQuery(golden.query, top_k=max(golden.k, DEPTH), explain=True), scope)
        refuse_words_alone(golden, answer.meta.notes)
        return [_hit(result) for result in answer.results]

    return ask


def ask_code_over(
    project: Project, vectors: QueryVectors, reader: IndexReader, scope: Scope, clock: Callable[[], datetime]
) -> Ask:
    """Return a function that runs golden queries on one generation of source code.

    It raises `EmbedderUnavailable` for an answer by words only.
    """
    # The index is judged, not the current files: each file counts as present.
    engine = CodeSearch(OneReader(reader), vectors, clock, lambda _: lambda path: b"")

    def ask(golden: GoldenQuery) -> list[GoldenResult]:
        answer = engine.search(CodeQuery(golden.query, top_k=max(golden.k, DEPTH)), scope)
        refuse_words_alone(golden, answer.notes)
        records = reader.catalogue.records([result.id for result in answer.results])
        names = [
            frozenset((record.chunk.at.symbol, *record.chunk.at.heading_path))
            for record in records
            if isinstance(record.chunk.at, Lines)
        ]
        return [
            GoldenResult(result.file, definitions, result.score)
            for result, definitions in zip(answer.results, names, strict=True)
        ]

    return ask


def _hit(result: Result) -> GoldenResult:
    anchors = frozenset([result.anchor, *(section.anchor for section in result.sections)])
    return GoldenResult(result.url, anchors, result.score, result.explanation)


ASK_OVER: Mapping[CorpusName, Callable[[Project, QueryVectors, IndexReader, Scope, Callable[[], datetime]], Ask]] = {
    "site": ask_over,
    "code": ask_code_over,
}
# Text of a query that the engine embeds.
EMBEDDED_TEXT: Mapping[CorpusName, Callable[[IndexReader, str], str]] = {
    "site": lambda reader, query: reader.words.corrected(query),
    "code": lambda _, query: query,
}
