"""Answers are right while an index still shows rows after their end. A subclass supplies `index`."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from searchsocket.errors import VectorsMissing
from searchsocket.stores.base import VectorIndex
from searchsocket.stores.base.vectors import row_of
from searchsocket.stores.local import LocalStore
from searchsocket.testing.store.samples import EAST, INFO, MAIN, NORTH, ConstantVectors, fill, ids, record, unit
from searchsocket.types import Filter

MANY = [f"x{number:02}" for number in range(40)]  # more than the spare rows that a query requests


class LingeringRowsContract:
    """A row of an old generation that is staged later has no end: readers see such a row until they see its end."""

    @pytest.fixture
    def site(self, tmp_path: Path, index: VectorIndex) -> LocalStore:
        """A store whose second generation deletes forty of 43 records and changes one of the others."""
        now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        store = LocalStore(tmp_path / "site", "shop", vectors=index, clock=lambda: now)
        far = np.stack([EAST, unit(1, 2), unit(1, 3), *[EAST] * len(MANY)])
        before = fill(store, [record(name, f"/{name}") for name in ["a", "b", "c", *MANY]], far)
        store.upsert([record("a", "/a", "edited")], NORTH[np.newaxis], MAIN)
        store.delete_by_ids(MANY, MAIN)
        store.publish(MAIN, INFO)
        ended = [row_of(record(name, f"/{name}"), EAST) for name in ["a", *MANY]]
        index.stage(before.generation, ended, ())
        index.seal(before.generation)
        return store

    def test_an_answer_holds_no_record_that_has_ended(self, site: LocalStore) -> None:
        reader = site.reader(MAIN)
        assert ids(reader.vectors.nearest(EAST, top_k=99)) == ["b", "c", "a"]
        assert [hit.score for hit in reader.vectors.nearest(EAST, top_k=99)][-1] == 0.0

    def test_what_has_ended_takes_no_place_in_an_answer(self, site: LocalStore) -> None:
        reader = site.reader(MAIN)
        assert ids(reader.vectors.nearest(EAST, top_k=1)) == ["b"]
        assert ids(reader.vectors.nearest(EAST, top_k=2, where=Filter("/c"))) == ["c"]
        assert reader.vectors.nearest(EAST, top_k=2, where=Filter(f"/{MANY[0]}")) == []

    def test_of_two_rows_of_a_record_the_later_one_counts(self, site: LocalStore) -> None:
        vectors = site.reader(MAIN).vectors
        assert vectors.similarities(NORTH, ["a", "b"]) == [1.0, pytest.approx(2 / 5**0.5)]
        assert np.array_equal(vectors.vectors_of(["a"])[0], NORTH)

    def test_a_row_that_has_ended_is_no_answer_where_the_newer_one_lies_far_behind_it(
        self, tmp_path: Path, index: VectorIndex
    ) -> None:
        """With its old score it would be first, because the newer row is not among the fetched ones."""
        now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
        store = LocalStore(tmp_path / "far", "shop", vectors=index, clock=lambda: now)
        records = [record(name, f"/{name}") for name in ["a", *MANY]]
        before = fill(store, records, np.stack([EAST, *[unit(1, 2)] * len(MANY)]))
        store.upsert([record("a", "/a", "edited")], NORTH[np.newaxis], MAIN)
        store.publish(MAIN, INFO)
        index.stage(before.generation, [row_of(records[0], EAST)], ())
        index.seal(before.generation)
        vectors = store.reader(MAIN).vectors
        assert ids(vectors.nearest(EAST, top_k=2)) == MANY[:2]
        store.upsert([record("b", "/b")], EAST[np.newaxis], MAIN)  # a's row now is of the previous generation
        store.publish(MAIN, INFO)
        assert ids(store.reader(MAIN).vectors.nearest(EAST, top_k=2)) == ["b", MANY[0]]
        assert ids(store.reader(MAIN).vectors.nearest(EAST, top_k=99))[-1] == "a"

    def test_what_is_lacking_is_said_and_not_left_out(self, site: LocalStore, index: VectorIndex) -> None:
        generation = site.reader(MAIN).generation
        index.stage(generation, (), ["b"])
        index.seal(generation)
        with pytest.raises(VectorsMissing, match="index --resync --scope main"):
            site.reader(MAIN).vectors.nearest(EAST, top_k=3)
        with pytest.raises(VectorsMissing):
            site.reader(MAIN).vectors.nearest(EAST, top_k=1, where=Filter("/b"))
        assert ids(site.reader(MAIN).vectors.nearest(EAST, top_k=9, where=Filter("/c"))) == ["c"]

    def test_two_writers_with_folders_of_their_own_never_mix(self, tmp_path: Path, index: VectorIndex) -> None:
        """Two machines index one scope: the last index is complete; the other reports rows missing until a resync."""

        def machine(day: int) -> LocalStore:
            now = datetime(2026, 1, day, 3, 4, 5, tzinfo=UTC)
            return LocalStore(tmp_path / str(day), "shop", vectors=index, clock=lambda: now)

        fill(machine(1), [record("a"), record("b")])
        fill(machine(2), [record("a"), record("x")])
        assert whole(machine(2)) == {"a", "x"}
        assert whole(machine(1)) is None
        with pytest.raises(VectorsMissing, match="index --resync --scope main"):
            fill(machine(1), [record("c")])
        assert whole(machine(2)) in (None, {"a", "x"})
        machine(1).discard(MAIN)
        machine(1).resync(MAIN, ConstantVectors())
        assert whole(machine(1)) == {"a", "b"}
        assert whole(machine(2)) is None


def whole(store: LocalStore) -> set[str] | None:
    """Ids of all rows; None if the store reports missing rows."""
    try:
        return set(ids(store.reader(MAIN).vectors.nearest(EAST, top_k=99)))
    except VectorsMissing:
        return None
