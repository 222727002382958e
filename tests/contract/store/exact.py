"""Posting lists of exact words return every record that contains a term, in path order."""

from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.testing.store.samples import fill, record
from searchsocket.text.exact import ExactTerm
from searchsocket.types import Filter

TEXTS = {
    "c": ("/a", "useState keeps a value; v4 of it"),
    "b": ("/b", "usestate is none, and neither is USE_STATE"),
    "a": ("/b/c", "both useState and use_state"),
    "d": ("/d", "only use_state, see useStates"),
}


class ExactContract:
    def test_every_record_with_a_term_comes_back_in_path_order(self, store: VectorStore) -> None:
        words = fill(store, [record(name, url, text) for name, (url, text) in TEXTS.items()]).words
        for term in ("useState", "usestate", "use_state", "V4", "both", "nothing"):
            tokens = ExactTerm(term).tokens
            assert words.holding([tokens]) == [name for name in "cbad" if ExactTerm(term).is_in(TEXTS[name][1])], term

    def test_alternatives_filters_and_hidden_pages_count(self, store: VectorStore) -> None:
        records = [record(name, url, text) for name, (url, text) in TEXTS.items()]
        words = fill(store, [*records, record("h", "/hidden", "useState", weight=0.0)]).words
        assert words.holding([("=useState",), ("=use_state",)]) == ["c", "a", "d"]
        assert words.holding([("=useState", "=use_state")]) == ["a"]
        assert words.holding([], where=Filter("/b")) == ["b", "a"]
        assert words.holding([()]) == ["c", "b", "a", "d"]

    def test_only_what_the_text_holds_to_the_letter_counts(self, store: VectorStore) -> None:
        texts = {
            "a": "a café by the sea",
            "b": "the cafe, foo_bar",
            "c": "getHTTPResponse of a cafe and a café",
            "d": "sea",
        }
        words = fill(store, [record(n, f"/pier/{n}", text, title="Pier") for n, text in texts.items()]).words
        for term in ("cafe", "café", "CAFÉ", "pier", "foo", "foo_bar", "http", "getHTTPResponse", "sea", "a"):
            rows = [name for name, text in texts.items() if ExactTerm(term).is_in(text)]
            assert words.holding([ExactTerm(term).tokens]) == rows, term
