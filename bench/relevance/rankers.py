"""Rankers of a collection: plain baselines, and the protocol of all variants."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import bm25s
import numpy as np
import Stemmer
from numpy.typing import NDArray

from bench.relevance.chunks import passages
from bench.relevance.collection import Collection, Query
from bench.relevance.metrics import Ranking
from bench.relevance.vectors import cached
from searchsocket.models.embedders.base import Embedder

DEPTH = 100  # documents kept of a ranking
RRF_K = 60

Scores = NDArray[np.float64]  # one score a document, higher is better; -inf takes the document out


class Ranker(Protocol):
    """A ranking variant: the name that its results are kept under, and what it does."""

    name: str

    def __call__(self, collection: Collection) -> Ranking:
        """Rank the documents of `collection` for each of its queries, best first, at most `DEPTH`."""


class Bm25:
    """BM25 over title and text of whole documents, English stems: what one gets from bm25s in five lines."""

    name = "bm25"

    def __call__(self, collection: Collection) -> Ranking:
        stemmer = Stemmer.Stemmer("english")

        def tokens(texts: list[str]) -> list[list[str]]:
            word_lists: list[list[str]] = bm25s.tokenize(
                texts, stopwords="en", stemmer=stemmer, return_ids=False, show_progress=False
            )
            return word_lists

        index = bm25s.BM25(k1=1.2, b=0.75)
        index.index(tokens([f"{d.title}\n{d.text}" for d in collection.documents]), show_progress=False)
        words = dict(zip((q.id for q in collection.queries), tokens([q.text for q in collection.queries]), strict=True))
        nothing = np.zeros(len(collection.documents))
        return ranked(collection, lambda q: index.get_scores(words[q.id]) if words[q.id] else nothing)


class Dense:
    """Cosine of the query with the best passage of each document."""

    def __init__(self, name: str, embedder: Embedder, cache: Path | None = None) -> None:
        self.name = name
        self._embedder = embedder
        self._cache = cache

    def __call__(self, collection: Collection) -> Ranking:
        parts = passages(collection)
        starts = np.searchsorted([p.document for p in parts], np.arange(len(collection.documents)))
        vectors = cached(self._embedder, [p.embedded for p in parts], "passage", self._cache)
        queries = cached(self._embedder, [q.text for q in collection.queries], "query", self._cache)
        rows = {query.id: row for query, row in zip(collection.queries, queries, strict=True)}
        return ranked(
            collection, lambda query: np.maximum.reduceat(vectors @ rows[query.id], starts).astype(np.float64)
        )


class ReciprocalRank:
    """Reciprocal-rank fusion of other rankers."""

    def __init__(self, name: str, parts: Sequence[Ranker]) -> None:
        self.name = name
        self._parts = parts

    def __call__(self, collection: Collection) -> Ranking:
        rankings = [part(collection) for part in self._parts]
        fused: dict[str, list[str]] = {}
        for query in collection.queries:
            scores: dict[str, float] = {}
            for ranking in rankings:
                for rank, document in enumerate(ranking[query.id], start=1):
                    scores[document] = scores.get(document, 0.0) + 1 / (RRF_K + rank)
            fused[query.id] = sorted(scores, key=lambda document: (-scores[document], document))[:DEPTH]
        return fused


def ranked(collection: Collection, score: Callable[[Query], Scores]) -> Ranking:
    """Order all documents that each query may see by `score`; equal scores by position; score 0 is no match."""
    ids = [document.id for document in collection.documents]
    scopes = np.array([document.scope for document in collection.documents])
    positions = {document: position for position, document in enumerate(ids)}
    rankings: dict[str, list[str]] = {}
    for query in collection.queries:
        scores = score(query).copy()
        scores[scopes != query.scope] = -np.inf
        scores[[positions[document] for document in query.exclude if document in positions]] = -np.inf
        best = np.argsort(-scores, kind="stable")[:DEPTH]
        rankings[query.id] = [ids[position] for position in best if np.isfinite(scores[position]) and scores[position]]
    return rankings
