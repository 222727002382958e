"""Vectors in Postgres with the extension pgvector; a publish is one transaction.

Tested with Postgres 18 and pgvector 0.8.6.
"""

import re
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from searchsocket.errors import ConfigMissing, VectorBackendRefused, VectorBackendUnavailable
from searchsocket.extensions.pgvector.settings import PgvectorSettings
from searchsocket.project.settings.section import HnswSettings
from searchsocket.stores.base.conditions import Among, Between, Condition, Conditions, Either
from searchsocket.stores.base.naming import index_text, server_address
from searchsocket.stores.base.row_hits import RowHit
from searchsocket.stores.base.tables import FIELDS, TableRow
from searchsocket.text.provider_words import provider_message
from searchsocket.types import EXACT, Vector

if TYPE_CHECKING:
    from psycopg import Connection

Values: TypeAlias = list[object]
Row: TypeAlias = tuple[str, int, float, bytes, str]
_MAX_PREFIX_CHARS = 40  # of the 63 that Postgres allows in a name
_MAX_HNSW_DIMENSIONS = 2_000
_GRAPH_DEFAULTS = {"m": 16, "ef_construction": 64}  # the extension's
_MANY_ROWS = 1_000
_MAX_PLAIN_BYTES = 6_500  # of a vector that is stored in the row itself, which must fit into a page of 8 kB
_COLUMNS = [field.name for field in fields(TableRow)]
_TYPES = {str: "text NOT NULL", int: "bigint NOT NULL", tuple: "text[] NOT NULL"}
# Options of every session: Postgres reads the index until enough rows match the filter.
_SESSION = {"hnsw.iterative_scan": "strict_order", "hnsw.max_scan_tuples": "2147483647"}


