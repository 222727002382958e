"""A reader answers from one generation."""

from searchsocket.stores.base import VectorStore
from searchsocket.testing.store.samples import everything, fill, ids, record


class ReadersContract:
    def test_a_reader_answers_from_one_generation(self, store: VectorStore) -> None:
        """A publish in the meantime does not mix into a reader that is at work (spec 12.4)."""
        before = fill(store, [record("a", "/a", "zebra"), record("b", "/b", "zebra")])
        after = fill(store, [record("b", "/b", "giraffe"), record("c", "/c", "zebra")])
        assert everything(before) == {"a", "b"}
        assert ids(before.words.search("zebra", top_k=9)) == ["a", "b"]
        assert before.catalogue.records(["b"])[0].chunk.body.text == "zebra"
        assert everything(after) == {"a", "b", "c"}
        assert ids(after.words.search("zebra", top_k=9)) == ["a", "c"]
