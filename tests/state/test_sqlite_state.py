"""The SQLite state keeps every promise of a state."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from searchsocket.state import ProjectState, base, make_state
from searchsocket.state.sqlite.schema import SCHEMA_VERSION
from searchsocket.state.sqlite.scope import SqliteScope
from tests.contract.state.building import chunked, generation, listed
from tests.contract.state.chunks import ChunksContract
from tests.contract.state.damage import Damage, DamageContract
from tests.contract.state.extracts import ExtractsContract
from tests.contract.state.history import HistoryContract
from tests.contract.state.inventory import InventoryContract
from tests.contract.state.links import LinksContract
from tests.contract.state.mirror import MirrorContract
from tests.contract.state.origins import OriginsContract
from tests.contract.state.problems import ProblemsContract
from tests.contract.state.published import PublishedContract
from tests.contract.state.runs import RunsContract
from tests.contract.state.titles import TitlesContract
from tests.held_records import change_records

_TABLES = {"body": "bodies", "facts": "contents"}


class Sqlite:
    """A state in a folder of its own."""

    @pytest.fixture
    def files(self, tmp_path: Path) -> Path:
        return tmp_path

    @pytest.fixture
    def project(self, files: Path) -> ProjectState:
        return make_state(files)

    @pytest.fixture
    def damage(self, files: Path) -> Damage:
        def damage(column: str) -> None:
            if column == "record":
                with closing(sqlite3.connect(files / "state.db")) as db, db:
                    change_records(db, lambda records: records.replace("one", "ome"))
                return
            hexadecimal = f"iif(typeof({column}) = 'blob', lower(hex({column})), {column})"
            wrong = {"body": "x'00'", "facts": "x'00'"}.get(
                column, f"replace(replace({hexadecimal}, 'one', 'ome'), '3', '4')"
            )
            with closing(sqlite3.connect(files / "state.db", isolation_level=None)) as db:
                db.execute(f"UPDATE {_TABLES.get(column, 'chunks')} SET {column} = {wrong}")

        return damage


class TestInventory(Sqlite, InventoryContract): ...


class TestExtracts(Sqlite, ExtractsContract): ...


class TestLinks(Sqlite, LinksContract): ...


class TestMirror(Sqlite, MirrorContract): ...


class TestTitles(Sqlite, TitlesContract): ...


class TestChunks(Sqlite, ChunksContract): ...


class TestProblems(Sqlite, ProblemsContract): ...


class TestPublished(Sqlite, PublishedContract): ...


class TestOrigins(Sqlite, OriginsContract): ...


class TestHistory(Sqlite, HistoryContract): ...


class TestRuns(Sqlite, RunsContract): ...


class TestDamage(Sqlite, DamageContract): ...


def test_a_state_of_another_release_is_begun_anew(tmp_path: Path) -> None:
    """All of it can be made again; what was wrong is said."""
    with make_state(tmp_path).open("main") as state:
        listed(state, "/a")
    with closing(sqlite3.connect(tmp_path / "state.db")) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION - 1}")
    damage: list[str] = []
    with make_state(tmp_path).open("main", damage.append) as state:
        assert state.pages.count() == 0
    assert len(damage) == 1
    assert f"schema version {SCHEMA_VERSION - 1}, not {SCHEMA_VERSION}" in damage[0]


def test_a_count_that_does_not_fit_ends_the_shortcut(tmp_path: Path) -> None:
    """Whoever lost rows of `unpublished`, everything is compared again."""
    with make_state(tmp_path).open("main") as state:
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

    with make_state(tmp_path).open("main") as state:
        assert isinstance(state, SqliteScope)
        taken = []
        for others in (1, 100):
            for number in range(others):
                chunked(state, f"/{number}", "one", "two", "three")
            steps = 0
            state.db.set_progress_handler(step, 1)
            assert len(state.chunks.of_page("/0")) == 3
            state.db.set_progress_handler(None, 1)
            taken.append(steps)
    assert taken[1] < 2 * taken[0]


@pytest.mark.parametrize("table", ["pages", "scopes"])
def test_who_sets_a_column_is_written_down(tmp_path: Path, table: str) -> None:
    """In one table for all: a column that several stages write is where runs go wrong."""
    with make_state(tmp_path).open("main"), closing(sqlite3.connect(tmp_path / "state.db")) as db:
        columns = {row[1] for row in db.execute(f"PRAGMA table_info({table})")} - {"id", "scope", "url"}
    assert columns
    assert not {column for column in columns if f"`{column}`" not in (base.__doc__ or "")}
