"""Answers queries: embed, find by meaning and by words, fuse, boost, group, quote (spec 13)."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter

import numpy as np

from searchsocket.embedders.base import Embedder
from searchsocket.errors import BadVectors, EmbeddingModelMismatch
from searchsocket.search.answer import RelatedAnswer, Result, SearchAnswer
from searchsocket.search.exact import exactness
from searchsocket.search.fusion import Candidate, fuse, missing_cosines
from searchsocket.search.group import group_by_page
from searchsocket.search.marks import QueryWords
from searchsocket.search.query import SearchQuery, checked
from searchsocket.search.rank import Ranked, rank
from searchsocket.search.related import related_pages
from searchsocket.search.relevance import is_enough
from searchsocket.search.results import Telling, age_s
from searchsocket.search.texts import PlainTexts
from searchsocket.settings.model import RankingSettings
from searchsocket.stores.base import IndexReader, VectorStore
from searchsocket.types import MATCH_ALL, Generation, Hit, Record, Scope, Vector

_PIECES_A_PAGE = 3  # a page has several chunks among the candidates, so pages need more of them
_MAX_CANDIDATES = 1_000


@dataclass(frozen=True, slots=True)
class _Found:
    vector_hits: list[Hit]
    keyword_hits: list[Hit]
    candidates: list[Candidate]
    records: dict[str, Record]  # of the candidates, by id


class SearchEngine:
    """Answers queries over the live generation of any scope; safe to share between threads."""

    def __init__(
        self, store: VectorStore, embedder: Embedder, settings: RankingSettings, clock: Callable[[], datetime]
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._settings = settings
        self._clock = clock
        self._texts = PlainTexts()

    def search(self, query: SearchQuery, scope: Scope) -> SearchAnswer:
        """The best pages, or chunks, for a query.

        Raises:
            InvalidRequest: The query is empty or beyond a limit.
            ScopeNotIndexed: Nothing was published for the scope.
            EmbeddingModelMismatch: The scope was indexed with another model.
            EmbedderUnavailable, VectorBackendUnavailable: An outage, which is never "no results".
        """
        watch = _Watch()
        query = checked(query)
        reader = self._store.reader(scope)
        generation = reader.generation
        with watch.part("embed"):
            vector = self._embed(query.q, generation)
        found = self._find(reader, query, vector, watch)
        answered = self._is_answerable(reader, query, vector, found)
        ranked = rank(found.candidates, found.records, self._settings, exactness(query.q)) if answered else []
        age = age_s(generation.published_at, self._clock())
        telling = Telling(QueryWords(query.q), self._texts, generation, age, query.explain)
        results = self._results(ranked, query, telling)
        return SearchAnswer(
            q=query.q,
            scope=scope.name,
            generation=generation.name,
            published_at=generation.published_at,
            age_s=age,
            results=results,
            timings_ms=watch.timings_ms(),
            model_id=generation.model_id,
            group_by=query.group_by,
            quality="answered" if answered else "rejected",
        )

    def related(self, url: str, scope: Scope, top_k: int = 5) -> RelatedAnswer:
        """Pages near a page; nothing is embedded.

        Raises:
            PageNotFound: The live index holds no such page.
            ScopeNotIndexed, VectorBackendUnavailable: As `search`.
        """
        reader = self._store.reader(scope)
        pages = tuple(related_pages(reader, url, top_k))
        generation = reader.generation
        age = age_s(generation.published_at, self._clock())
        return RelatedAnswer(url, scope.name, generation.name, generation.published_at, age, pages)

    def _embed(self, q: str, generation: Generation) -> Vector:
        """The query's vector, sure to be comparable with the generation's."""
        if generation.model_id != self._embedder.model_id:
            raise EmbeddingModelMismatch(generation.scope, generation.model_id, self._embedder.model_id)
        vectors = self._embedder.embed([q], "query")
        if vectors.shape != (1, generation.dimensions) or not np.isfinite(vectors).all():
            raise BadVectors(
                f"{self._embedder.model_id!r} gave a query vector of shape {vectors.shape}, or one that is not "
                f"finite; scope {generation.scope!r} holds {generation.dimensions} dimensions"
            )
        return np.ascontiguousarray(vectors[0], dtype=np.float32)

    def _find(self, reader: IndexReader, query: SearchQuery, vector: Vector, watch: "_Watch") -> _Found:
        pieces = _PIECES_A_PAGE if query.group_by == "page" else 1
        k = min(max(self._settings.candidate_k, query.top_k * pieces), _MAX_CANDIDATES)
        with watch.part("vector"):
            by_vector = reader.query(vector, top_k=k, where=query.where)
        with watch.part("keyword"):
            by_words = reader.keyword_query(query.q, top_k=k, where=query.where)
            by_page = {hit.id: hit.score for hit in reader.page_query(query.q, top_k=k, where=query.where)}
        with watch.part("vector"):
            unknown = missing_cosines(by_vector, by_words)
            cosines = reader.similarities(vector, unknown)
        ids = [*(hit.id for hit in by_vector), *unknown]
        records = {record.id: record for record in reader.records(ids)}
        pages = {id_: by_page[record.url] for id_, record in records.items() if record.url in by_page}
        candidates = fuse(by_vector, by_words, dict(zip(unknown, cosines, strict=True)), pages)
        return _Found(by_vector, by_words, candidates, records)

    def _is_answerable(self, reader: IndexReader, query: SearchQuery, vector: Vector, found: _Found) -> bool:
        """Whether the evidence is enough; looked for in the whole scope, also where a filter hides it."""
        nearest = found.vector_hits if query.where == MATCH_ALL else reader.query(vector, top_k=1)
        return is_enough(reader.word_evidence(query.q), _best(nearest))

    def _results(self, ranked: Sequence[Ranked], query: SearchQuery, telling: Telling) -> tuple[Result, ...]:
        if query.group_by == "chunk":
            return tuple(telling.chunk(chunk) for chunk in ranked[: query.top_k])
        return tuple(telling.page(group) for group in group_by_page(ranked, query.top_k))


class _Watch:
    """Adds up the milliseconds of each part."""

    def __init__(self) -> None:
        self._began = perf_counter()
        self._parts = dict.fromkeys(("embed", "vector", "keyword", "rerank"), 0.0)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        began = perf_counter()
        yield
        self._parts[name] += perf_counter() - began

    def timings_ms(self) -> dict[str, float]:
        return {
            name: round(1000 * seconds, 3)
            for name, seconds in [*self._parts.items(), ("total", perf_counter() - self._began)]
        }


def _best(hits: Sequence[Hit]) -> float:
    return hits[0].score if hits else -1.0
