"""Dagster's SQLite storage, with its connections kept open.

As it is, Dagster makes an engine, opens a file and closes it again for every event, and the last to close a database
copies its journal and deletes it: some 75 events cost 550 calls of `fdatasync`. Files and tables are Dagster's own, so
that processes with either storage work on one home at once.
"""

import os
import sqlite3
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from dagster._core.storage.event_log.sqlite.sqlite_event_log import INDEX_SHARD_NAME, SqliteEventLogStorage
from dagster._core.storage.runs.sqlite.sqlite_run_storage import SqliteRunStorage
from dagster._core.storage.schedules.sqlite.sqlite_schedule_storage import SqliteScheduleStorage
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from dagster._core.storage.sqlite_storage import (
    DagsterSqliteStorage,
    _event_logs_directory,
    _runs_directory,
    _schedule_directory,
)
from dagster._serdes import ConfigurableClassData
from sqlalchemy import create_engine, event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.pool import QueuePool

_KEPT_LOGS = 2  # of runs; what all runs share is kept beside them


class _Engines:
    """One engine a database, each with one connection that is kept; who comes meanwhile gets another for once."""

    def __init__(self) -> None:
        self._engines: OrderedDict[str, Engine] = OrderedDict()
        self._process = os.getpid()

    def get(self, url: str) -> Engine:
        if self._process != os.getpid():  # SQLite: a connection is of the process that made it
            for inherited in self._engines.values():
                inherited.dispose(close=False)
            self._engines.clear()
            self._process = os.getpid()
        if url not in self._engines:
            self._engines[url] = _engine(url)
        self._engines.move_to_end(url)
        return self._engines[url]

    def urls(self) -> list[str]:
        """Of the engines that are open, the one used last at the end."""
        return list(self._engines)

    def close(self, url: str) -> None:
        if engine := self._engines.pop(url, None):
            engine.dispose()


def _engine(url: str) -> Engine:
    # Whoever takes it from the pool has it alone, in whatever thread.
    options = {"timeout": SQLITE_BUSY_TIMEOUT_SECONDS, "check_same_thread": False}
    engine = create_engine(url, poolclass=QueuePool, pool_size=1, max_overflow=-1, connect_args=options)

    @event.listens_for(engine, "connect")
    def _set_up(connection: sqlite3.Connection, _: Any) -> None:
        # With a journal ahead (WAL) a power cut damages nothing; at worst the last lines of a log are lost.
        connection.execute("PRAGMA synchronous=NORMAL")

    return engine


class KeptEventLog(SqliteEventLogStorage):
    """Dagster's event log, which opens each of its databases once a process."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines = _Engines()
        super().__init__(base_dir, inst_data)

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._db_lock:
            url = self.conn_string_for_shard(shard)
            engine = self._engines.get(url)
            shared = self.conn_string_for_shard(INDEX_SHARD_NAME)
            for old in [open_ for open_ in self._engines.urls() if open_ != shared][:-_KEPT_LOGS]:
                self._engines.close(old)
            try:
                if shard not in self._initialized_dbs:
                    self._initdb(engine)
                    self._initialized_dbs.add(shard)
                with engine.connect() as connection, connection.begin():
                    yield connection
            except BaseException:
                self._engines.close(url)  # whatever it was, the next call begins with a connection of its own
                raise

    def dispose(self) -> None:
        with self._db_lock:
            for url in self._engines.urls():
                self._engines.close(url)
        super().dispose()


class KeptRuns(SqliteRunStorage):
    """Dagster's table of runs, opened once a process."""

    def __init__(self, conn_string: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines = _Engines()
        super().__init__(conn_string, inst_data)

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        with self._engines.get(self._conn_string).connect() as connection, connection.begin():
            yield connection

    def dispose(self) -> None:
        self._engines.close(self._conn_string)
        super().dispose()


class KeptSqliteStorage(DagsterSqliteStorage):
    """All of Dagster's storage in SQLite; its configuration is `base_dir`, the Dagster home."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self.base_dir = base_dir
        self._run_storage = KeptRuns.from_local(_runs_directory(base_dir))
        self._event_log_storage = KeptEventLog(_event_logs_directory(base_dir))
        self._schedule_storage = SqliteScheduleStorage.from_local(_schedule_directory(base_dir))
        self._inst_data = inst_data
        super(DagsterSqliteStorage, self).__init__()  # type: ignore[no-untyped-call]

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData, config_value: Any) -> Self:
        return cls.from_local(inst_data=inst_data, **config_value)
