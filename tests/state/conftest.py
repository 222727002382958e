"""A state in a folder of its own, and a way to damage it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from searchsocket.state.project import ProjectState
from searchsocket.state.scope import ScopeState
from tests.held_records import change_records
from tests.state.building import Damage

_TABLES = {"body": "bodies", "facts": "bodies"}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def project(files: Path) -> ProjectState:
    return ProjectState(files)


@pytest.fixture
def damage(files: Path) -> Damage:
    def damage(column: str) -> None:
        if column == "record":
            with closing(sqlite3.connect(files / "state.db")) as db, db:
                change_records(db, lambda records: records.replace("one", "ome"))
            return
        hexadecimal = f"iif(typeof({column}) = 'blob', lower(hex({column})), {column})"
        wrong = {"body": "x'00'", "facts": "x'00'", "key": "'0|other'"}.get(
            column, f"replace(replace({hexadecimal}, 'one', 'ome'), '3', '4')"
        )
        with closing(sqlite3.connect(files / "state.db", isolation_level=None)) as db:
            db.execute(f"UPDATE {_TABLES.get(column, 'chunks')} SET {column} = {wrong}")

    return damage


@pytest.fixture
def state(project: ProjectState) -> Iterator[ScopeState]:
    with project.open("main") as state:
        yield state
