"""Answers depend on the records and not on the history of edits."""

import random
from dataclasses import asdict, replace

import numpy as np
import pytest

from searchsocket.search.candidates import find_candidates
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.testing.store.samples import DIMENSIONS, INFO, MAIN, record, unit
from searchsocket.types import Filter, Record, Scope, Vector

FRESH = Scope("shop", "fresh")
WORDS = [
    "zebra",
    "giraffe",
    "lemur",
    "okapi",
    "heron",
    "router",
    "controller",
    "install",
    "bindController",
    "batteries",
]
QUERIES = [
    "zebra",
    "lemur okapi",
    "install the controller",
    "bind router",
    "batery",
    "giraf",
    '"zebra lemur"',
    "heron x",
]
WHERE = [Filter(), Filter("/docs"), Filter(tags=("new",))]


def random_record(rng: random.Random, number: int) -> Record:
    """One of a few hundred records: the same id returns with another text, length, title or page."""
    words = rng.choices(WORDS, weights=range(len(WORDS), 0, -1), k=rng.choice([1, 3, 8, 40]))
    return record(
        f"k{number}",
        f"/{rng.choice(['docs', 'blog', 'docs-old'])}/{rng.randrange(40)}",
        " ".join(words),
        title=" ".join(rng.choices(WORDS, k=2)),
        ordinal=number,
        tags=("new",) if rng.random() < 0.3 else (),
        weight=0.0 if rng.random() < 0.05 else 1.0,
    )


def vector_of(stored: Record) -> Vector:
    return unit(*np.random.default_rng(sum(stored.chunk.body.text.encode())).standard_normal(DIMENSIONS))


def put(store: VectorStore, records: list[Record], scope: Scope) -> None:
    own = [replace(one, scope=scope.name) for one in records]
    store.upsert(own, np.stack([vector_of(one) for one in records]), scope)


def answers(reader: IndexReader) -> list[object]:
    """All that a store answers, with scores."""
    replies: list[object] = []
    for number, text in enumerate(QUERIES):
        vector = unit(*np.random.default_rng(number).standard_normal(DIMENSIONS))
        replies.append(asdict(reader.words.evidence(text)))
        for where in WHERE:
            for top_k in (3, 50):
                replies.append(reader.vectors.nearest(vector, top_k=top_k, where=where))
                replies.append(reader.words.search(text, top_k=top_k, where=where))
                replies.append(reader.words.search_pages(text, top_k=top_k, where=where))
            joined = find_candidates(reader, vector, text, top_k=50, where=where)
            columns = (joined.ids, joined.cosine.tolist(), joined.bm25.tolist(), joined.page_bm25.tolist())
            replies.append([sorted(zip(*columns, strict=True)), joined.best_cosine])
    return replies


class EditHistoryContract:
    @pytest.mark.parametrize("seed", range(3))
    def test_the_same_records_give_the_same_answers(self, store: VectorStore, seed: int) -> None:
        """Two machines with other histories agree, and a golden query that passes on one passes on the other."""
        rng = random.Random(seed)
        records = {number: random_record(rng, number) for number in range(rng.choice([60, 200]))}
        put(store, list(records.values()), MAIN)
        store.publish(MAIN, INFO)
        for _ in range(6):
            changed = rng.choice([1, 5, 20, 60])  # a few, or so many that all is written again
            gone: list[Record] = []
            come: list[Record] = []
            for number in rng.sample(range(260), changed):
                if number in records and rng.random() < 0.4:
                    gone.append(records.pop(number))
                else:
                    records[number] = random_record(rng, number)
                    come.append(records[number])
            if gone:
                store.delete_by_ids([one.id for one in gone], MAIN)
            for some in (come[::2], come[1::2]):
                if some:
                    put(store, some, MAIN)
            store.publish(MAIN, INFO)
        put(store, rng.sample(list(records.values()), len(records)), FRESH)
        store.publish(FRESH, INFO)
        assert store.generation(MAIN).records == store.generation(FRESH).records == len(records)  # type: ignore[union-attr]
        assert answers(store.reader(MAIN)) == answers(store.reader(FRESH))
