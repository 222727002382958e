"""A query can be the name of a page or section, its beginning, or a typo of it."""

from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.testing.store.samples import fill, ids, record
from searchsocket.types import Filter


def _reader(store: VectorStore) -> IndexReader:
    return fill(
        store,
        [
            record("slots", "/slots", "Some text.\n\n## Named Slots {#named}\n\nMore of it.", title="Slots"),
            record("pure", "/pure", "Some text.", title="Keeping Components Pure"),
            record("hook", "/hook", "## `useCallback(fn)`\n\nText of it.", title="Hooks (API)"),
            record("rule", "/rule", "A rule against sequences.", title="no-sequences"),
            record("v2", "/v2", "What is new in it.", title="Version 2.1"),
        ],
    )


class NamesContract:
    def test_a_page_is_found_by_its_title(self, store: VectorStore) -> None:
        reader = _reader(store)
        for typed, page in (
            ("slots ", "/slots"),
            ("  SLOTS? ", "/slots"),
            ("Guide - Slots ", "/slots"),
            ("Slots (basics) ", "/slots"),
            ("hooks ", "/hook"),
            ("keep components pure ", "/pure"),  # but for endings
            ("Slo", "/slots"),
            ("Slo ", None),  # is typed to its end
            ("sl", "/slots"),  # the beginning of a title
            ("s", None),
            ("pure ", None),
        ):
            pages = reader.words.named(typed, top_k=9).pages
            assert (typed, ids(pages)) == (typed, [page] if page else [])
            assert [page.score >= 0.9 for page in pages] == [typed.endswith(" ") for _ in pages]

    def test_a_section_in_a_chunk_is_found_by_its_heading(self, store: VectorStore) -> None:
        reader = _reader(store)
        for typed, record_id in (("named slots", "slots"), ("usecallback(fn)", "hook")):
            assert [(hit.id, hit.score) for hit in reader.words.named(typed, top_k=9).records] == [(record_id, 1.0)]
            assert reader.words.named(typed, top_k=9, where=Filter("/elsewhere")).records == []

    def test_a_typo_of_a_name_means_that_name(self, store: VectorStore) -> None:
        reader = _reader(store)
        for typed, intended in (
            ("no-seqeunces", "no-sequences"),
            ("useCallbaack(fn)", "usecallback fn"),
            ("Keeping Compnents Pure", "keeping components pure"),
            ("slots", "slots"),
            ("named things", "named things"),
            ("Verson 2.2", "Verson 2.2"),  # a typo of 2.1 in its word alone: digits must match
            ("Verson 2.1", "version 2.1"),
            ("zlots", "zlots"),  # the first letter is taken to be right
            ("\ud800", "\ud800"),
            ("", ""),
        ):
            assert (typed, reader.words.corrected(typed)) == (typed, intended)

    def test_an_identifier_with_a_typo_is_found(self, store: VectorStore) -> None:
        reader = _reader(store)
        for typed in ("no-sequencs ", "what is useCallbak ", "a no_sequences rule "):
            assert set(ids(reader.words.search(typed, top_k=1))) <= {"rule", "hook"}
            assert reader.words.evidence(typed).share > 0.5
            assert reader.words.evidence(typed).indexed_share > 0.3
