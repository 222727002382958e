"""A query by vector returns the nearest records, in one order."""

import numpy as np
import pytest

from searchsocket.errors import BadVectors, InvalidRequest
from searchsocket.stores.base import VectorStore
from searchsocket.testing.store.samples import DIMENSIONS, EAST, fill, ids, random_units, record, unit
from searchsocket.types import MATCH_ALL, Filter


class NearestContract:
    def test_hits_come_by_falling_cosine(self, store: VectorStore) -> None:
        vectors = np.stack([unit(1, 1), unit(1), unit(0, 1), unit(-1)])
        reader = fill(store, [record(name) for name in "abcd"], vectors)
        hits = reader.vectors.nearest(EAST, top_k=4)
        assert ids(hits) == ["b", "a", "c", "d"]
        assert [hit.score for hit in hits] == pytest.approx([1, 0.5**0.5, 0, -1], abs=1e-6)
        assert ids(reader.vectors.nearest(EAST, top_k=2)) == ["b", "a"]
        assert reader.vectors.nearest(EAST, top_k=0) == []

    def test_equal_scores_come_back_in_id_order(self, store: VectorStore) -> None:
        """Results are stable between runs and backends, even if the cut is among equal scores (spec 26.1)."""
        records = [record(f"{n * 37 % 100:03}", f"/{n}") for n in range(100)]
        reader = fill(store, [*records, record("zzz")], np.stack([*[unit(1, 1)] * 100, EAST]))
        assert ids(reader.vectors.nearest(EAST, top_k=4)) == ["zzz", "000", "001", "002"]
        assert ids(reader.vectors.nearest(EAST, top_k=101)) == ["zzz", *(f"{n:03}" for n in range(100))]

    def test_equal_vectors_score_equally_wherever_they_lie(self, store: VectorStore) -> None:
        vectors = random_units(300)
        vectors[7::13] = vectors[0]
        reader = fill(store, [record(f"{n:03}", f"/{'ab'[n % 2]}/{n}") for n in range(300)], vectors)
        for where in (MATCH_ALL, Filter("/a"), Filter("/b")):
            scores = {hit.id: hit.score for hit in reader.vectors.nearest(vectors[3], top_k=300, where=where)}
            assert len({scores[f"{n:03}"] for n in range(7, 300, 13) if f"{n:03}" in scores}) == 1

    def test_similarities_are_the_scores_of_the_query(self, store: VectorStore) -> None:
        vectors = random_units(50)
        reader = fill(store, [record(f"{n:02}") for n in range(50)], vectors)
        hits = reader.vectors.nearest(vectors[5], top_k=50)
        assert len(hits) == 50
        assert reader.vectors.similarities(vectors[5], ids(hits)) == pytest.approx(
            [hit.score for hit in hits], abs=1e-6
        )
        assert reader.vectors.similarities(vectors[5], []) == []

    def test_vectors_come_back_as_they_were_stored(self, store: VectorStore) -> None:
        vectors = random_units(20)
        reader = fill(store, [record(f"{n:02}") for n in range(20)], vectors)
        assert np.array_equal(reader.vectors.vectors_of(["07", "03", "07"]), vectors[[7, 3, 7]])
        assert reader.vectors.vectors_of([]).shape == (0, DIMENSIONS)
        with pytest.raises(InvalidRequest):
            reader.vectors.vectors_of(["nothing"])

    def test_a_bad_query_vector_is_refused(self, store: VectorStore) -> None:
        """An empty or zero query vector is an error, not an empty answer (failure 44)."""
        reader = fill(store, [record("a")])
        for bad in (np.zeros(DIMENSIONS), np.full(DIMENSIONS, np.nan), np.ones(3), np.empty(0)):
            with pytest.raises(BadVectors):
                reader.vectors.nearest(bad.astype(np.float32), top_k=1)
