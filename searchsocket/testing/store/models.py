"""Vectors of two models never meet."""

from dataclasses import replace

import numpy as np
import pytest

from searchsocket.errors import EmbeddingModelMismatch
from searchsocket.stores.base import VectorStore
from searchsocket.testing.store.samples import EAST, INFO, MAIN, NORTH, fill, record
from searchsocket.types import Hit


class ModelsContract:
    def test_two_models_never_meet(self, store: VectorStore) -> None:
        """A scope moves to another model whole, or not at all (spec 10.6)."""
        fill(store, [record("a"), record("b")])
        other = replace(INFO, model_id="other-8")
        store.upsert([record("a", model_id="other-8")], NORTH[np.newaxis], MAIN)
        with pytest.raises(EmbeddingModelMismatch):
            store.publish(MAIN, other)
        assert store.reader(MAIN).generation.model_id == "hash-8"
        store.delete_by_ids(["b"], MAIN)
        assert store.publish(MAIN, other).model_id == "other-8"
        assert store.reader(MAIN).vectors.nearest(NORTH, top_k=9) == [Hit("a", 1.0)]

    def test_a_record_of_another_model_than_announced_is_refused(self, store: VectorStore) -> None:
        store.upsert([record("a", model_id="other-8")], EAST[np.newaxis], MAIN)
        with pytest.raises(EmbeddingModelMismatch):
            store.publish(MAIN, INFO)
