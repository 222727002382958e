"""The SQLite state keeps every promise of a state."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from searchsocket import state as state_package
from searchsocket.state.project import ProjectState
from searchsocket.state.schema import SCHEMA_VERSION
from searchsocket.state.scope import ScopeState
from tests.state.building import chunked, generation, listed


def test_a_state_of_another_release_is_begun_anew(tmp_path: Path) -> None:
    """All of it can be made again; what was wrong is said."""
    with ProjectState(tmp_path).open("main") as state:
        listed(state, "/a")
    with closing(sqlite3.connect(tmp_path / "state.db")) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION - 1}")
    damage: list[str] = []
    with ProjectState(tmp_path).open("main", damage.append) as state:
        assert state.pages.count() == 0
    assert len(damage) == 1
    assert f"schema version {SCHEMA_VERSION - 1}, not {SCHEMA_VERSION}" in damage[0]


def test_a_count_that_does_not_fit_ends_the_shortcut(tmp_path: Path) -> None:
    """Whoever lost rows of `unpublished`, everything is compared again."""
    with ProjectState(tmp_path).open("main") as state:
        chunked(state, "/a", "one")
        state.published.set(generation(1))
        chunked(state, "/a", "one", "two")
        with closing(sqlite3.connect(tmp_path / "state.db", isolation_level=None)) as db:
            db.execute("DELETE FROM unpublished")
        assert not state.published.is_of(generation(1))


def test_reading_a_page_takes_no_longer_where_there_are_others(tmp_path: Path) -> None:
    """Its chunks are read page by page, so looking through those of all pages would take their square."""
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    with ProjectState(tmp_path).open("main") as state:
        assert isinstance(state, ScopeState)
        step_counts = []
        for others in (1, 100):
            for number in range(others):
                chunked(state, f"/{number}", "one", "two", "three")
            steps = 0
            state.db.set_progress_handler(step, 1)
            assert len(state.chunks.of_page("/0")) == 3
            state.db.set_progress_handler(None, 1)
            step_counts.append(steps)
    assert step_counts[1] < 2 * step_counts[0]


@pytest.mark.parametrize("table", ["pages", "scopes"])
def test_each_column_documents_its_writer(tmp_path: Path, table: str) -> None:
    """In one table for all: a column that several stages write is where runs go wrong."""
    with ProjectState(tmp_path).open("main"), closing(sqlite3.connect(tmp_path / "state.db")) as db:
        columns = {row[1] for row in db.execute(f"PRAGMA table_info({table})")} - {"id", "scope", "url"}
    assert columns
    assert not {column for column in columns if f"`{column}`" not in (state_package.__doc__ or "")}