class PgvectorTables:
    """Implements `VectorTables`: a table for each number of dimensions."""

    max_rows = 10_000
    tolerance = 0.0

    def __init__(self, url: str, name: str, *, hnsw: HnswSettings | None = None, timeout_s: float = 10.0) -> None:
        """Connects to nothing yet.

        Args:
            url: E.g. `postgresql://user:password@host/database`.
            name: Prefix of the table names.
            hnsw: Finds most of the nearest rows by a graph; None compares all rows.
            timeout_s: For each query, and for connecting.
        """
        self.hnsw = hnsw
        self.index = index_text("hnsw", hnsw.model_dump()) if hnsw else EXACT
        prefix = re.sub(r"\W", "_", name.lower(), flags=re.ASCII)[:_MAX_PREFIX_CHARS]
        self._prefix = f"_{prefix}" if prefix[:1].isdigit() else prefix  # no name in SQL begins with a digit
        self._url = url
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._idle: list[Connection] = []  # of readers
        self._writer: Connection | None = None
        self._written: Counter[str] = Counter()  # rows by table, in the transaction

    def __repr__(self) -> str:
        return f"PgvectorTables({self._prefix})"

    def dimensions(self) -> Sequence[int]:
        """The numbers of dimensions of which there is a table."""
        rows = self.read("SELECT relname FROM pg_class WHERE relkind = 'r' AND pg_table_is_visible(oid)", [])
        matches = (re.fullmatch(rf"{self._prefix}_(\d+)", str(name)) for (name,) in rows)
        return sorted(int(match[1]) for match in matches if match)

    def create(self, dimensions: int) -> None:
        """Create the table if it does not exist, and drop an HNSW index that differs from the settings.

        Raises:
            VectorBackendRefused: An HNSW index cannot have so many dimensions.
        """
        if self.hnsw and dimensions > _MAX_HNSW_DIMENSIONS:
            raise VectorBackendRefused(
                f"an HNSW index of pgvector has at most {_MAX_HNSW_DIMENSIONS:,} dimensions, not {dimensions:,}; set "
                'vector.pgvector.index = "exact", or fewer embeddings.dimensions'
            )
        name = f"{self._prefix}_{dimensions}"
        self.write("SELECT pg_advisory_xact_lock(hashtext(%s))", [name])  # two runs would both create it
        if not self._exists(name):
            self.write("CREATE EXTENSION IF NOT EXISTS vector", [])
            for statement in _definition(name, dimensions):
                self.write(statement, [])
        if not self.hnsw or self._graph_parameters(name) != _parameters(self.hnsw):
            self.write(f"DROP INDEX IF EXISTS {name}_hnsw", [])

    def table(self, dimensions: int) -> "PgvectorTable":
        """The table of vectors with this number of dimensions; calls nothing."""
        return PgvectorTable(self, f"{self._prefix}_{dimensions}")

    def begin(self) -> None:
        """Start a group of writes; one that was not sealed is dropped."""
        self._written.clear()
        if self._writer is not None:
            self._writer.close()
        self._writer = self._connected(autocommit=False)

    def seal(self) -> None:
        """Return once all writes since `begin` are visible; build a missing index, faster with the rows there."""
        for name, rows in self._written.items():
            if self.hnsw and not self._exists(f"{name}_hnsw"):
                options = ", ".join(f"{key} = {value}" for key, value in _parameters(self.hnsw).items())
                self.write(f"CREATE INDEX {name}_hnsw ON {name} USING hnsw (vector vector_ip_ops) WITH ({options})", [])
            if rows >= _MANY_ROWS:
                self.write(f"ANALYZE {name}", [])  # else, for a minute, the server plans for a small table
        with self._errors(self._open_writer) as connection:
            connection.commit()
            connection.close()
        self._writer = None

    def drop(self, dimensions: int) -> None:
        """Delete a table that has no rows left, if it exists."""
        self.begin()
        self.write(f"DROP TABLE IF EXISTS {self._prefix}_{dimensions}", [])
        self.seal()

    def write(self, sql: str, values: Values) -> list[tuple[object, ...]]:
        """Run a statement in the transaction that `begin` started; returns its rows, if any."""
        with self._errors(self._open_writer) as connection:
            cursor = connection.execute(sql.encode(), values)
            return cursor.fetchall() if cursor.description else []

    def write_rows(self, name: str, sql: str, rows: Sequence[Values]) -> None:
        """Run a statement on a table in the transaction for each of these rows."""
        self._written[name] += len(rows)
        with self._errors(self._open_writer) as connection, connection.cursor() as cursor:
            cursor.executemany(sql.encode(), rows)

    def read(self, sql: str, values: Values) -> list[tuple[object, ...]]:
        """Run a query; once more over a new connection if an idle one turns out to be closed."""
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is not None:
            try:
                return self._read(connection, sql, values)
            except VectorBackendUnavailable:
                if not connection.broken:
                    raise
        return self._read(self._connected(autocommit=True), sql, values)

    def _read(self, connection: "Connection", sql: str, values: Values) -> list[tuple[object, ...]]:
        with self._errors(connection):
            rows = connection.execute(sql.encode(), values, binary=True).fetchall()
        with self._lock:
            self._idle.append(connection)
        return rows

    def _exists(self, name: str) -> bool:
        return self.write("SELECT to_regclass(%s)", [name]) != [(None,)]

    def _graph_parameters(self, name: str) -> dict[str, int]:
        """The parameters of the table's HNSW index; those that the extension leaves out are its defaults."""
        rows = self.write("SELECT reloptions FROM pg_class WHERE oid = to_regclass(%s)", [f"{name}_hnsw"])
        options = [str(option).split("=") for (each,) in rows for option in (each if isinstance(each, list) else [])]
        return _GRAPH_DEFAULTS | {key: int(value) for key, value in options}

    @property
    def _open_writer(self) -> "Connection":
        assert self._writer is not None, "`begin` comes first"
        return self._writer

    def _connected(self, *, autocommit: bool) -> "Connection":
        try:
            import psycopg
        except ImportError as error:
            raise ConfigMissing(
                "vector.provider is pgvector, which needs the client: pip install 'searchsocket[pgvector]'"
            ) from error
        settings = _SESSION | ({"hnsw.ef_search": str(self.hnsw.ef)} if self.hnsw else {})
        if autocommit:
            settings["statement_timeout"] = str(round(self._timeout_s * 1_000))
        with self._errors(None):
            connection = psycopg.connect(
                self._url,
                autocommit=autocommit,
                prepare_threshold=None,  # a plan for all values would not use the index that fits these
                connect_timeout=max(1, round(self._timeout_s)),
                tcp_user_timeout=round(self._timeout_s * 1_000),
                application_name="searchsocket",
            )
            for key, value in settings.items():
                connection.execute("SELECT set_config(%s, %s, false)", [key, value])
            return connection

    @contextmanager
    def _errors(self, connection: "Connection | None") -> Iterator["Connection"]:
        """Turn errors of the client into ours, without the password, and close the connection."""
        import psycopg

        try:
            yield connection  # type: ignore[misc]
            return
        except psycopg.Error as error:
            if connection is not None and not connection.broken:
                connection.close()
            problem = _refusal(error, self._url)
        raise problem from None  # the cause of an error is written down too


