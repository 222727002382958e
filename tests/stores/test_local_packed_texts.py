"""The texts of a pack: a quarter of their bytes, and the same whatever dictionary a generation had before."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_index import live, records_of

from searchsocket.stores.local.store import LocalStore
from searchsocket.system.compressed import Packing, dictionary_of
from searchsocket.testing.store.samples import INFO, MAIN, fill, record
from searchsocket.types import Record


def text(number: int) -> str:
    words = [f"The option --level={number % 7} of the command backup sets how much lantern {number}-{i} is kept."
             for i in range(12)]  # fmt: skip
    return "\n".join(words)


def numbered_records(numbers: range) -> list[Record]:
    return [record(f"k{number:03}", f"/{number:03}", text(number)) for number in numbers]


def texts(store: LocalStore) -> dict[str, str]:
    reader = store.reader(MAIN)
    ids = [id_ for id_, _ in store.fingerprints(MAIN)]
    return dict(zip(ids, reader.catalogue.texts(ids), strict=True))


@pytest.mark.parametrize("first", [3, 90])
def test_texts_stay_whatever_dictionary_came_before(tmp_path: Path, first: int) -> None:
    """First few or many, then more than there were, then one: new files, copies, and other dictionaries."""
    store = LocalStore(tmp_path, "shop")
    for numbers in (range(first), range(first, first + 160), range(2)):
        fill(store, numbered_records(numbers))
    store.delete_by_ids([f"k{number:03}" for number in range(130)], MAIN)
    store.publish(MAIN, INFO)
    expected = {f"k{number:03}": text(number) for number in range(130, first + 160)}
    again = LocalStore(tmp_path, "shop")
    assert texts(again) == expected
    assert [item.chunk.body.text for item in again.reader(MAIN).catalogue.page_records("/131")] == [text(131)]
    assert again.verify(MAIN) == []


def test_a_file_holds_a_fraction_of_its_texts(tmp_path: Path) -> None:
    fill(LocalStore(tmp_path, "shop"), numbered_records(range(400)))
    text_bytes = sum(len(text(number)) for number in range(400))
    with closing(sqlite3.connect(records_of(live(tmp_path / "main")))) as db:
        (stored_bytes,) = db.execute("SELECT SUM(LENGTH(body_text)) FROM records").fetchone()
    assert stored_bytes < text_bytes / 4


@given(st.lists(st.text(max_size=200), max_size=200), st.text())
def test_a_text_comes_back(samples: list[str], one: str) -> None:
    dictionary = dictionary_of(samples)
    assert Packing(dictionary).unpacked(Packing(dictionary).packed(one)) == one


@pytest.mark.parametrize(
    "spoil", [lambda frame: frame[:-1], lambda frame: frame[:9] + b"!!" + frame[11:], lambda _: b""]
)
def test_a_frame_that_was_changed_is_no_text(spoil: object) -> None:
    frame = Packing().packed("of lanterns and of boats, " * 9)
    with pytest.raises(ValueError, match="text"):
        Packing().unpacked(spoil(frame))  # type: ignore[operator]


def test_hashes_take_their_bytes(tmp_path: Path) -> None:
    """And come back as the digits that they were; what is no hash stays as it is."""
    store = LocalStore(tmp_path, "shop")
    records = [record("a", "/a"), replace(record("b", "/b"), content_hash="AB" * 32)]
    fill(store, records)
    with closing(sqlite3.connect(records_of(live(tmp_path / "main")))) as db:
        hashes = db.execute("SELECT content_hash FROM records ORDER BY doc").fetchall()
    assert hashes == [(bytes.fromhex(records[0].content_hash),), ("AB" * 32,)]
    rows = np.load(live(tmp_path / "main") / "rows" / "000001.npy")  # behind those of the ids
    assert rows["hash"].tobytes() == b"".join(bytes.fromhex(item.record_hash) for item in records)
    assert list(store.fingerprints(MAIN)) == [(hit.id, hit.record_hash) for hit in records]
    assert store.reader(MAIN).catalogue.records(["a", "b"]) == records
