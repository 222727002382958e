"""Read stored chunks as texts to embed and as records to publish; damaged ones raise.

Ids of chunks contain the name of the scope, so the state stores none: they are computed when they are read. The records
of a page are in one blob, since they are similar and are read together. Scopes with equal chunks share the blob.
"""

import re
import sqlite3
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple, TypeGuard
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from searchsocket.content.chunking.records import (
    CutChunk,
    chunk_of,
    content_hash,
    embedded_text,
    hash_of,
    head_of,
    key_of,
    parse_record,
    record_id,
    with_head,
)
from searchsocket.state.extracts import unpacked_body
from searchsocket.state.file import transaction
from searchsocket.state.schema import DamagedRow, as_stored, as_text, marks
from searchsocket.system.batches import batches
from searchsocket.system.compressed import Packing
from searchsocket.types import Chunk, Lines, PageFacts, Record

_COLUMNS = "rowid, records_id, line, key, content_hash, record_hash"
_TEXT_HASH = "content_hash"  # is stored outside the blob


class StoredChunk(NamedTuple):
    """A stored chunk; its text is not verified yet."""

    rowid: int
    key: str
    content_hash: str
    record_hash: str
    canonical: str


def put_records(db: sqlite3.Connection, page_id: int, chunks: Sequence[CutChunk], tokens: Sequence[int]) -> int:
    """Store the chunks of a page, unless equal ones are stored already; return the id of the `page_cuts` row.

    Args:
        tokens: Tokens of the embedded text of each chunk.
    """
    records = [chunk.record for chunk in chunks]
    digest = as_stored(records_digest((chunk.key, chunk.record.record_hash) for chunk in chunks))
    if row := db.execute("SELECT id FROM page_cuts WHERE records_digest = ?", (digest,)).fetchone():
        return int(row[0])
    texts_digest = as_stored(hash_of("".join(record.content_hash for record in records)))
    id_ = db.execute(
        "INSERT INTO page_cuts (url, chunks, records_digest, texts_digest) VALUES (?,?,?,?)",
        (records[0].page.url, len(chunks), digest, texts_digest),
    ).lastrowid
    db.executemany(
        "INSERT INTO chunks (records_id, line, key, content_hash, tokens, record_hash) VALUES (?,?,?,?,?,?)",
        [
            (id_, line, chunk.key, as_stored(chunk.record.content_hash), count, as_stored(chunk.record.record_hash))
            for line, (chunk, count) in enumerate(zip(chunks, tokens, strict=True))
        ],
    )
    row = db.execute(
        "SELECT bodies.id, body FROM pages JOIN bodies ON bodies.id = content_id WHERE pages.id = ?", (page_id,)
    ).fetchone()
    content_id, body = row or (0, None)
    # In JSON, line breaks are escaped.
    blob = _packing(body).packed("\n".join(_without_hash(chunk.canonical) for chunk in chunks))
    db.execute("INSERT INTO page_records (id, content_id, records) VALUES (?,?,?)", (id_, content_id, blob))
    return id_ or 0


def records_digest(names: Iterable[tuple[str, str]]) -> str:
    """Digest of the key and record hash of each chunk of a page, in their order."""
    return hash_of("\n".join(f"{record_hash}{key}" for key, record_hash in names))


def chunks_at(db: sqlite3.Connection, rowids: Sequence[int]) -> Iterator[StoredChunk]:
    """Yield the existing ones of some chunks, by rising rowid.

    Raises:
        DamagedRow: A chunk cannot be read.
    """
    ordered = sorted(rowids)
    current, lines = 0, list[str]()
    for start in range(0, len(ordered), _MAX_VALUES):
        window = ordered[start : start + _MAX_VALUES]
        rows = db.execute(f"SELECT {_COLUMNS} FROM chunks WHERE rowid IN ({marks(len(window))}) ORDER BY rowid", window)
        for rowid, records_id, line, key, *stored in rows:
            try:
                if records_id != current:  # neighbours share a blob
                    current, lines = records_id, _lines(db, records_id)
                content_hash, record_hash = map(as_text, stored)
                text = with_head(lines[line], {**head_of(lines[line]), _TEXT_HASH: content_hash})
            except (ValueError, TypeError, LookupError, AttributeError) as error:
                raise DamagedRow(f"a chunk is damaged: {error}") from error
            yield StoredChunk(rowid, key, content_hash, record_hash, text)