def make_tables(settings: PgvectorSettings, project_id: str, environ: Mapping[str, str]) -> PgvectorTables:
    """The tables of a project; connects to nothing yet.

    Raises:
        KeyMissing: The environment lacks the database's address.
    """
    url = server_address("pgvector", settings.url_env, environ, "postgresql://user:password@host/database")
    hnsw = settings.hnsw if settings.index == "hnsw" else None
    return PgvectorTables(url, settings.table or project_id, hnsw=hnsw, timeout_s=settings.timeout_s)


def _refusal(error: Exception, url: str) -> VectorBackendUnavailable:
    """The error to raise; a wrong address is not repeated, because it may contain the password."""
    import psycopg

    try:
        parts = psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        return VectorBackendRefused(
            "the address of Postgres cannot be read; use the form postgresql://user:password@host/database"
        )
    server = f"Postgres at {parts.get('host', 'this machine')}"
    text = provider_message(str(error).split("\n")[0], str(parts.get("password") or ""))
    if isinstance(error, psycopg.errors.UndefinedTable):
        text += "; `searchsocket index --resync` creates and fills it, without embedding again"
    elif isinstance(error, psycopg.errors.FeatureNotSupported | psycopg.errors.UndefinedFile):
        text += "; install the extension pgvector on the server"
    elif isinstance(error, psycopg.errors.InsufficientPrivilege):
        text += "; grant it, or let an administrator run CREATE EXTENSION vector"
    is_passing = isinstance(error, psycopg.OperationalError) and not re.search(
        r"authentication|pg_hba\.conf|database .* does not exist|role .* does not exist", str(error)
    )
    return (VectorBackendUnavailable if is_passing else VectorBackendRefused)(f"{server}: {text}")


def _parameters(hnsw: HnswSettings) -> dict[str, int]:
    """The construction parameters of a graph."""
    return {"m": hnsw.m, "ef_construction": hnsw.ef_construction}


def _definition(name: str, dimensions: int) -> Iterator[str]:
    columns = [f"{column} {_TYPES[kind]}" for column, kind in FIELDS.items()]
    vector = f"vector vector({dimensions}) NOT NULL"
    yield f"CREATE TABLE {name} (key uuid PRIMARY KEY, {vector}, {', '.join(columns)}, note text NOT NULL)"
    storage = "PLAIN" if 4 * dimensions <= _MAX_PLAIN_BYTES else "EXTERNAL"
    yield f"ALTER TABLE {name} ALTER COLUMN vector SET STORAGE {storage}"
    yield f"CREATE INDEX {name}_record ON {name} (project, scope, record)"
    yield f"CREATE INDEX {name}_filter ON {name} USING gin (directories, tags, labels)"


