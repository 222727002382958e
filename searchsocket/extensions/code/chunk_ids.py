"""Numbers of chunks for the JSONL protocol, stored in a file; a number never moves to another chunk."""

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from searchsocket.errors import StateUnavailable
from searchsocket.system.errors import client_error, refuse_link
from searchsocket.system.files import make_folder

FILE = "chunk_ids.db"
_NUMBERS = 2**32
_TIMEOUT_S = 30.0


class ChunkIds:
    """The uint32 number of each chunk that was ever in an answer; each call is safe between processes."""

    def __init__(self, folder: Path) -> None:
        """Args: folder: The state folder of the source code."""
        self._path = folder / FILE

    def of(self, scope: str, record_ids: Sequence[str]) -> list[int]:
        """Return the number of each chunk; a chunk without a number gets one.

        The number is a hash of the chunk's identity, or the next free number after it. So numbers stay the same if
        the file is lost, except after collisions.

        Raises:
            StateUnavailable: The file cannot be written.
        """
        keys = [f"{scope}|{record_id}" for record_id in record_ids]
        with self._open() as db:
            ids = _ids_of(db, keys)
            if len(ids) < len(set(keys)):
                with db:
                    db.execute("BEGIN IMMEDIATE")
                    ids |= {key: _give(db, key) for key in keys if key not in ids}
        return [ids[key] for key in keys]

    def record_id(self, scope: str, number: int) -> str | None:
        """Return the chunk of a number; None if no chunk of the scope has it."""
        if not self._path.exists():
            return None
        with self._open() as db:
            row = db.execute("SELECT chunk FROM chunk_ids WHERE id = ?", (number,)).fetchone()
        owner, _, record_id = row[0].partition("|") if row else ("", "", "")
        return record_id if owner == scope and record_id else None

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            make_folder(self._path.parent)
            refuse_link(self._path)
            with closing(sqlite3.connect(self._path, timeout=_TIMEOUT_S, isolation_level=None)) as db:
                db.execute("CREATE TABLE IF NOT EXISTS chunk_ids (id INTEGER PRIMARY KEY, chunk TEXT NOT NULL UNIQUE)")
                yield db
        except sqlite3.DatabaseError as error:
            if type(error) is sqlite3.DatabaseError:  # damaged; the numbers can be computed again from the chunks
                self._path.replace(self._path.with_suffix(".corrupt"))
                raise StateUnavailable(f"{self._path} was damaged and was renamed; send the request again") from error
            raise client_error("cannot use", self._path, error) from error


def _ids_of(db: sqlite3.Connection, keys: Sequence[str]) -> dict[str, int]:
    rows = db.execute(f"SELECT chunk, id FROM chunk_ids WHERE chunk IN ({','.join('?' * len(keys))})", keys)
    return dict(rows.fetchall())


def _give(db: sqlite3.Connection, key: str) -> int:
    number = int.from_bytes(hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()[:4], "big")
    while True:
        db.execute("INSERT OR IGNORE INTO chunk_ids VALUES (?, ?)", (number, key))
        (owner,) = db.execute("SELECT chunk FROM chunk_ids WHERE id = ?", (number,)).fetchone()
        if owner == key:
            return number
        row = db.execute("SELECT id FROM chunk_ids WHERE chunk = ?", (key,)).fetchone()
        if row:  # another process gave it a number
            return int(row[0])
        number = (number + 1) % _NUMBERS
