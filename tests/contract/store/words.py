"""A query by words returns the records that contain them, in one order."""

import math

import pytest

from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.testing.store.samples import fill, ids, record


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
        hits = reader.words.search("load data", top_k=9)
        assert ids(hits) == ["c", "a"]
        assert hits[0].score > hits[1].score > 0
        assert ids(reader.words.search("load data", top_k=1)) == ["c"]

    def test_terms_count_by_how_rare_they_are(self, store: VectorStore) -> None:
        texts = ["alpha beta", "alpha alpha", "beta", "gamma", "alpha", "delta"]
        reader = fill(store, [record(f"r{n}", f"/{n}", text) for n, text in enumerate(texts)])
        hits = reader.words.by_rarity(["alpha", "beta", "nowhere", "alpha"], top_k=9)
        alpha, beta = math.log(1 + 6 / 3), math.log(1 + 6 / 2)
        assert [(hit.id, hit.terms) for hit in hits] == [
            ("r0", ("alpha", "beta")), ("r2", ("beta",)), ("r1", ("alpha",)), ("r4", ("alpha",)),
        ]  # fmt: skip
        assert [hit.score for hit in hits] == pytest.approx([alpha + beta, beta, alpha, alpha])
        assert [hit.id for hit in reader.words.by_rarity(["alpha"], top_k=2)] == ["r0", "r1"]
        assert reader.words.by_rarity([], top_k=2) == reader.words.by_rarity(["nowhere"], top_k=2) == []

    def test_equal_words_come_back_in_id_order(self, store: VectorStore) -> None:
        reader = fill(store, [record(f"{n * 37 % 200:03}", f"/{n:03}", "the same words") for n in range(200)])
        assert ids(reader.words.search("same words", top_k=5)) == ["000", "001", "002", "003", "004"]
        assert ids(reader.words.search("same words", top_k=200)) == [f"{n:03}" for n in range(200)]

    @pytest.mark.parametrize("count", [200, 3000])
    def test_equal_records_come_back_in_id_order_by_words_too(self, store: VectorStore, count: int) -> None:
        reader = fill(store, [record(f"{n * 37 % count:04}", f"/{n}", "the same words") for n in range(count)])
        for top_k in (1, 3, 150, 9999):
            assert ids(reader.words.search("same words", top_k=top_k)) == [f"{n:04}" for n in range(count)][:top_k]

    def test_a_query_without_known_words_finds_nothing(self, store: VectorStore) -> None:
        reader = fill(store, [record("k", text="plain prose")])
        for text in ("", "   ", "?!,.", '"', '""', "\x00", "qqqqzzzz", "(", "AND OR NOT", "a:b", "\ud800"):
            assert (text, reader.words.search(text, top_k=5)) == (text, [])
