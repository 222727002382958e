"""Vectors in a SQLite file: a store of one's own, in one file."""

import json
import sqlite3
import threading

import numpy as np
from searchsocket.errors import ConfigMissing, VectorBackendRefused, VectorBackendUnavailable
from searchsocket.stores.base.conditions import Among, Between, Either
from searchsocket.stores.base.row_hits import RowHit
from searchsocket.stores.base.tables import FIELDS

COLUMNS = ["key", *FIELDS, "note", "vector"]


def make(options, environ):
    """The function that the entry point names: called with [vector.options] and the environment."""
    if not options.get("path"):
        raise ConfigMissing("the sqlite store needs `path` in [vector.options], e.g. \"vectors.sqlite\"")
    return SqliteTables(str(options["path"]))


class SqliteTables:
    max_rows = 10_000
    tolerance = 0.0

    def __init__(self, path):
        self._path = path
        self._readers = threading.local()  # a connection for each thread that asks
        self._writer = None

    def dimensions(self):
        rows = self.read("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'vectors_[0-9]*'")
        return sorted(int(name.removeprefix("vectors_")) for (name,) in rows)

    def create(self, dimensions):
        self.write(f"CREATE TABLE IF NOT EXISTS vectors_{dimensions} ({', '.join(COLUMNS)}, PRIMARY KEY (key))")

    def table(self, dimensions):
        return SqliteTable(self, f"vectors_{dimensions}")

    def begin(self):
        if self._writer is None:
            self._writer = self._connect()
        if self._writer.in_transaction:
            self._writer.rollback()
        self.write("BEGIN IMMEDIATE")

    def seal(self):
        self._writer.commit()

    def drop(self, dimensions):
        self.write(f"DROP TABLE IF EXISTS vectors_{dimensions}")

    def read(self, sql, values=()):
        if not hasattr(self._readers, "connection"):
            self._readers.connection = self._connect()
        return self._run(self._readers.connection, sql, values)

    def write(self, sql, values=()):
        return self._run(self._writer, sql, values)

    def _run(self, connection, sql, values):
        try:
            return connection.execute(sql, values).fetchall()
        except sqlite3.OperationalError as error:
            kind = VectorBackendRefused if "no such table" in str(error) else VectorBackendUnavailable
            raise kind(f"SQLite at {self._path}: {error}") from error

    def _connect(self):
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False, timeout=30)
        connection.execute("PRAGMA journal_mode = WAL")  # readers see the last commit while a run writes
        return connection


class SqliteTable:
    def __init__(self, database, name):
        self._database = database
        self._name = name

    def upsert(self, rows):
        sql = f"INSERT OR REPLACE INTO {self._name} VALUES ({', '.join('?' * len(COLUMNS))})"
        for row in rows:
            self._database.write(sql, [column(getattr(row, name)) for name in COLUMNS])

    def end(self, where, died):
        condition, values = sql_of(where)
        self._database.write(f"UPDATE {self._name} SET died = ? WHERE {condition}", [died, *values])

    def delete(self, where):
        condition, values = sql_of(where)
        self._database.write(f"DELETE FROM {self._name} WHERE {condition}", values)

    def nearest(self, vector, *, limit, where):
        rows = self.rows(where)
        if not rows:
            return []
        scores = np.stack([row.vector for row in rows]) @ vector
        best = np.argsort(-scores, kind="stable")[:limit]
        return [RowHit(rows[n].id, rows[n].born, float(scores[n]), rows[n].vector) for n in best]

    def rows(self, where):
        condition, values = sql_of(where)
        found = self._database.read(f"SELECT record, born, vector, note FROM {self._name} WHERE {condition}", values)
        return [RowHit(id_, born, 0.0, np.frombuffer(vector, np.float32), note) for id_, born, vector, note in found]

    def count(self, where):
        condition, values = sql_of(where)
        return self._database.read(f"SELECT count(*) FROM {self._name} WHERE {condition}", values)[0][0]


def column(value):
    """A field as SQLite stores it: texts of a list as JSON, a vector as its bytes."""
    if isinstance(value, tuple):
        return json.dumps(value)
    return value.tobytes() if isinstance(value, np.ndarray) else value


def sql_of(where):
    """(SQL, values) of conditions; all of them must hold."""
    parts, values = [], []
    for condition in where:
        match condition:
            case Between(field, low, high):
                parts.append(f"{field} >= ? AND {field} < ?")
                values += [low, high]
            case Among(field, texts):
                marks = ", ".join("?" * len(texts))
                is_list = FIELDS[field] is tuple
                each = f"EXISTS (SELECT 1 FROM json_each({field}) WHERE value IN ({marks}))"
                parts.append(each if is_list else f"{field} IN ({marks})")
                values += texts
            case Either(conditions):
                either = [sql_of([each]) for each in conditions]
                parts.append(f"({' OR '.join(sql for sql, _ in either)})")
                values += [value for _, some in either for value in some]
    return " AND ".join(parts) or "1", values
