"""A bad vector is refused with its whole batch."""

import numpy as np
import pytest

from searchsocket.errors import BadVectors
from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.testing.store.samples import DIMENSIONS, EAST, INFO, MAIN, everything, fill, record


class BadVectorsContract:
    def test_bad_vectors_are_refused(self, store: VectorStore) -> None:
        """A zero, NaN, short or missing vector is never stored, nor is the rest of its batch (spec 11)."""
        for bad in (
            np.zeros((2, DIMENSIONS), np.float32),
            np.full((2, DIMENSIONS), np.nan, np.float32),
            np.full((2, DIMENSIONS), np.inf, np.float32),
            np.full((2, DIMENSIONS), 9.0, np.float32),
            np.full((2, DIMENSIONS), 3e38, np.float32),
            np.eye(DIMENSIONS, dtype=np.float32)[:1],
            np.eye(DIMENSIONS, dtype=np.float32)[:3],
            np.eye(DIMENSIONS, dtype=np.float64)[:2],
            np.ones(2, np.float32),
            np.empty((2, 0), np.float32),
        ):
            with pytest.raises(BadVectors):
                store.upsert([record("a"), record("b")], bad, MAIN)
        assert fill(store, [record("c")]).generation.records == 1

    def test_one_bad_vector_refuses_its_batch(self, store: VectorStore) -> None:
        with pytest.raises(BadVectors):
            store.upsert([record("a"), record("b")], np.stack([EAST, EAST * 0]), MAIN)
        assert everything(fill(store, [record("c")])) == {"c"}

    def test_vectors_of_another_dimension_are_refused(self, store: VectorStore) -> None:
        fill(store, [record("a")])
        store.upsert([record("b")], np.eye(4, dtype=np.float32)[:1], MAIN)
        with pytest.raises(BadVectors):
            store.publish(MAIN, INFO)
        assert everything(store.reader(MAIN)) == {"a"}

    def test_vectors_of_two_dimensions_in_one_run_are_refused(self, store: VectorStore) -> None:
        store.upsert([record("a")], EAST[np.newaxis], MAIN)
        with pytest.raises(BadVectors):
            store.upsert([record("b")], np.eye(4, dtype=np.float32)[:1], MAIN)
