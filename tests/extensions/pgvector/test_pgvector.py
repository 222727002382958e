"""Vectors in Postgres keep the promises of every store, also where runs are killed and connections end."""

import os
import signal
import traceback
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import psycopg
import pytest

from searchsocket.errors import KeyMissing, VectorBackendRefused, VectorBackendUnavailable
from searchsocket.extensions.pgvector.tables import PgvectorTables
from searchsocket.project.settings.model import VectorSettings
from searchsocket.project.settings.section import HnswSettings
from searchsocket.stores import make_vectors
from searchsocket.stores.base.conditions import Among
from searchsocket.stores.base.tables import TableRow
from searchsocket.stores.local.store import LocalStore
from searchsocket.stores.table_vectors import TableVectors
from searchsocket.testing.store.samples import (
    DIMENSIONS,
    EAST,
    INFO,
    MAIN,
    NORTH,
    everything,
    fill,
    random_units,
    record,
)
from searchsocket.testing.stores import StoreContract
from searchsocket.testing.vector_index import ONE, put, row, visible_ids


class TestPgvectorStore(StoreContract):
    @pytest.fixture
    def tables(self, postgres: str) -> PgvectorTables:
        return PgvectorTables(postgres, "shop")


class CountedTables(PgvectorTables):
    """Tables that call `before` ahead of each call to the server."""

    before: Callable[[], None]

    def seal(self) -> None:
        self.before()
        super().seal()

    def write(self, sql: str, values: list[object]) -> list[tuple[object, ...]]:
        self.before()
        return super().write(sql, values)

    def write_rows(self, name: str, sql: str, rows: list[list[object]]) -> None:  # type: ignore[override]
        self.before()
        super().write_rows(name, sql, rows)

    def read(self, sql: str, values: list[object]) -> list[tuple[object, ...]]:
        self.before()
        return super().read(sql, values)


@pytest.fixture
def name(postgres: str) -> Iterator[str]:
    """Of tables that no other test has."""
    yield "alone"
    TableVectors(PgvectorTables(postgres, "alone"), "shop").drop()


def store_of(folder: Path, tables: PgvectorTables) -> LocalStore:
    now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    return LocalStore(folder, "shop", vectors=TableVectors(tables, "shop"), clock=lambda: now)


def edit(folder: Path, tables: PgvectorTables) -> None:
    """Publish: one record changes, one goes and one comes."""
    store = store_of(folder, tables)
    store.discard(MAIN)
    store.upsert([record("a", text="edited"), record("c")], np.stack([NORTH, NORTH]), MAIN)
    store.delete_by_ids(["b"], MAIN)
    store.publish(MAIN, INFO)


def killed_at(call: int, folder: Path, tables: CountedTables) -> bool:
    """Publish in a process that is killed before its n-th call to the server; False: it ended first."""
    if child := os.fork():
        return os.waitpid(child, 0)[1] == signal.SIGKILL
    calls = iter(range(call))
    tables.before = lambda: next(calls, None) is None and os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[func-returns-value]
    try:
        edit(folder, tables)
    finally:
        os._exit(0)


@pytest.mark.long
def test_a_run_that_is_killed_before_any_call_leaves_the_generation_before(
    postgres: str, name: str, tmp_path: Path
) -> None:
    before = fill(store_of(tmp_path, PgvectorTables(postgres, name)), [record("a"), record("b")]).generation
    calls = 0
    while killed_at(calls, tmp_path, CountedTables(postgres, name)):
        reader = store_of(tmp_path, PgvectorTables(postgres, name)).reader(MAIN)
        assert reader.generation == before
        assert everything(reader) == {"a", "b"}
        assert reader.vectors.similarities(EAST, ["a"]) == [1.0]
        calls += 1
    assert calls > 12
    reader = store_of(tmp_path, PgvectorTables(postgres, name)).reader(MAIN)
    assert everything(reader) == {"a", "c"}
    assert reader.vectors.similarities(NORTH, ["a"]) == [1.0]
    assert TableVectors(PgvectorTables(postgres, name), "shop").count(reader.generation) == 2


def test_connections_that_the_server_ended_are_made_again(postgres: str, name: str, tmp_path: Path) -> None:
    """A restart of the server costs no query; a publish in the middle of it fails as a whole."""
    tables = PgvectorTables(postgres, name)
    reader = fill(store_of(tmp_path, tables), [record("a"), record("b")])
    end_connections(postgres)
    assert everything(reader) == {"a", "b"}
    tables.begin()
    end_connections(postgres)
    with pytest.raises(VectorBackendUnavailable, match="terminating connection"):
        tables.table(DIMENSIONS).delete([])
    edit(tmp_path, tables)
    assert everything(store_of(tmp_path, tables).reader(MAIN)) == {"a", "c"}


def test_a_query_that_takes_too_long_ends(postgres: str) -> None:
    tables = PgvectorTables(postgres, "shop", timeout_s=0.2)
    tables.dimensions()
    with pytest.raises(VectorBackendUnavailable, match="statement timeout"):
        tables.read("SELECT pg_sleep(600)", [])
    assert tables.dimensions() == []


