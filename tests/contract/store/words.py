"""A query by words gives the records that hold them, in one order."""

import pytest
from contract.store.samples import fill, ids, record

from searchsocket.stores.base import VectorStore


class WordsContract:
    def test_words_find_what_holds_them_best_first(self, store: VectorStore) -> None:
        reader = fill(
            store,
            [
                record("a", "/a", "Loading data happens before a page renders."),
                record("b", "/b", "Nothing to see here."),
                record("c", "/c", "Some page about other things", title="Load data"),
            ],
        )
        found = reader.words.search("load data", top_k=9)
        assert ids(found) == ["c", "a"]
        assert found[0].score > found[1].score > 0
        assert ids(reader.words.search("load data", top_k=1)) == ["c"]

    def test_equal_words_come_back_in_id_order(self, store: VectorStore) -> None:
        reader = fill(store, [record(f"{n * 37 % 200:03}", f"/{n:03}", "the same words") for n in range(200)])
        assert ids(reader.words.search("same words", top_k=5)) == ["000", "001", "002", "003", "004"]
        assert ids(reader.words.search("same words", top_k=200)) == [f"{n:03}" for n in range(200)]

    @pytest.mark.parametrize("count", [200, 3000])
    def test_equal_records_come_back_in_id_order_by_words_too(self, store: VectorStore, count: int) -> None:
        reader = fill(store, [record(f"{n * 37 % count:04}", f"/{n}", "the same words") for n in range(count)])
        for top_k in (1, 3, 150, 9999):
            assert ids(reader.words.search("same words", top_k=top_k)) == [f"{n:04}" for n in range(count)][:top_k]

    @pytest.mark.parametrize(
        "text", ["", "   ", "?!,.", '"', '""', "\x00", "qqqqzzzz", "(", "AND OR NOT", "a:b", "\ud800"]
    )
    def test_a_query_without_known_words_finds_nothing(self, store: VectorStore, text: str) -> None:
        reader = fill(store, [record("k", text="plain prose")])
        assert reader.words.search(text, top_k=5) == []
