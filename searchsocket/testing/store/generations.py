"""A generation is published whole, of one model, answers alone, and can be rolled back."""

from dataclasses import replace

import numpy as np
import pytest

from searchsocket.errors import EmbeddingModelMismatch, NoGenerationBefore, ScopeNotIndexed
from searchsocket.stores.base import VectorStore, index_digest
from searchsocket.testing.store.samples import DIMENSIONS, DRAFT, EAST, INFO, MAIN, NORTH, everything, fill, ids, record
from searchsocket.types import Hit


class GenerationsContract:
    def test_nothing_is_seen_before_it_is_published(self, store: VectorStore) -> None:
        store.upsert([record("a")], EAST[np.newaxis], MAIN)
        assert store.generation(MAIN) is None
        assert list(store.fingerprints(MAIN)) == []
        with pytest.raises(ScopeNotIndexed):
            store.reader(MAIN)
        assert store.publish(MAIN, INFO) == store.generation(MAIN) == store.reader(MAIN).generation

    def test_the_generation_says_how_far_apart_its_texts_lie(self, store: VectorStore) -> None:
        """The spread is equal for equal records, after any history; None for too few."""
        angles = np.linspace(0.0, np.pi / 2, 30)
        vectors = np.zeros((30, DIMENSIONS), np.float32)
        vectors[:, 0], vectors[:, 1] = np.cos(angles), np.sin(angles)
        records = [record(f"r{number:02}", f"/p{number}") for number in range(30)]
        store.upsert(records[:10], vectors[:10], MAIN)
        assert store.publish(MAIN, INFO).spread is None
        store.upsert(records[10:], vectors[10:], MAIN)
        spread = store.publish(MAIN, INFO).spread
        cosines = (vectors.astype(np.float64) @ vectors.T.astype(np.float64))[np.triu_indices(30, 1)]
        assert spread == pytest.approx(np.quantile(cosines, [0.05, 0.5]), abs=1e-4)
        generation = store.generation(MAIN)
        assert generation is not None
        assert generation.spread == spread

    def test_what_was_not_published_is_not_held(self, store: VectorStore) -> None:
        store.upsert([record("a")], EAST[np.newaxis], MAIN)
        assert store.open_reader(MAIN) is None

    def test_the_generation_says_what_it_holds(self, store: VectorStore) -> None:
        records = [
            record("a", "/a", route_resolution="exact"),
            record("b", "/a", ordinal=1, route_resolution="exact"),
            record("c", "/c"),
        ]
        reader = fill(store, records)
        generation = reader.generation
        assert (generation.scope, generation.project_id, generation.model_id, generation.dimensions) == (
            "main",
            "shop",
            "hash-8",
            DIMENSIONS,
        )
        assert (generation.records, generation.pages, dict(generation.routes)) == (3, 2, {"exact": 1, "none": 1})
        assert (generation.published_at, generation.source_revision) == (INFO.published_at, "abc123")
        assert (generation.estimated_tokens, generation.estimated_cost_usd) == (12, 0.5)
        assert generation.digest == index_digest(sorted((item.id, item.record_hash) for item in records))

    def test_equal_contents_have_equal_digests(self, store: VectorStore) -> None:
        """The history of an index is not part of its digest."""
        direct = fill(store, [record(name) for name in "bca"]).generation
        fill(store, [record("a", scope=DRAFT), record("x", scope=DRAFT)], scope=DRAFT)
        assert store.publish(MAIN, INFO).digest == direct.digest
        fill(store, [record("a", text="other")])
        store.delete_by_ids(["b", "c"], MAIN)
        assert store.publish(MAIN, INFO).digest != direct.digest
        assert fill(store, [record(name) for name in "abc"]).generation.digest == direct.digest

    def test_publishing_no_change_keeps_the_generation(self, store: VectorStore) -> None:
        first = fill(store, [record("a"), record("b")]).generation
        assert store.publish(MAIN, INFO) == first
        store.delete_by_ids(["unknown"], MAIN)
        assert fill(store, [record("b"), record("a")]).generation == first

    def test_a_vector_alone_may_change(self, store: VectorStore) -> None:
        """A record with a new vector counts as changed, even if its text is the same."""
        first = fill(store, [record("a"), record("b")]).generation
        reader = fill(store, [record("a")], NORTH[np.newaxis])
        assert reader.generation.name != first.name
        assert reader.vectors.similarities(NORTH, ["a", "b"]) == [1.0, 0.0]

    def test_a_reader_answers_from_one_generation(self, store: VectorStore) -> None:
        """A publish in the meantime does not mix into a reader that is at work (spec 12.4)."""
        before = fill(store, [record("a", "/a", "zebra"), record("b", "/b", "zebra")])
        after = fill(store, [record("b", "/b", "giraffe"), record("c", "/c", "zebra")])
        assert everything(before) == {"a", "b"}
        assert ids(before.words.search("zebra", top_k=9)) == ["a", "b"]
        assert before.catalogue.records(["b"])[0].chunk.body.text == "zebra"
        assert everything(after) == {"a", "b", "c"}
        assert ids(after.words.search("zebra", top_k=9)) == ["a", "c"]

    def test_rollback_returns_to_the_generation_before(self, store: VectorStore) -> None:
        first = fill(store, [record("a", text="zebra")]).generation
        fill(store, [record("b", text="zebra")])
        assert store.rollback(MAIN) == first == store.generation(MAIN)
        assert everything(store.reader(MAIN)) == {"a"}
        with pytest.raises(NoGenerationBefore):
            store.rollback(MAIN)
        assert everything(fill(store, [record("c")])) == {"a", "c"}
        assert store.rollback(MAIN) == first

    def test_rollback_needs_a_generation_before(self, store: VectorStore) -> None:
        with pytest.raises(ScopeNotIndexed):
            store.rollback(MAIN)
        fill(store, [record("a")])
        with pytest.raises(NoGenerationBefore):
            store.rollback(MAIN)
        assert everything(store.reader(MAIN)) == {"a"}

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
