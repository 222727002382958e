"""The columns of a generation's records that ranking needs."""

import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.stores.local.catalogue.facts import COLUMNS, NUMBERS, TEXTS, FactTable, read_facts, write_facts

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
NUMBER = st.integers(-(2**62), 2**62)
ROWS = st.lists(
    st.tuples(
        *(TEXT for _ in TEXTS),
        *(st.floats(0, 100) if name == "weight" else NUMBER for name in NUMBERS),
    ),
    max_size=30,
)


def rows_of(table: FactTable) -> list[tuple[object, ...]]:
    rows = np.arange(len(table.weights))
    return list(
        zip(*(table.texts[n].take(rows) if n in TEXTS else list(table.numbers[n]) for n in COLUMNS), strict=True)
    )


def written(table: FactTable) -> bytes:
    file = io.BytesIO()
    write_facts(file, table)
    return file.getvalue()


@given(ROWS)
def test_a_table_comes_back_as_it_was_written(rows: list[tuple[object, ...]]) -> None:
    """Every text and number survives the narrow columns, also those at the border of a width."""
    table = FactTable.of(rows)
    assert rows_of(table) == rows_of(read_facts(written(table))) == rows


@given(ROWS, ROWS, st.data())
def test_tables_merge_row_by_row(
    old: list[tuple[object, ...]], new: list[tuple[object, ...]], data: st.DataObject
) -> None:
    """A small change takes over the facts of what stays, and leaves no trace of what is gone."""
    both = [*old, *new]
    chosen = data.draw(st.lists(st.integers(0, len(both) - 1), unique=True) if both else st.just([]))
    merged = FactTable.of(old).merged(FactTable.of(new), np.array(chosen, np.int64))
    expected = [both[row] for row in chosen]
    assert rows_of(merged) == expected
    for column, again in zip(merged.texts.values(), FactTable.of(expected).texts.values(), strict=True):
        assert sorted(column.joined) == sorted(again.joined)


@given(ROWS)
def test_a_column_that_an_older_release_did_not_write_is_empty(rows: list[tuple[object, ...]]) -> None:
    """A new fact of ranking must not make stored indexes unreadable."""
    table = FactTable.of(rows)
    older = FactTable(
        {name: column for name, column in table.texts.items() if name != "anchor"},
        {name: column for name, column in table.numbers.items() if name != "depth"},
    )
    read = read_facts(written(older))
    taken = read.take(np.arange(len(rows)))
    assert list(taken.anchor) == [""] * len(rows)
    assert taken.depth.tolist() == [0] * len(rows)
    assert rows_of(read.merged(table, np.arange(2 * len(rows))))[len(rows) :] == rows
