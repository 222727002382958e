"""Finding what a query ranks: three lists, by meaning, by words and by the words of whole pages, joined."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext

import numpy as np

from searchsocket.stores.base import Candidates, IndexReader, Watch
from searchsocket.types import MATCH_ALL, Filter, Hit, Scores, Vector


def find(
    reader: IndexReader,
    vector: Vector | None,
    text: str,
    *,
    top_k: int,
    where: Filter = MATCH_ALL,
    watch: Watch = nullcontext,
) -> Candidates:
    """The records that a query may answer with, by the store's own fast path where it has one.

    Args:
        vector: None = by words alone: all cosines are 0, and the vectors are not touched.
    """
    if vector is None or reader.join is None:
        return Joined(reader)(vector, text, top_k=top_k, where=where, watch=watch)
    return reader.join(vector, text, top_k=top_k, where=where, watch=watch)


class Joined:
    """The lists of any reader, joined by id."""

    def __init__(self, reader: IndexReader) -> None:
        self._reader = reader

    def __call__(self, vector: Vector | None, text: str, *, top_k: int, where: Filter, watch: Watch) -> Candidates:
        """All that the nearest vectors and the best words find, at most `top_k` of each, and what their pages score."""
        reader = self._reader
        limits = reader.vectors.limits
        nearest_k = top_k if limits.max_top_k is None else min(top_k, limits.max_top_k)
        with watch("vector"):
            near = [] if vector is None else reader.vectors.nearest(vector, top_k=nearest_k, where=where)
        with watch("keyword"):
            worded = reader.words.search(text, top_k=top_k, where=where)
            pages = reader.words.search_pages(text, top_k=top_k, where=where)
            named = reader.words.named(text, top_k=top_k, where=where)
        near_ids = {hit.id for hit in near}
        others = [hit.id for hit in worded if hit.id not in near_ids]
        with watch("vector"):
            far = [0.0] * len(others) if vector is None else reader.vectors.similarities(vector, others)
            cosines = [hit.score for hit in near] + far
        ids = [*(hit.id for hit in near), *others]
        facts = reader.catalogue.facts(ids)
        return Candidates(
            ids=ids,
            facts=facts,
            cosine=np.array(cosines, np.float64),
            bm25=_column(_scores(worded), ids),
            page_bm25=_column(_scores(pages), facts.url),
            titled=_column(_scores(named.pages), facts.url),
            headed=_column(_scores(named.records), ids),
            best_cosine=near[0].score if near else -1.0,
        )


def _scores(hits: Sequence[Hit]) -> Mapping[str, float]:
    return {hit.id: hit.score for hit in hits}


def _column(scores: Mapping[str, float], keys: Sequence[str]) -> Scores:
    """The score of each key; 0 for those that were not found."""
    return np.array([scores.get(key, 0.0) for key in keys], np.float64)