def end_connections(postgres: str) -> None:
    with psycopg.connect(postgres) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'searchsocket'"
        )


def rows_of(vectors: np.ndarray) -> list[TableRow]:
    return [
        TableRow(f"{n:032x}", vector, "shop", "main", f"r{n}", 1, 9, 0, ("/",), ("x",) if n % 50 == 0 else (), ())
        for n, vector in enumerate(vectors)
    ]


def test_a_graph_finds_nearly_all_and_a_narrow_filter_all(postgres: str, name: str) -> None:
    """The index is used where it helps, and never decides how many rows there are."""
    tables = PgvectorTables(postgres + "&options=-cenable_seqscan%3Doff", name, hnsw=HnswSettings())
    vectors = random_units(3_000)
    tables.begin()
    tables.create(DIMENSIONS)
    table = tables.table(DIMENSIONS)
    for start in range(0, len(vectors), 500):
        table.upsert(rows_of(vectors)[start : start + 500])
    tables.seal()
    query = random_units(1, seed=3)[0]
    best = [f"r{n}" for n in np.argsort(-(vectors @ query), kind="stable")]
    assert len({hit.id for hit in table.nearest(query, limit=50, where=[])} & set(best[:50])) >= 48
    nearest = f"EXPLAIN SELECT key FROM {name}_8 ORDER BY vector <#> '{query.tolist()}' LIMIT 5"
    assert f"{name}_8_hnsw" in str(tables.read(nearest, []))
    tagged = [id_ for id_ in best if int(id_[1:]) % 50 == 0]
    assert [hit.id for hit in table.nearest(query, limit=50, where=[Among("tags", ("x",))])] == tagged[:50]
    assert len(table.nearest(query, limit=99, where=[Among("tags", ("x",))])) == 60
    assert indexes(postgres, name) == {f"{name}_8_hnsw"}
    exact = PgvectorTables(postgres, name)
    exact.begin()
    exact.create(DIMENSIONS)
    exact.seal()
    assert indexes(postgres, name) == set()
    assert [hit.id for hit in exact.table(DIMENSIONS).nearest(query, limit=50, where=[])] == best[:50]


def indexes(postgres: str, name: str) -> set[str]:
    """Names of the indexes of vectors."""
    with psycopg.connect(postgres) as connection:
        rows = connection.execute("SELECT indexname FROM pg_indexes WHERE indexdef LIKE '%%hnsw%%'").fetchall()
    return {index for (index,) in rows if index.startswith(name)}


@pytest.mark.parametrize("project_id", ["2024-site", "Größe.Maß", "select", "x" * 80, "a'; DROP TABLE b; --"])
def test_any_project_has_a_table(postgres: str, project_id: str) -> None:
    vectors = TableVectors(PgvectorTables(postgres, project_id), project_id)
    put(vectors, ONE, [row("a")])
    assert (visible_ids(vectors, ONE), vectors.count(ONE)) == (["a"], 1)
    assert vectors.drop() == [f"vectors of 8 dimensions of project {project_id!r}"]


def test_a_graph_of_too_many_dimensions_is_refused(postgres: str, name: str) -> None:
    tables = PgvectorTables(postgres, name, hnsw=HnswSettings())
    tables.begin()
    with pytest.raises(VectorBackendRefused, match='2,000 dimensions, not 3,072; set vector.pgvector.index = "exact"'):
        tables.create(3_072)


@pytest.mark.parametrize(
    ("url", "kind", "message"),
    [
        (
            "postgresql://shop:pa55word-of-shop@127.0.0.1:9/postgres",
            VectorBackendUnavailable,
            "Postgres at 127.0.0.1: ",
        ),
        ("postgres//shop:pa55word-of-shop@host", VectorBackendRefused, "cannot be read; use the form postgresql://"),
        ("{server}&user=stranger&password=pa55word-of-shop", VectorBackendRefused, "role .*stranger.* does not exist"),
        (
            "{server}&dbname=nowhere&password=pa55word-of-shop",
            VectorBackendRefused,
            "database .*nowhere.* does not exist",
        ),
    ],
)
def test_a_server_that_cannot_be_used_is_named_without_the_password(
    postgres: str, url: str, kind: type[VectorBackendUnavailable], message: str
) -> None:
    tables = PgvectorTables(url.format(server=postgres), "shop")
    with pytest.raises(VectorBackendUnavailable, match=message) as raised:
        tables.dimensions()
    assert type(raised.value) is kind
    assert "pa55word" not in "".join(traceback.format_exception(raised.value))
    assert "pa55word" not in repr(tables)


def test_a_table_that_is_gone_is_named_with_the_fix(postgres: str) -> None:
    with pytest.raises(VectorBackendRefused, match="index --resync"):
        PgvectorTables(postgres, "gone").table(DIMENSIONS).nearest(EAST, limit=5, where=[])


def test_an_address_that_is_not_set_is_asked_for() -> None:
    with pytest.raises(KeyMissing, match="environment variable POSTGRES_URL"):
        make_vectors(VectorSettings(provider="pgvector"), "shop", {})
