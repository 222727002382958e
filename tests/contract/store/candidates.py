"""What a query ranks is its three lists, joined."""

from contextlib import AbstractContextManager, nullcontext

import pytest
from contract.store.samples import fill, random_units, record

from searchsocket.stores.base import VectorStore
from searchsocket.types import MATCH_ALL, Filter


class CandidatesContract:
    @pytest.mark.parametrize("where", [MATCH_ALL, Filter("/docs"), Filter("", ("new",)), Filter("/nowhere")])
    @pytest.mark.parametrize("text", ["zebra", "zebra number7", "nothing"])
    def test_candidates_are_the_three_lists_joined(self, store: VectorStore, text: str, where: Filter) -> None:
        words = ["zebra", "giraffe", "zebra zebra number7"]
        records = [
            record(f"k{n}", f"/{'docs' if n % 2 else 'blog'}/{n // 6}", words[n % 3], tags=("new",) if n % 5 else ())
            for n in range(60)
        ]
        reader = fill(store, records, random_units(60))
        vector, watched = random_units(1, 3)[0], list[str]()

        def watch(name: str) -> AbstractContextManager[None]:
            watched.append(name)
            return nullcontext()

        found = reader.candidates(vector, text, top_k=7, where=where, watch=watch)
        near, worded, pages = (
            {hit.id: hit.score for hit in hits}
            for hits in (
                reader.query(vector, top_k=7, where=where),
                reader.keyword_query(text, top_k=7, where=where),
                reader.page_query(text, top_k=7, where=where),
            )
        )
        assert sorted(found.ids) == sorted({*near, *worded})
        urls = [one.url for one in reader.records(found.ids)]
        assert list(found.facts.url) == urls
        assert found.cosine.tolist() == reader.similarities(vector, found.ids)
        assert found.bm25.tolist() == [worded.get(id_, 0.0) for id_ in found.ids]
        assert found.page_bm25.tolist() == [pages.get(url, 0.0) for url in urls]
        assert found.best_cosine == max(near.values(), default=-1.0)
        assert set(watched) == {"vector", "keyword"}