class PgvectorTable:
    """Implements `VectorTable`."""

    def __init__(self, tables: PgvectorTables, name: str) -> None:
        self._tables = tables
        self._name = name

    def upsert(self, rows: Sequence[TableRow]) -> None:
        """Write at most 500 rows; a row with the key of another replaces it."""
        marks = ", ".join(["%s"] * len(_COLUMNS))
        updates = ", ".join(f"{column} = excluded.{column}" for column in _COLUMNS[1:])
        sql = f"INSERT INTO {self._name} ({', '.join(_COLUMNS)}) VALUES ({marks})"
        sql += f" ON CONFLICT (key) DO UPDATE SET {updates}"
        self._tables.write_rows(
            self._name, sql, [[_stored(getattr(row, column)) for column in _COLUMNS] for row in rows]
        )

    def end(self, where: Conditions, died: int) -> None:
        """Set the field `died` of all matching rows."""
        condition, values = _sql_of(where)
        self._tables.write(f"UPDATE {self._name} SET died = %s WHERE {condition}", [died, *values])

    def delete(self, where: Conditions) -> None:
        """Delete all matching rows."""
        condition, values = _sql_of(where)
        self._tables.write(f"DELETE FROM {self._name} WHERE {condition}", values)

    def nearest(self, vector: Vector, *, limit: int, where: Conditions) -> Sequence[RowHit]:
        """Return at most `limit` matching rows with their vectors, by falling inner product with a unit vector."""
        rows = self._nearest(vector, limit, where, "vector <#> %s::vector")
        if self._tables.hnsw and len(rows) < limit:  # the graph may not reach all that match
            rows = self._nearest(vector, limit, where, "(vector <#> %s::vector) + 0")
        return rows

    def rows(self, where: Conditions) -> Sequence[RowHit]:
        """Return all matching rows with their vectors and notes, in any order."""
        condition, values = _sql_of(where)
        return self._hits(
            f"SELECT record, born, 0.0::float8, vector_send(vector), note FROM {self._name} WHERE {condition}", values
        )

    def count(self, where: Conditions) -> int:
        """The number of matching rows."""
        condition, values = _sql_of(where)
        [[count]] = self._tables.read(f"SELECT count(*) FROM {self._name} WHERE {condition}", values)
        return int(str(count))

    def _nearest(self, vector: Vector, limit: int, where: Conditions, order: str) -> Sequence[RowHit]:
        condition, values = _sql_of(where)
        text = _stored(vector)
        columns = "record, born, -(vector <#> %s::vector), vector_send(vector), note"
        sql = f"SELECT {columns} FROM {self._name} WHERE {condition} ORDER BY {order} LIMIT {limit}"
        return self._hits(sql, [text, *values, text])

    def _hits(self, sql: str, values: Values) -> Sequence[RowHit]:
        rows: list[Row] = self._tables.read(sql, values)  # type: ignore[assignment]
        # The binary form of a vector: its length, two spare bytes, and numbers with the highest byte first.
        return [
            RowHit(record, born, score, np.frombuffer(data, ">f4", offset=4).astype(np.float32), note)
            for record, born, score, data, note in rows
        ]


def _stored(value: object) -> object:
    """A field as Postgres reads it; a vector in the shortest text that gives the same float32."""
    if isinstance(value, np.ndarray):
        return f"[{','.join(map(str, value.tolist()))}]"
    return list(value) if isinstance(value, tuple) else value


def _sql_of(where: Conditions) -> tuple[str, Values]:
    """(SQL, values) of conditions that a row must all meet."""
    parts = [_condition(each) for each in where]
    return " AND ".join(sql for sql, _ in parts) or "true", [value for _, values in parts for value in values]


def _condition(condition: Condition) -> tuple[str, Values]:
    match condition:
        case Between(field, low, high):
            return f"{field} >= %s AND {field} < %s", [low, high]
        case Among(field, texts) if FIELDS[field] is tuple:
            return f"{field} && %s::text[]", [list(texts)]
        case Among(field, texts):
            return f"{field} = ANY(%s::text[])", [list(texts)]
        case Either(conditions):
            parts = [_condition(each) for each in conditions]
            sql = " OR ".join(f"({sql})" for sql, _ in parts)
            return f"({sql})", [value for _, values in parts for value in values]
