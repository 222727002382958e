"""A page is found by the words of all its records."""

import pytest

from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.testing.store.samples import MAIN, fill, ids, record
from searchsocket.types import Filter


class PagesContract:
    def test_a_page_holds_the_words_of_all_its_records(self, store: VectorStore) -> None:
        """Words that stand far apart on one page bring it up before a page that holds one of them."""
        reader = fill(
            store,
            [
                record("a", "/a", "a zebra crossing is where people on foot cross a street"),
                record("b0", "/b", "the first part is about a giraffe", ordinal=0),
                record("b1", "/b", "and the second one about a zebra", ordinal=1),
                record("c", "/c", "neither of them", title="Okapi"),
            ],
        )
        hits = reader.words.search_pages("zebra giraffe", top_k=9)
        assert ids(hits) == ["/b", "/a"]
        assert hits[0].score > hits[1].score > 0
        assert ids(reader.words.search_pages("zebra giraffe", top_k=1)) == ["/b"]
        assert ids(reader.words.search_pages("okapi", top_k=9)) == ["/c"]
        assert reader.words.search_pages("", top_k=9) == reader.words.search_pages("zebra", top_k=0) == []

    @pytest.mark.parametrize("count", [200, 3000])
    def test_equal_pages_come_back_in_path_order(self, store: VectorStore, count: int) -> None:
        """Whatever was published first, also where the cut goes through equals, and where all pages are equal."""
        fill(store, [record("late", "/0000-old", "the same words"), *(record(f"x{n}", f"/x/{n}") for n in range(300))])
        records = [record(f"{n}", f"/{n * 37 % count:04}", "the same words") for n in range(count)]
        reader = fill(
            store, [*records, record("deep", "/0000/a", "the same words"), record("best", "/z", "same words")]
        )
        expected = ["/z", "/0000", "/0000/a", "/0000-old", *(f"/{n:04}" for n in range(1, count))]
        for top_k in (1, 2, 5, 100, 9999):
            assert ids(reader.words.search_pages("same words", top_k=top_k)) == expected[:top_k]
        within = [url for url in expected if url.startswith("/0000/")]
        assert ids(reader.words.search_pages("same words", top_k=9, where=Filter("/0000"))) == ["/0000", *within]

    def test_a_page_is_the_one_that_was_published_last(self, store: VectorStore) -> None:
        """Changed, moved and deleted records leave no word of theirs behind, and those that stay keep theirs."""
        others = [record(f"o{n}", f"/other/{n}", "okapi") for n in range(20)]  # so that the change is a small one
        pages = [record("a", "/x", "zebra"), record("b", "/x", "giraffe", ordinal=1), record("c", "/y", "lemur")]
        fill(store, [*pages, *others])
        store.delete_by_ids(["c"], MAIN)
        reader = fill(store, [record("a", "/x", "heron"), record("d", "/z", "lemur"), record("b", "/y", "giraffe")])
        for word, urls in {"zebra": [], "heron": ["/x"], "giraffe": ["/y"], "lemur": ["/z"]}.items():
            assert ids(reader.words.search_pages(word, top_k=9)) == urls
        assert len(reader.words.search_pages("okapi", top_k=99)) == 20
