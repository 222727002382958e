"""A candidate can be read before the switch to it, and refused."""

from typing import NoReturn

import pytest

from searchsocket.errors import CandidateRefused, GenerationNotKept, ScopeNotIndexed
from searchsocket.stores.base import CANDIDATE, LIVE, PREVIOUS, IndexReader, VectorStore
from searchsocket.testing.store.edit_history import answers
from searchsocket.testing.store.samples import EAST, INFO, MAIN, body, everything, fill, ids, random_units, record


class Refused(Exception):
    """Error of a gate that refuses."""


def refuse(_: IndexReader) -> NoReturn:
    raise Refused


class CandidateContract:
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