def lines_of(db: sqlite3.Connection, page_id: int) -> list[str]:
    """Return the stored records of a page, without the hashes of their texts.

    Raises:
        DamagedRow: The records cannot be read.
    """
    row = db.execute("SELECT records_id FROM chunked WHERE page_id = ?", (page_id,)).fetchone()
    try:
        return _lines(db, row[0]) if row else []
    except (ValueError, TypeError) as error:
        raise DamagedRow(f"the chunks of a page are damaged: {error}") from error


def _lines(db: sqlite3.Connection, records_id: int) -> list[str]:
    records, body = db.execute(
        "SELECT records, body FROM page_records LEFT JOIN bodies ON bodies.id = content_id WHERE page_records.id = ?",
        (records_id,),
    ).fetchone()
    return _packing(body).unpacked(records).split("\n")


def _packing(body: bytes | None) -> Packing:
    """Return a compression with the page text as dictionary: records repeat it, so they take a third of the bytes."""
    return Packing() if body is None else Packing(unpacked_body(body).encode("utf-8", "surrogatepass"))


def _without_hash(text: str) -> str:
    return with_head(text, {name: value for name, value in head_of(text).items() if name != _TEXT_HASH})


_HASH = re.compile(r"[0-9a-f]{64}")
_MAX_VALUES = 500  # of one statement
_BATCH = 4_096  # hashes
# Of one scope, for as long as the state is open; SQLite moves it to the disk if it is large.
CHUNK_IDS = """CREATE TEMP TABLE IF NOT EXISTS chunk_ids (
    id BLOB NOT NULL,
    is_live INTEGER NOT NULL,  -- 0 = a chunk of the scope now, 1 = of a page in its generation
    chunk INTEGER NOT NULL,  -- its rowid
    record_hash BLOB NOT NULL,
    PRIMARY KEY (id, is_live, chunk)
) WITHOUT ROWID"""
OF_SCOPE = "SELECT records_id, 0 FROM chunked WHERE scope = ?"
_ID_BYTES, _HASH_BYTES = 20, 32
_DAMAGED = bytes(_HASH_BYTES)  # equals the hash of no record


class TextToEmbed(NamedTuple):
    """A text to embed: its hash, its tokens and its position in the file."""

    content_hash: str
    tokens: int
    position: int  # texts at neighbouring positions are stored together, and are read fastest


def texts_of(db: sqlite3.Connection, chunks: str, *parameters: str) -> Iterator[TextToEmbed]:
    """Yield the distinct texts of chunks, by rising hash.

    Args:
        chunks: Joined tables and their conditions, in SQL.

    Raises:
        DamagedRow: A hash or a number of tokens is invalid.
    """
    texts = f"SELECT content_hash, tokens, MIN(chunks.rowid) FROM {chunks} GROUP BY content_hash ORDER BY content_hash"
    for row in db.execute(texts, parameters):
        text = TextToEmbed(as_text(row[0]), *row[1:])
        if not _HASH.fullmatch(text.content_hash) or not isinstance(text.tokens, int):
            raise DamagedRow(f"{text.content_hash!r} is not the hash of a text")
        yield text


