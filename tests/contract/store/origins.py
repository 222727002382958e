"""A new scope can start from the content of another one; a store without support starts it empty."""

from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.testing.store.samples import DRAFT, EAST, INFO, MAIN, NORTH, UP, body, everything, fill, record
from searchsocket.types import Record, Renamed, Scope


def records(scope: Scope, *texts: str) -> list[Record]:
    return [
        record(f"{scope.name} {number}", f"/{number}", text, scope=scope) for number, text in enumerate(texts, start=1)
    ]


class OriginsContract:
    def test_what_is_taken_over_is_as_if_it_had_been_written(self, store: VectorStore) -> None:
        """Whatever becomes of the other scope; what does not match by its hash is not taken."""
        theirs = records(MAIN, "boats", "lanterns", "tickets")
        ours = records(DRAFT, "boats", "lanterns", "prices")
        vectors = [EAST, NORTH, UP]
        store.stage_bodies([body(f"/{number}") for number in (1, 2, 3)], MAIN)
        for one, vector in zip(theirs, vectors, strict=True):
            store.upsert([one], vector[None], MAIN)
        store.publish(MAIN, INFO)
        names = [Renamed(one.id, one.record_hash, other.id) for one, other in zip(ours, theirs, strict=True)]
        copied_ids = store.copy_from_scope(names, MAIN, DRAFT)
        assert copied_ids in ([], [ours[0].id, ours[1].id])
        store.delete_scope(MAIN)
        digests = dict(store.body_digests(DRAFT))
        store.stage_bodies([body(f"/{n}") for n in (1, 2, 3) if digests.get(f"/{n}") != body(f"/{n}").digest], DRAFT)
        for one, vector in zip(ours, vectors, strict=True):
            if one.id not in copied_ids:
                store.upsert([one], vector[None], DRAFT)
        generation = store.publish(DRAFT, INFO)
        reader = store.reader(DRAFT)
        ids = [record.id for record in ours]
        assert reader.catalogue.records(ids) == ours
        assert reader.vectors.vectors_of(ids).tolist() == [vector.tolist() for vector in vectors]
        assert [hit.id for word in ("boats", "tickets", "prices") for hit in reader.words.search(word, top_k=5)] == [
            ours[0].id,
            ours[2].id,
        ]
        assert everything(reader) == set(ids)
        assert (generation.scope, generation.records, generation.bodies) == (DRAFT.name, 3, 3)
        assert store.verify(DRAFT) == []

    def test_nothing_is_taken_over_where_something_is_live(self, store: VectorStore) -> None:
        [one], [other] = records(DRAFT, "boats"), records(MAIN, "boats")
        fill(store, [other])
        fill(store, records(DRAFT, "prices"), scope=DRAFT)
        assert store.copy_from_scope([Renamed(one.id, one.record_hash, other.id)], MAIN, DRAFT) == []

    def test_nothing_is_taken_over_from_what_is_not_there(self, store: VectorStore) -> None:
        [one] = records(DRAFT, "boats")
        assert store.copy_from_scope([Renamed(one.id, one.record_hash, "a")], MAIN, DRAFT) == []
        assert fill(store, [one], scope=DRAFT).generation.records == 1
