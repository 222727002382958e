"""Upserts replace, deletions leave no trace, and no batch loses a record."""

import numpy as np
import pytest

from searchsocket.stores.base import VectorStore
from searchsocket.testing.store.samples import EAST, INFO, MAIN, NORTH, UP, everything, fill, ids, random_units, record
from searchsocket.types import Filter, Hit


class ChangesContract:
    def test_the_same_id_replaces(self, store: VectorStore) -> None:
        """An upsert is an upsert: vector, words and filters of the old record are gone (spec 10.5)."""
        fill(store, [record("a", "/old", "zebra", tags=("t",)), record("b")])
        reader = fill(store, [record("a", "/new", "giraffe")], NORTH[np.newaxis])
        assert reader.generation.records == 2
        assert reader.vectors.nearest(NORTH, top_k=1) == [Hit("a", 1.0)]
        assert ids(reader.words.search("zebra", top_k=5)) == []
        assert ids(reader.words.search("giraffe", top_k=5)) == ["a"]
        assert everything(reader, Filter("/old")) == everything(reader, Filter(tags=("t",))) == set()

    def test_the_last_change_of_a_run_wins(self, store: VectorStore) -> None:
        store.upsert([record("a", text="first")], EAST[np.newaxis], MAIN)
        store.upsert([record("a", text="second"), record("b")], np.stack([NORTH, EAST]), MAIN)
        store.delete_by_ids(["b"], MAIN)
        store.upsert([record("c")], EAST[np.newaxis], MAIN)
        store.delete_by_ids(["c"], MAIN)
        store.upsert([record("c")], UP[np.newaxis], MAIN)
        store.publish(MAIN, INFO)
        reader = store.reader(MAIN)
        assert everything(reader) == {"a", "c"}
        assert reader.catalogue.records(["a"])[0].chunk.body.text == "second"
        assert reader.vectors.similarities(NORTH, ["a", "c"]) == [1.0, 0.0]

    def test_deleted_records_are_gone_everywhere(self, store: VectorStore) -> None:
        fill(store, [record("a", text="zebra", tags=("t",)), record("b", text="zebra", tags=("t",))])
        store.delete_by_ids(["a", "never-seen"], MAIN)
        store.publish(MAIN, INFO)
        reader = store.reader(MAIN)
        assert everything(reader) == everything(reader, Filter(tags=("t",))) == {"b"}
        assert ids(reader.words.search("zebra", top_k=5)) == ["b"]
        assert [record.id for record in reader.catalogue.page_records("/page")] == ["b"]
        assert list(store.fingerprints(MAIN)) == [("b", reader.catalogue.records(["b"])[0].record_hash)]

    def test_everything_may_be_deleted(self, store: VectorStore) -> None:
        fill(store, [record("a")])
        store.delete_by_ids(["a"], MAIN)
        assert store.publish(MAIN, INFO).records == 0
        reader = store.reader(MAIN)
        assert reader.vectors.nearest(EAST, top_k=5) == reader.words.search("text", top_k=5) == []

    @pytest.mark.parametrize("count", [1, 100, 101, 1000, 1001])
    def test_no_record_is_lost_at_the_border_of_a_batch(self, store: VectorStore, count: int) -> None:
        """Backends cap batches at 100, 1,000 ...; our callers need not know (failure 39)."""
        reader = fill(store, [record(f"{n:05}", f"/p/{n}") for n in range(count)], random_units(count))
        assert reader.generation.records == reader.generation.pages == count
        assert len(everything(reader)) == count
        store.delete_by_ids([f"{n:05}" for n in range(1, count)], MAIN)
        store.publish(MAIN, INFO)
        assert everything(store.reader(MAIN)) == {"00000"}

    def test_discard_drops_what_is_staged(self, store: VectorStore) -> None:
        first = fill(store, [record("a")]).generation
        store.upsert([record("b")], EAST[np.newaxis], MAIN)
        store.delete_by_ids(["a"], MAIN)
        store.discard(MAIN)
        store.discard(MAIN)
        assert store.publish(MAIN, INFO) == first
