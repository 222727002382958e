"""A generation returns the page texts with which it was published."""

from dataclasses import replace

import pytest

from searchsocket.errors import PageTextsMissing
from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.testing.store.samples import DRAFT, INFO, MAIN, body, fill, record


class PageBodiesContract:
    @pytest.mark.parametrize("text", ["", "# Page\r\n\tzèbre 日本 🎉\x00", "x" * 300_000])
    def test_a_text_comes_back_as_it_was_put(self, store: VectorStore, text: str) -> None:
        store.stage_bodies([body("/dócs/日本", text)], MAIN)
        reader = fill(store, [record("a", "/dócs/日本")])
        assert reader.catalogue.page_body("/dócs/日本") == text
        assert reader.catalogue.page_body("/dócs") is None
        assert reader.catalogue.page_digest("/dócs/日本") == body("", text).digest
        assert reader.catalogue.page_digest("/dócs") == ""
        assert list(store.body_digests(MAIN)) == [("/dócs/日本", body("", text).digest)]
        assert store.verify(MAIN) == []

    def test_key_phrases_lie_beside_the_text(self, store: VectorStore) -> None:
        """Also where it is carried on to another generation."""
        store.stage_bodies([replace(body("/a"), key_phrases=("main sail", "日本")), body("/b")], MAIN)
        fill(store, [record("a", "/a"), record("b", "/b")])
        reader = fill(store, [record("c", "/a", ordinal=1)])
        phrases = [reader.catalogue.key_phrases(url) for url in ("/a", "/b", "/c")]
        assert phrases == [("main sail", "日本"), (), ()]

    def test_texts_are_carried_on_and_replaced(self, store: VectorStore) -> None:
        store.stage_bodies([body("/a", "one"), body("/b", "first"), body("/b", "two")], MAIN)
        fill(store, [record("a", "/a"), record("b", "/b")])
        fill(store, [record("c", "/a", ordinal=1)])
        store.stage_bodies([body("/b", "three")], MAIN)
        reader = fill(store, [record("d", "/d")])
        assert [reader.catalogue.page_body(url) for url in ("/a", "/b")] == ["one", "three"]
        assert (reader.generation.bodies, reader.generation.pages) == (2, 3)
        with pytest.raises(PageTextsMissing):
            reader.catalogue.page_body("/d")

    def test_a_text_alone_may_change(self, store: VectorStore) -> None:
        """A page text is published without a change of records; an equal text is no change."""
        store.stage_bodies([body("/a", "one")], MAIN)
        first = fill(store, [record("a", "/a")]).generation
        store.stage_bodies([replace(body("/a", "one"), text="one, at another time")], MAIN)
        assert store.publish(MAIN, INFO) == first
        assert store.reader(MAIN).catalogue.page_body("/a") == "one"
        store.stage_bodies([body("/a", "two")], MAIN)
        second = store.publish(MAIN, INFO)
        assert (second.digest, second.records) == (first.digest, first.records)
        assert second.bodies_digest != first.bodies_digest
        assert store.reader(MAIN).catalogue.page_body("/a") == "two"
        store.rollback(MAIN)
        assert store.reader(MAIN).catalogue.page_body("/a") == "one"

    def test_a_text_goes_with_the_last_record_of_its_page(self, store: VectorStore) -> None:
        store.stage_bodies([body("/a"), body("/b"), body("/never")], MAIN)
        first = fill(store, [record("a", "/a"), record("b", "/b"), record("c", "/b", ordinal=1)])
        assert [url for url, _ in store.body_digests(MAIN)] == ["/a", "/b"]
        store.delete_by_ids(["a", "b"], MAIN)
        store.publish(MAIN, INFO)
        assert store.reader(MAIN).catalogue.page_body("/a") is None
        assert [url for url, _ in store.body_digests(MAIN)] == ["/b"]
        fill(store, [record("c", "/moved")])
        assert list(store.body_digests(MAIN)) == []
        assert first.catalogue.page_body("/a") is not None  # a reader answers from one generation
        assert store.verify(MAIN) == []

    def test_texts_are_carried_through_a_large_change(self, store: VectorStore) -> None:
        urls = [f"/{number:03}" for number in range(60)]
        store.stage_bodies([body(url, url) for url in urls], MAIN)
        fill(store, [record(url, url) for url in urls])
        store.delete_by_ids(urls[:40], MAIN)
        store.stage_bodies([body("/050", "new")], MAIN)
        store.publish(MAIN, INFO)
        reader = store.reader(MAIN)
        assert {url: reader.catalogue.page_body(url) for url in urls[40:]} == {url: url for url in urls[40:]} | {
            "/050": "new"
        }
        assert reader.generation.bodies == 20

    def test_staged_texts_are_seen_by_nobody_and_dropped_with_the_rest(self, store: VectorStore) -> None:
        store.stage_bodies([body("/a", "one")], MAIN)
        fill(store, [record("a", "/a")])
        store.stage_bodies([body("/a", "two")], MAIN)
        assert store.reader(MAIN).catalogue.page_body("/a") == "one"
        store.discard(MAIN)
        store.publish(MAIN, INFO)
        assert store.reader(MAIN).catalogue.page_body("/a") == "one"

    def test_scopes_have_texts_of_their_own(self, store: VectorStore) -> None:
        for scope in (MAIN, DRAFT):
            store.stage_bodies([body("/a", scope.name)], scope)
            fill(store, [record("a", "/a", scope=scope)], scope=scope)
        assert [store.reader(scope).catalogue.page_body("/a") for scope in (MAIN, DRAFT)] == ["main", "main-draft"]
