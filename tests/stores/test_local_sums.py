"""Vectors that are whole numbers over their length, as a generation holds them."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_index import live

from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.stores.local import LocalStore
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.local.vectors.sums import PackedSums, Sums, merged, packed, sums_of
from searchsocket.testing.store.samples import DIMENSIONS, MAIN, fill, random_units, record
from searchsocket.types import Vectors


def units(rows: int, seed: int = 0, *, biggest: int = 60) -> Vectors:
    """Sums as the built-in model makes them."""
    sums = np.random.default_rng(seed).integers(-biggest, biggest, (rows, DIMENSIONS)).astype(np.float64)
    unit: Vectors = (sums / np.sqrt(np.einsum("ij,ij->i", sums, sums))[:, None]).astype(np.float32)
    return unit


def unpacked(sums: Sums | None) -> bytes:
    assert sums is not None
    packed_sums = PackedSums(packed(sums), *sums.numbers.shape)
    return b"".join(block.tobytes() for block in packed_sums.vectors())


@given(st.integers(1, 700), st.integers(0, 9), st.integers(1, 6))
def test_what_is_packed_comes_back_to_the_last_bit(rows: int, seed: int, every: int) -> None:
    """Also where some vectors are none of whole numbers, up to half of them."""
    vectors = units(rows, seed)
    assert unpacked(sums_of(vectors)) == vectors.tobytes()
    vectors[1 :: every + 2] = random_units(rows, seed)[1 :: every + 2]
    assert unpacked(sums_of(vectors)) == vectors.tobytes()


def test_vectors_of_the_built_in_model_take_half_of_their_bytes_at_most() -> None:
    vectors = BuiltinEmbedder().embed([f"how to write number {n} {'of the log ' * n}" for n in range(99)], "passage")
    sums = sums_of(vectors)
    assert sums is not None
    assert not len(sums.others)
    assert len(packed(sums)) <= vectors.nbytes / 2


def test_floats_of_another_model_are_kept_as_they_are() -> None:
    assert sums_of(random_units(500)) is None
    assert sums_of(units(40, biggest=1 << 20)) is None  # whole numbers that are none of two bytes


@given(st.lists(st.integers(-1, 29), max_size=60))
def test_a_new_generation_takes_rows_of_the_one_before(rows: list[int]) -> None:
    old, new = units(30, 1), units(60, 2)
    old[[3, 29]], new[[0, 7]] = random_units(2, 1), random_units(2, 2)
    sources = np.array(rows, np.int64)
    added = new[: np.count_nonzero(sources < 0)]
    live_sums, staged = sums_of(old), sums_of(added)
    if staged is None:  # of few rows most are others
        return
    assert live_sums is not None
    expected = np.empty((len(rows), DIMENSIONS), np.float32)
    expected[sources < 0], expected[sources >= 0] = added, old[sources[sources >= 0]]
    found = merged(sources, PackedSums(packed(live_sums), *old.shape).sums(), staged)
    assert unpacked(found) == expected.tobytes()


def test_damaged_bytes_are_an_error_and_no_other_vectors() -> None:
    sums = sums_of(units(50))
    assert sums is not None
    frame = packed(sums)
    for place in range(0, len(frame), 7):
        damaged = bytearray(frame)
        damaged[place] ^= 0x55
        with pytest.raises(ValueError, match="vectors|array|buffer"):
            PackedSums(bytes(damaged), 50, DIMENSIONS).sums()
    with pytest.raises(ValueError, match="unexpected number"):
        PackedSums(frame, 51, DIMENSIONS)


def test_an_index_holds_them_packed_and_answers_the_same(tmp_path: Path) -> None:
    """Read into memory or mapped; an edit packs anew from what is packed."""
    store, vectors = LocalStore(tmp_path, "shop"), units(300)
    fill(store, [record(f"k{n}") for n in range(300)], vectors)
    file = live(tmp_path / "main") / "vectors.f32"
    assert file.stat().st_size <= vectors.nbytes / 1.9
    reader = LocalStore(tmp_path, "shop").reader(MAIN)
    ids = [f"k{n}" for n in range(300)]
    for opened in (reader, LocalReader(file.parent)):
        assert opened.vectors.vectors_of(ids).tobytes() == vectors.tobytes()
    fill(store, [record("new")], units(1, 5))
    assert live(tmp_path / "main") != file.parent
    found = LocalStore(tmp_path, "shop").reader(MAIN).vectors.vectors_of([*ids, "new"])
    assert found.tobytes() == np.concatenate([vectors, units(1, 5)]).tobytes()
