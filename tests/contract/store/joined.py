"""The candidates of a query are its three lists, joined."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields

import numpy as np

from searchsocket.search.candidates import ListJoin, find_candidates
from searchsocket.stores.base.index_reader import Candidates, IndexReader
from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.testing.store.samples import fill, random_units, record
from searchsocket.types import MATCH_ALL, Filter


def columns(candidates: Candidates) -> list[object]:
    """All but the numbers by which `facts` are ordered, of which only the order is promised."""
    named = [getattr(candidates.facts, field.name) for field in fields(candidates.facts) if field.name != "order"]
    order = np.argsort(candidates.facts.order)
    values = [
        candidates.cosine,
        candidates.bm25,
        candidates.page_bm25,
        candidates.titled,
        candidates.headed,
        order,
        *named,
    ]
    return [list(candidates.ids), candidates.best_cosine, *map(list, values)]


class JoinedContract:
    def test_candidates_are_the_three_lists_joined(self, store: VectorStore) -> None:
        words = ["zebra", "giraffe", "zebra zebra number7"]
        records = [
            record(f"k{n}", f"/{'docs' if n % 2 else 'blog'}/{n // 6}", words[n % 3], tags=("new",) if n % 5 else ())
            for n in range(60)
        ]
        reader = fill(store, records, random_units(60))
        for text in ("zebra", "zebra number7", "nothing"):
            for where in (MATCH_ALL, Filter("/docs"), Filter("", ("new",)), Filter("/nowhere")):
                self._is_joined(reader, text, where)

    def _is_joined(self, reader: IndexReader, text: str, where: Filter) -> None:
        vector, watched = random_units(1, 3)[0], list[str]()

        def watch(name: str) -> AbstractContextManager[None]:
            watched.append(name)
            return nullcontext()

        candidates = find_candidates(reader, vector, text, top_k=7, where=where, watch=watch)
        near, worded, pages = (
            {hit.id: hit.score for hit in hits}
            for hits in (
                reader.vectors.nearest(vector, top_k=7, where=where),
                reader.words.search(text, top_k=7, where=where),
                reader.words.search_pages(text, top_k=7, where=where),
            )
        )
        assert sorted(candidates.ids) == sorted({*near, *worded})
        urls = [row.page.url for row in reader.catalogue.records(candidates.ids)]
        assert list(candidates.facts.url) == urls
        assert candidates.cosine.tolist() == reader.vectors.similarities(vector, candidates.ids)
        assert candidates.bm25.tolist() == [worded.get(id_, 0.0) for id_ in candidates.ids]
        assert candidates.page_bm25.tolist() == [pages.get(url, 0.0) for url in urls]
        assert candidates.best_cosine == max(near.values(), default=-1.0)
        assert set(watched) == {"vector", "keyword"}

    def test_a_fast_path_answers_as_the_plain_join_does(self, store: VectorStore) -> None:
        """The lists joined by id are what ranking means; a store may only be faster."""
        words = ["zebra", "giraffe", "zebra zebra number7", "okapi zebra lemur"]
        records = [
            record(
                f"k{n}", f"/{'docs' if n % 2 else 'blog'}/{n // 6}", words[n % 4], ordinal=n, weight=float(n % 7 > 0)
            )
            for n in range(90)
        ]
        reader = fill(store, records, random_units(90))
        for number, vector in enumerate(random_units(8, 3)):
            for text in (words[number % 4], "number7 okapi", "nothing"):
                for where in (MATCH_ALL, Filter("/docs"), Filter("/nowhere")):
                    for top_k in (1, 9, 500):
                        plain = ListJoin(reader)(vector, text, top_k=top_k, where=where, watch=nullcontext)
                        assert columns(find_candidates(reader, vector, text, top_k=top_k, where=where)) == columns(
                            plain
                        )

    def test_a_page_whose_title_the_query_begins_is_a_candidate(self, store: VectorStore) -> None:
        """By its first record, also if neither its words nor its meaning are near."""
        records = [record(f"k{n}", f"/docs/{n}", "sta " * 9, title="Others") for n in range(20)]
        records += [record(f"far{n}", "/far", f"road {n}", ordinal=n, title="Station") for n in range(2)]
        units = random_units(22)
        reader = fill(store, records, units)
        near = next(unit for unit in units if reader.vectors.nearest(unit, top_k=1)[0].id.startswith("k"))
        for result in (
            find_candidates(reader, near, "sta", top_k=1),
            ListJoin(reader)(near, "sta", top_k=1, where=MATCH_ALL, watch=nullcontext),
        ):
            assert "far0" in result.ids
            assert "far1" not in result.ids
            assert result.titled[list(result.ids).index("far0")] > 0
        assert "far0" not in find_candidates(reader, near, "sta", top_k=1, where=Filter("/docs")).ids

    def test_without_a_vector_words_alone_find(self, store: VectorStore) -> None:
        """Queries still work if the embedding model cannot be reached."""
        records = [record(f"k{n}", f"/docs/{n}", "zebra" if n % 2 else "giraffe") for n in range(8)]
        reader = fill(store, records, random_units(8))
        candidates = find_candidates(reader, None, "zebra", top_k=5, where=Filter("/docs"))
        hits = {hit.id: hit.score for hit in reader.words.search("zebra", top_k=5, where=Filter("/docs"))}
        assert dict(zip(candidates.ids, candidates.bm25.tolist(), strict=True)) == hits
        assert candidates.cosine.tolist() == [0.0] * len(hits) == [0.0] * 4
        assert candidates.best_cosine == -1.0
        assert list(find_candidates(reader, None, "nothing", top_k=5).ids) == []
