"""The SQLite file of a pack: one row per record, read by its number; and the rows that are staged.

The id of a record, its hash and its place in path order are stored in the generation instead. So generations and
scopes with the same records share the file.
"""

import sqlite3
from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path

from searchsocket.content.markdown.chunk_text import chunk_text, text_of_code
from searchsocket.stores.base.index_reader import ReadableRecord
from searchsocket.stores.base.vector_store import RecordRows, check_records, model_id_of
from searchsocket.stores.local.catalogue.columns import DEFINITIONS, NAMES, OF_GENERATION, SqlRow, record_of, values_of
from searchsocket.stores.local.catalogue.packed_texts import (
    PLAIN_COLUMNS,
    READ,
    TABLE,
    TEXT,
    packed_plain,
    read_packed,
    unpacked_plain,
)
from searchsocket.stores.words.documents import WordRow, words_of
from searchsocket.text.hidden import storable
from searchsocket.types import Code, Generation, Record, Scope
from searchsocket.web.urls.paths import sort_key

_PLAIN_DEFINITIONS = [f"{name} {sql} NOT NULL" for name, sql in PLAIN_COLUMNS.items()]
STAGED_COLUMNS = ", ".join([*DEFINITIONS, *_PLAIN_DEFINITIONS])
STAGED_NAMES = ", ".join([*NAMES, *PLAIN_COLUMNS])
STAGED_FIELDS = ", ".join(NAMES)
PLACEHOLDERS = ", ".join("?" * (len(NAMES) + len(PLAIN_COLUMNS)))
RECORD_NAMES = ", ".join([*NAMES[OF_GENERATION:], *PLAIN_COLUMNS])
READ_RECORD = RECORD_NAMES.replace(TEXT, READ)

SCHEMA = f"""
{TABLE}CREATE TABLE records (
    doc INTEGER PRIMARY KEY, {", ".join([*DEFINITIONS[OF_GENERATION:], *_PLAIN_DEFINITIONS])}
);
"""
PATH_ORDER = "sort, ordinal, id"
CACHE_KIB = 32_768
PAGE_BYTES = 16_384  # rows of a kilobyte or two leave a sixth of SQLite's own 4,096 unused

_WORD_COLUMNS = itemgetter(*[NAMES.index(name) + 1 for name in WordRow._fields])  # after the sort key


def readable_of(row: SqlRow, names: tuple[str, str], generation: Generation) -> ReadableRecord:
    """The record of a row of `READ_RECORD`, with its plain text.

    Args:
        names: Its id and its hash.

    Raises:
        ValueError, TypeError, LookupError: The row is damaged.
    """
    fields = len(NAMES) - OF_GENERATION
    record = record_of((*names, *row[:fields]), generation)
    return ReadableRecord(record, unpacked_plain(row[fields:], record.chunk.body.text))


def path_key(url: str) -> bytes:
    """`urls.sort_key` as bytes, which SQLite compares as they are."""
    return sort_key(storable(url)).encode("utf-8")


def path_bounds(prefix: str) -> tuple[bytes, bytes]:
    """The first key of `prefix` and of everything below it, and the first key after these."""
    key = path_key(prefix)
    return key, key + b"\x02"  # all keys below it continue with \x01, see `urls.sort_key`


def connect_reader(path: Path) -> sqlite3.Connection:
    """Open a finished file without locking or writing it; threads that share it need a lock of the caller."""
    uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    connection = sqlite3.connect(uri, uri=True, check_same_thread=False, isolation_level=None)
    connection.execute("PRAGMA trusted_schema = OFF")  # the file may be from another machine
    return connection


def connect_memory() -> sqlite3.Connection:
    """`connect_reader` for several files, which the caller attaches."""
    connection = sqlite3.connect(":memory:", uri=True, check_same_thread=False, isolation_level=None)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def connect_records(path: Path) -> sqlite3.Connection:
    """`connect_reader` for a pack's records, whose long texts SQL unpacks.

    Raises:
        sqlite3.DatabaseError: The file is damaged.
    """
    connection = connect_reader(path)
    try:
        read_packed(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def connect_writer(path: Path) -> sqlite3.Connection:
    """Open a file that no other process uses: without a journal; the caller syncs it at the end."""
    connection = sqlite3.connect(path.resolve().as_uri(), uri=True, isolation_level=None, check_same_thread=False)
    connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")  # of a new file
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    return connection


def rows_of(records: Sequence[Record], scope: Scope, project_id: str) -> RecordRows:
    """The rows of some records, for `Publisher.upsert_rows`.

    Args:
        project_id: The project that owns the index.

    Raises:
        ProjectMismatch, InvalidScope: A record belongs to another project or scope.
        EmbeddingModelMismatch: The records have two models.
    """
    check_records(records, scope, project_id)
    rows = [(path_key(record.page.url), *_row_of(record)) for record in records]
    words = words_of(map(WordRow._make, map(_WORD_COLUMNS, rows)))
    return RecordRows(model_id_of(records), [record.content_hash for record in records], rows, words)


def _row_of(record: Record) -> tuple[object, ...]:
    values = values_of(record)
    if isinstance(body := record.chunk.body, Code):  # nothing else is said of it
        text = storable(body.text)
        return (*values, *packed_plain(text_of_code(text), text))
    clean = record_of(values, record)  # with clean texts
    return (*values, *packed_plain(chunk_text(clean.page, clean.chunk), clean.chunk.body.text))
