"""The matrix of the embedded index."""

import io
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.stores.local.numbering import Origins
from searchsocket.stores.local.vectors.matrix import (
    PackedRows,
    RowSelection,
    best_rows,
    forget_pages,
    in_order,
    map_matrix,
    write_matrix,
)
from searchsocket.testing.store.samples import random_units
from searchsocket.types import Vectors

NONE_HIDDEN = np.empty(0, np.int64)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 29)), max_size=80))
def test_a_matrix_is_written_from_any_mixture_of_rows(sources: list[tuple[bool, int]]) -> None:
    live, staged = random_units(30, 1), random_units(30, 2)
    file = io.BytesIO()
    kinds, rows = ([source[part] for source in sources] for part in (0, 1))
    origins = Origins(np.array(kinds, np.bool_), np.array(rows, np.int64))
    write_matrix(file, origins, live.__getitem__, staged)
    expected = [(staged if is_staged else live)[at] for is_staged, at in sources]
    assert file.getvalue() == b"".join(row.tobytes() for row in expected)


def packed(matrix: Vectors, seed: int) -> PackedRows:
    """The rows of a matrix, some of them edited several times: each time into a pack of its own."""
    source = np.random.default_rng(seed)
    places = in_order(len(matrix))
    packs = [matrix.copy()]
    for number in range(1, 4):
        edited = np.sort(source.choice(len(matrix), 30 * number, replace=False))
        packs.append(matrix[edited])
        packs[places[edited[0], 0]][places[edited[0], 1]] = 0  # nobody reads it any more
        places[edited] = np.stack([np.full(len(edited), number), np.arange(len(edited))], axis=1)
    return PackedRows(packs, places, matrix.shape[1])


@given(st.integers(1, 60), st.integers(0, 400), st.integers(0, 400), st.booleans(), st.booleans(), st.integers(0, 5))
def test_the_best_rows_are_those_of_a_full_sort(
    top_k: int, start: int, stop: int, is_sparse: bool, is_packed: bool, seed: int
) -> None:
    """Brute force over float64, ties by id: slices, row lists, hidden rows and rows in packs all agree with it."""
    matrix = random_units(400, seed)
    matrix[::9] = matrix[0]  # ties
    ids = np.array([f"{n * 7 % 400:03}".encode() for n in range(400)])
    hidden = np.arange(5, 400, 50)
    vector = random_units(1, seed + 100)[0]
    start, stop = min(start, stop), max(start, stop)
    rows = np.setdiff1d(np.arange(start, stop), hidden)
    if is_sparse:
        rows = rows[::7]
    best_row_numbers = best_rows(
        packed(matrix, seed) if is_packed else matrix,
        vector,
        RowSelection(start, stop, rows if is_sparse else None),
        hidden,
        ids,
        top_k,
    )
    scores = np.round(matrix.astype(np.float64) @ vector.astype(np.float64), 7)
    expected = sorted(rows.tolist(), key=lambda row: (-scores[row], ids[row]))[:top_k]
    assert best_row_numbers[0].tolist() == expected
    assert best_row_numbers[1].tolist() == [scores[row] for row in expected]


def test_pages_that_were_forgotten_are_read_again(tmp_path: Path) -> None:
    vectors = random_units(5000)
    vectors.tofile(tmp_path / "m")
    mapped = map_matrix(tmp_path / "m", *vectors.shape)
    assert mapped.sum() == vectors.sum()
    forget_pages(mapped)
    forget_pages(vectors)  # not mapped: nothing to do
    assert (mapped == vectors).all()
    assert map_matrix(tmp_path / "m", 0, 8).shape == (0, 8)
