"""Read stored chunks as texts to embed and as records to publish; damaged ones raise."""

import re
import sqlite3
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np

from searchsocket.content.chunking.canonical import chunk_of, parse_record
from searchsocket.content.chunking.records import content_hash, embedded_text, hash_of, key_of, record_id
from searchsocket.state.chunk_ids import CHUNK_IDS, OF_SCOPE, compute_ids
from searchsocket.state.errors import DamagedRow
from searchsocket.state.page_records import StoredChunk, chunks_at, lines_of
from searchsocket.state.sql import as_stored, as_text, marks
from searchsocket.types import Chunk, Lines, PageFacts, Record

_HASH = re.compile(r"[0-9a-f]{64}")
_MAX_VALUES = 500  # of one statement


class TextToEmbed(NamedTuple):
    """A text to embed: its hash, its tokens and its position in the file."""

    content_hash: str
    tokens: int
    position: int  # texts at neighbouring positions are stored together, and are read fastest


def texts_of(rows: sqlite3.Cursor) -> Iterator[TextToEmbed]:
    """Yield texts from rows of hash, tokens and rowid.

    Raises:
        DamagedRow: A hash or a number of tokens is invalid.
    """
    for row in rows:
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