def texts_at(db: sqlite3.Connection, rowids: Sequence[int], prepare: Callable[[str], str]) -> list[str]:
    """Return the embedded texts of some rows, in their order.

    Raises:
        DamagedRow: A text is missing or damaged.
    """
    texts: dict[int, str] = {}
    for chunk in chunks_at(db, rowids):
        _, page, stored = _parsed(chunk)
        text = prepare(embedded_text(page.title, stored))
        if content_hash(text) != chunk.content_hash:
            raise DamagedRow(f"the text {chunk.content_hash[:64]!r} changed after it was written")
        texts[chunk.rowid] = text
    if len(texts) < len(rowids):
        raise DamagedRow(f"only {len(texts)} of {len(rowids)} texts exist")
    return [texts[rowid] for rowid in rowids]


def places_at(db: sqlite3.Connection, rowids: Sequence[int]) -> list[str]:
    """Return the places of the texts of some rows for people: `src/a.py:4-9`, or a page with its anchor.

    Raises:
        DamagedRow: A text is missing or damaged.
    """
    places: dict[int, str] = {}
    for chunk in chunks_at(db, rowids):
        _, page, stored = _parsed(chunk)
        at = stored.at
        if isinstance(at, Lines):
            places[chunk.rowid] = f"{unquote(page.url[1:])}:{at.first}-{at.last}"
        else:
            places[chunk.rowid] = f"{page.url}#{at.anchor}" if at.anchor else page.url
    if len(places) < len(set(rowids)):
        raise DamagedRow(f"only {len(places)} of {len(rowids)} texts exist")
    return [places[rowid] for rowid in rowids]


def pages_at(db: sqlite3.Connection, rowids: Sequence[int]) -> list[str]:
    """Return the URLs of the pages of some rows, in their order; "" for a missing row."""
    urls: dict[int, str] = {}
    for start in range(0, len(rowids), _MAX_VALUES):
        window = rowids[start : start + _MAX_VALUES]
        urls.update(
            db.execute(
                "SELECT chunks.rowid, url FROM chunks JOIN page_cuts ON page_cuts.id = records_id "
                f"WHERE chunks.rowid IN ({marks(len(window))})",
                window,
            ).fetchall()
        )
    return [urls.get(rowid, "") for rowid in rowids]


def chunks_on(db: sqlite3.Connection, page_id: int) -> list[Chunk]:
    """Return the chunks of a page, by ordinal.

    Raises:
        DamagedRow: A chunk is damaged.
    """
    try:
        return sorted(map(chunk_of, lines_of(db, page_id)), key=attrgetter("ordinal"))
    except (ValueError, TypeError, AttributeError, LookupError) as error:
        raise DamagedRow(f"a chunk is damaged: {error}") from error


class ChunkSelection:
    """A large set of chunks to read; it takes 8 bytes per chunk."""

    def __init__(self, db: sqlite3.Connection, scope: str) -> None:
        self._db = db
        self._scope = scope
        self._rowids = array("q")
        db.execute(CHUNK_IDS)  # now, since a new table would end queries that are being read

    def __len__(self) -> int:
        return len(self._rowids)

    def add(self, ids: Sequence[str]) -> None:
        """Select chunks by their ids, from those whose ids were computed last; if they lack one, from all.

        Raises:
            DamagedRow: A chunk does not exist.
        """
        rowids = self._rowids_of(ids)
        if len(rowids) < len(ids):
            compute_ids(self._db, self._scope, OF_SCOPE)
            rowids = self._rowids_of(ids)
        if len(rowids) != len(ids):
            raise DamagedRow(f"only {len(rowids)} of {len(ids)} chunks exist")
        self._rowids.extend(rowids)

    def _rowids_of(self, ids: Sequence[str]) -> list[int]:
        rows = self._db.execute(
            f"SELECT chunk FROM chunk_ids WHERE is_live = 0 AND id IN ({marks(len(ids))})", [*map(as_stored, ids)]
        )
        return [row[0] for row in rows]

    def batches(self, size: int) -> Iterator[list[StoredChunk]]:
        """Yield the chunks in the order of their storage, which is faster than the order of their ids.

        Raises:
            DamagedRow: A chunk is missing or cannot be read.
        """
        ordered = np.sort(np.array(self._rowids, np.int64))
        for start in range(0, len(ordered), size):
            rowids = ordered[start : start + size].tolist()
            chunks = list(chunks_at(self._db, rowids))
            if len(chunks) != len(rowids):
                raise DamagedRow(f"only {len(chunks)} of {len(rowids)} chunks exist")
            yield chunks


