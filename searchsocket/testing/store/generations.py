"""A generation is published whole, of one model, answers alone, and can be rolled back.

A candidate can be read before the switch to it, and refused. Upserts replace, deletions leave no trace, and no batch
loses a record.
"""

from dataclasses import replace
from typing import NoReturn

import numpy as np
import pytest

from searchsocket.errors import (
    CandidateRefused,
    EmbeddingModelMismatch,
    GenerationNotKept,
    NoGenerationBefore,
    ScopeNotIndexed,
)
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.stores.base.vector_store import CANDIDATE, LIVE, PREVIOUS, VectorStore, index_digest
from searchsocket.testing.store.edit_history import answers
from searchsocket.testing.store.samples import (
    DIMENSIONS,
    DRAFT,
    EAST,
    INFO,
    MAIN,
    NORTH,
    UP,
    body,
    everything,
    fill,
    ids,
    random_units,
    record,
)
from searchsocket.types import Filter, Hit


class GenerationsContract:
    """A generation is published whole, of one model, answers alone, and can be rolled back."""

    def test_nothing_is_seen_before_it_is_published(self, store: VectorStore) -> None:
        store.upsert([record("a")], EAST[np.newaxis], MAIN)
        assert store.generation(MAIN) is None
        assert list(store.fingerprints(MAIN)) == []
        assert store.record_hashes(MAIN) == b""
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


class ChangesContract:
    """Upserts replace, deletions leave no trace, and no batch loses a record."""

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
        (left,) = reader.catalogue.records(["b"])
        assert list(store.fingerprints(MAIN)) == [("b", left.record_hash)]
        assert store.record_hashes(MAIN).hex() == left.record_hash

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


class Refused(Exception):
    """Error of a gate that refuses."""


def refuse(_: IndexReader) -> NoReturn:
    raise Refused


class CandidateContract:
    """A candidate can be read before the switch to it, and refused."""

    @pytest.mark.parametrize("is_first", [True, False])
    def test_the_candidate_answers_as_it_will_after_the_switch(self, store: VectorStore, is_first: bool) -> None:
        """A gate runs golden queries against exactly the generation that will answer callers."""
        if not is_first:
            fill(store, [record("old", "/old", "lemur"), record("k3", "/3", "okapi")])
            store.delete_by_ids(["old"], MAIN)
        observed: list[object] = []

        def gate(candidate: IndexReader) -> None:
            records = candidate.catalogue.records([f"k{n}" for n in range(9)])
            observed.append([answers(candidate), records, candidate.generation, candidate.catalogue.page_body("/1")])
            observed.append(store.generation(MAIN))

        store.upsert([record(f"k{n}", f"/{n % 4}", "zebra heron", ordinal=n) for n in range(9)], random_units(9), MAIN)
        store.stage_bodies([body(f"/{n}", f"text {n}") for n in range(4)], MAIN)
        before = store.generation(MAIN)
        published = store.publish(MAIN, INFO, gate=gate)
        reader = store.reader(MAIN)
        records = reader.catalogue.records([f"k{n}" for n in range(9)])
        assert observed == [[answers(reader), records, published, "text 1"], before]
        assert published == reader.generation != before

    def test_a_refused_candidate_leaves_the_live_one_and_no_trace(self, store: VectorStore) -> None:
        before = fill(store, [record("a", text="zebra")])
        store.upsert([record("b", text="zebra")], EAST[None], MAIN)
        with pytest.raises(Refused):
            store.publish(MAIN, INFO, gate=refuse)
        assert store.generation(MAIN) == before.generation
        assert everything(store.reader(MAIN)) == {"a"}
        assert ids(store.reader(MAIN).words.search("zebra", top_k=9)) == ["a"]
        assert store.verify(MAIN) == []

    def test_what_was_refused_is_still_staged(self, store: VectorStore) -> None:
        """A run that may be tried again need not stage all of it again; `discard` drops it."""
        store.upsert([record("a")], EAST[None], MAIN)
        with pytest.raises(Refused):
            store.publish(MAIN, INFO, gate=refuse)
        with pytest.raises(ScopeNotIndexed):
            store.reader(MAIN)
        assert store.publish(MAIN, INFO).records == 1
        assert everything(store.reader(MAIN)) == {"a"}

    def test_a_refused_candidate_is_not_in_the_next_one(self, store: VectorStore) -> None:
        fill(store, [record("a"), record("b")])
        store.upsert([record("c")], EAST[None], MAIN)
        store.delete_by_ids(["b"], MAIN)
        with pytest.raises(Refused):
            store.publish(MAIN, INFO, gate=refuse)
        store.discard(MAIN)
        assert everything(fill(store, [record("d")])) == {"a", "b", "d"}
        assert store.rollback(MAIN).records == 2

    def test_a_candidate_that_a_gate_refuses_as_one_is_kept_to_be_looked_at(self, store: VectorStore) -> None:
        """It is kept until the next one, and has no effect on live, later or rolled-back generations."""

        def not_good_enough(_: IndexReader) -> NoReturn:
            raise CandidateRefused("too bad")

        before = fill(store, [record("a", "/a", "zebra")])
        store.upsert([record("b", "/b", "zebra")], EAST[None], MAIN)
        store.stage_bodies([body("/b", "text b")], MAIN)
        with pytest.raises(CandidateRefused):
            store.publish(MAIN, INFO, gate=not_good_enough)
        store.discard(MAIN)
        refused = store.reader_of(MAIN, CANDIDATE)
        assert everything(refused) == {"a", "b"}
        assert refused.catalogue.page_body("/b") == "text b"
        assert everything(store.reader_of(MAIN, refused.generation.name)) == {"a", "b"}
        assert everything(store.reader(MAIN)) == everything(store.reader_of(MAIN, LIVE)) == {"a"}
        assert store.list_scopes() == [before.generation]
        assert everything(fill(store, [record("c", "/c")])) == {"a", "c"}
        for name in (CANDIDATE, refused.generation.name, "nonsense"):
            with pytest.raises(GenerationNotKept):
                store.reader_of(MAIN, name)
        assert everything(store.reader_of(MAIN, PREVIOUS)) == {"a"}

    def test_a_candidate_goes_when_the_site_is_again_what_is_live(self, store: VectorStore) -> None:
        def not_good_enough(_: IndexReader) -> NoReturn:
            raise CandidateRefused("too bad")

        fill(store, [record("a")])
        store.upsert([record("b")], EAST[None], MAIN)
        with pytest.raises(CandidateRefused):
            store.publish(MAIN, INFO, gate=not_good_enough)
        store.discard(MAIN)
        store.publish(MAIN, INFO)
        with pytest.raises(GenerationNotKept):
            store.reader_of(MAIN, CANDIDATE)

    def test_where_nothing_changes_there_is_no_candidate(self, store: VectorStore) -> None:
        first = fill(store, [record("a")]).generation
        store.upsert([record("a")], EAST[None], MAIN)
        assert store.publish(MAIN, INFO, gate=refuse) == first
