"""The long texts of a pack's records: zstd frames, with a dictionary that is stored in the same file.

An SQL function decompresses them, so callers get plain text: 3 µs per text.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from searchsocket.system.compressed import Packing, dictionary_of

TABLE = "CREATE TABLE dictionary (bytes BLOB NOT NULL);\n"
TEXT = "body_text"  # the column
READ = f"unpacked({TEXT})"
PACK = f"packed({TEXT})"
_SAMPLES = 1_500
_MIN_RECORDS = 600  # with fewer, a dictionary needs more bytes than it saves
_STAGED = "FROM staged.changes WHERE slot IS NOT NULL"


def read_packed(connection: sqlite3.Connection) -> None:
    """Register the SQL function that decompresses the texts of a finished file.

    Raises:
        sqlite3.DatabaseError: The file is damaged.
    """
    connection.create_function("unpacked", 1, Packing(_dictionary(connection)).unpacked, deterministic=True)


class Dictionary:
    """The dictionary of a new pack: the largest one of the copied packs, or a new one if more records are staged."""

    def __init__(self, pack: sqlite3.Connection, copied: Sequence[Path], records: int) -> None:
        """Choose the dictionary.

        Args:
            pack: The new file, with `staged` attached.
            copied: Files from which records are copied.
            records: The number of these.
        """
        self._pack = pack
        self._older = {path: _read(path) for path in copied}
        (staged,) = pack.execute(f"SELECT count(*) {_STAGED}").fetchone()
        older = max(self._older.values(), key=len, default=b"")
        self._bytes = b""
        if staged + records >= _MIN_RECORDS:
            self._bytes = older if records >= staged and older else _trained(pack, staged)
        pack.create_function("packed", 1, Packing(self._bytes).packed, deterministic=True)

    def store(self) -> None:
        """Write the dictionary into the file."""
        self._pack.execute("INSERT INTO main.dictionary VALUES (?)", (self._bytes,))

    def text_of(self, path: Path) -> str:
        """The SQL expression for a text of a copied file."""
        older = self._older[path]
        if older == self._bytes:
            return TEXT
        self._pack.create_function("unpacked", 1, Packing(older).unpacked, deterministic=True)
        return f"packed({READ})"


def _read(path: Path) -> bytes:
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        return _dictionary(connection)


def _trained(merge: sqlite3.Connection, staged: int) -> bytes:
    step = max(1, staged // _SAMPLES)
    samples = merge.execute(f"SELECT {TEXT} {_STAGED} AND slot % ? = 0 ORDER BY slot", (step,))
    return dictionary_of([text for (text,) in samples])


def _dictionary(connection: sqlite3.Connection) -> bytes:
    row = connection.execute("SELECT bytes FROM dictionary").fetchone()
    return bytes(row[0]) if row else b""