def records_of(chunks: Iterable[StoredChunk], scope: str) -> Iterator[Record]:
    """Yield stored chunks as records of a scope.

    Raises:
        DamagedRow: A chunk is damaged.
    """
    for stored in chunks:
        head, page, chunk = _parsed(stored)
        if hash_of(stored.canonical) != stored.record_hash or key_of(head, chunk) != stored.key:
            raise DamagedRow(f"the chunk {stored.key[:80]!r} of {page.url!r} changed after it was written")
        names = {"id": record_id(scope, page.url, stored.key), "scope": scope}
        yield Record(**names, **head, record_hash=stored.record_hash, page=page, chunk=chunk)


def _parsed(chunk: StoredChunk) -> tuple[dict[str, str], PageFacts, Chunk]:
    try:
        return parse_record(chunk.canonical)
    except (ValueError, TypeError, AttributeError, LookupError) as error:
        raise DamagedRow(f"a chunk is damaged: {error}") from error


def joined_hashes(rows: Iterable[tuple[object]]) -> bytearray:
    """Return the hashes in rows, 32 bytes each; a damaged one counts as zeros."""
    data = bytearray()
    for batch in batches(rows, _BATCH):
        data += b"".join([each if _is_hash(each) else _DAMAGED for (each,) in batch])
    return data


def sorted_hashes(data: bytes | bytearray) -> NDArray[np.bytes_]:
    """Return hashes of 32 bytes in rising order, equal ones too."""
    return np.sort(np.frombuffer(data, f"S{_HASH_BYTES}"))


def _is_hash(stored: object) -> TypeGuard[bytes]:
    return isinstance(stored, bytes) and len(stored) == _HASH_BYTES


def all_fingerprints(db: sqlite3.Connection, scope: str) -> Iterator[tuple[str, str]]:
    """Yield (id, record hash) of every chunk of a scope, by rising id; takes 52 bytes per chunk."""
    rows = db.execute(
        "SELECT url, key, record_hash FROM chunked CROSS JOIN page_cuts ON page_cuts.id = chunked.records_id "
        "CROSS JOIN chunks ON chunks.records_id = chunked.records_id WHERE scope = ?",
        (scope,),
    )
    names = bytearray()
    for url, key, record_hash in rows:
        names += bytes.fromhex(record_id(scope, url, key)) + (record_hash if _is_hash(record_hash) else _DAMAGED)
    width = _ID_BYTES + _HASH_BYTES
    np.frombuffer(names, f"S{width}").sort()  # in place
    for start in range(0, len(names), width):
        middle = start + _ID_BYTES
        yield names[start:middle].hex(), names[middle : start + width].hex()


def compute_ids(db: sqlite3.Connection, scope: str, sql: str) -> None:
    """Replace the table `chunk_ids`.

    Args:
        sql: Returns the `page_cuts` of a scope, each with its value of `is_live`; its parameter is the scope.
    """

    def identified() -> Iterator[tuple[bytes, int, int, bytes]]:
        rows = db.execute(
            f"WITH cuts (cut, is_live) AS ({sql}) SELECT url, key, is_live, chunks.rowid, record_hash FROM cuts "
            "CROSS JOIN page_cuts ON page_cuts.id = cut CROSS JOIN chunks ON records_id = cut",
            (scope,),
        )
        for url, key, *values in rows:
            yield (bytes.fromhex(record_id(scope, url, key)), *values)

    with transaction(db, "DEFERRED"):  # the file may be open for reading only
        db.execute(CHUNK_IDS)
        db.execute("DELETE FROM chunk_ids")
        db.executemany("INSERT INTO chunk_ids VALUES (?,?,?,?)", identified())
