"""The long texts of records.db: frames of zstd, with a dictionary that lies in the file itself.

Whoever opens the file unpacks in SQL, so that no statement's caller knows of it: 3 µs a text.
"""

import sqlite3

from searchsocket.system.compressed import Packing, dictionary_of

TABLE = "CREATE TABLE dictionary (bytes BLOB NOT NULL);\n"
TEXT = "body_text"  # the column
READ = f"unpacked({TEXT})"
PACK = f"packed({TEXT})"
_SAMPLES = 1_500
_STAGED = "FROM staged.changes WHERE slot IS NOT NULL"


def read_packed(connection: sqlite3.Connection) -> None:
    """Have SQL unpack the texts of a finished file.

    Raises:
        sqlite3.DatabaseError: The file is damaged.
    """
    connection.create_function("unpacked", 1, Packing(_dictionary(connection, "main")).unpacked, deterministic=True)


def write_packed(merge: sqlite3.Connection) -> None:
    """Have SQL pack and unpack the texts of a file that holds its dictionary."""
    packing = Packing(_dictionary(merge, "main"))
    merge.create_function("packed", 1, packing.packed, deterministic=True)
    merge.create_function("unpacked", 1, packing.unpacked, deterministic=True)


def begin_packed(merge: sqlite3.Connection, *, live_records: int) -> str:
    """Give a new file a dictionary: that of the live one, or a new one where more is staged than was live.

    Returns:
        What a text of the live file is here, in SQL.
    """
    (staged,) = merge.execute(f"SELECT count(*) {_STAGED}").fetchone()
    before = _dictionary(merge, "live") if live_records else b""
    is_new = staged > live_records
    dictionary = _trained(merge, staged) if is_new else before
    merge.execute("INSERT INTO main.dictionary VALUES (?)", (dictionary,))
    write_packed(merge)
    if dictionary == before:
        return TEXT
    merge.create_function("unpacked_live", 1, Packing(before).unpacked, deterministic=True)
    return f"packed(unpacked_live({TEXT}))"


def _trained(merge: sqlite3.Connection, staged: int) -> bytes:
    step = max(1, staged // _SAMPLES)
    samples = merge.execute(f"SELECT {TEXT} {_STAGED} AND slot % ? = 0 ORDER BY slot", (step,))
    return dictionary_of([text for (text,) in samples])


def _dictionary(connection: sqlite3.Connection, schema: str) -> bytes:
    row = connection.execute(f"SELECT bytes FROM {schema}.dictionary").fetchone()
    return bytes(row[0]) if row else b""
