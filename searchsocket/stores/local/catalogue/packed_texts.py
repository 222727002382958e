"""The long texts of a pack's records, packed: each Markdown text, and its plain text as a person reads it.

The Markdown texts are zstd frames, with a dictionary that is stored in the same file. An SQL function decompresses
them, so callers get plain text: 3 µs per text.

The plain text is stored too, because parsing the Markdown would cost most of a query's time. Both have the same words,
so it is compressed with the Markdown as its dictionary, to about 50 bytes. The positions where a snippet may begin take
about 50 more.
"""

import json
import sqlite3
import sys
import zlib
from array import array
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from searchsocket.content.markdown.chunk_text import START, ChunkText, Opening
from searchsocket.stores.local.catalogue.columns import SqlRow
from searchsocket.system.compressed import Packing, dictionary_of

TABLE = "CREATE TABLE dictionary (bytes BLOB NOT NULL);\n"
TEXT = "body_text"  # the column
READ = f"unpacked({TEXT})"
PACK = f"packed({TEXT})"
_SAMPLES = 1_500
_MIN_RECORDS = 600  # with fewer, a dictionary needs more bytes than it saves
_STAGED = "FROM staged.changes WHERE slot IS NOT NULL"
_SHORT_TYPE = "H"  # 2 bytes, for positions in texts of fewer than `_MAX_SHORT` characters
_MAX_SHORT = 1 << 16
PLAIN_COLUMNS = {"plain": "BLOB", "starts": "BLOB", "kinds": "TEXT", "openings": "TEXT"}


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


def packed_plain(text: ChunkText, markdown: str) -> tuple[bytes, bytes, str, str]:
    """The values of `PLAIN_COLUMNS`; neither text may contain lone surrogates."""
    plain = _compressed(text.text.encode(), markdown.encode())
    openings = [(opening.start, opening.anchor, opening.title) for opening in text.openings]
    openings_json = json.dumps(openings, ensure_ascii=False) if openings else ""
    starts = array(_SHORT_TYPE, text.starts) if len(text.text) < _MAX_SHORT else text.starts
    return plain, _little_endian(starts).tobytes(), text.kinds, openings_json


def unpacked_plain(values: SqlRow, markdown: str) -> ChunkText:
    """The text that was packed.

    Raises:
        ValueError, TypeError: The values are damaged.
    """
    plain, starts_bytes, kinds, openings = values
    dictionary = markdown.encode()
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS, dictionary) if dictionary else zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        text = unpacker.decompress(plain).decode()
    except zlib.error as error:
        raise ValueError(f"a plain text is damaged ({error})") from error
    if not unpacker.eof:
        raise ValueError("a plain text ends too early")
    starts = array(_SHORT_TYPE if len(starts_bytes) == 2 * len(kinds) else START, starts_bytes)
    if len(kinds) != len(starts):
        raise ValueError("the units of a plain text are damaged")
    sections = tuple([Opening(*opening) for opening in json.loads(openings)]) if openings else ()
    return ChunkText(text, _little_endian(starts), kinds, sections)


def _little_endian(starts: "array[int]") -> "array[int]":
    """Convert numbers between the byte order of this machine and that of files."""
    if sys.byteorder == "big":
        starts = starts[:]
        starts.byteswap()
    return starts


def _compressed(data: bytes, dictionary: bytes) -> bytes:
    options = (zlib.Z_BEST_SPEED, zlib.DEFLATED, -zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, zlib.Z_DEFAULT_STRATEGY)
    packer = zlib.compressobj(*options, dictionary) if dictionary else zlib.compressobj(*options)
    return packer.compress(data) + packer.flush()
