"""The chunks of a scope between runs, stored as records, and the changes since the last publish.

The store decides: these changes are used only if the live generation is the one that was published from these chunks,
and its count matches. Otherwise all chunks are compared.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from searchsocket.content.chunking.records import CutChunk
from searchsocket.state.file import transaction
from searchsocket.state.records import (
    ChunkSelection,
    TextToEmbed,
    all_fingerprints,
    chunks_on,
    compute_ids,
    joined_hashes,
    pages_at,
    places_at,
    put_records,
    sorted_hashes,
    texts_at,
    texts_of,
)
from searchsocket.state.schema import CUT, IN_SCOPE, KEY_BYTES, MIRRORED, as_stored, as_text, marks
from searchsocket.types import Chunk, Generation

_HOW_CHARS = 16  # of the digest of settings, which no author chooses
_CUTS = "chunked CROSS JOIN page_cuts ON page_cuts.id = chunked.records_id"
_CHUNKS = "chunked CROSS JOIN chunks ON chunks.records_id = chunked.records_id"

_MAX_VALUES = 500  # of one statement
_CHANGED = (
    "unpublished LEFT JOIN pages ON pages.scope = unpublished.scope AND pages.url = unpublished.url "
    "LEFT JOIN chunked ON chunked.page_id = pages.id"
)


class MirroredPage(NamedTuple):
    """A page to cut into chunks."""

    id: int
    url: str
    digest: str  # of its mirror file


class ChunkCounts(NamedTuple):
    """Number of chunks and of pages that have any."""

    chunks: int
    pages: int  # that have any


class PageChunks(NamedTuple):
    """A page by the number of its chunks."""

    url: str
    chunks: int


def chunk_key(mirror_digest: str, how: str) -> bytes:
    """Return the key of a page's chunks: mirror file and settings. Equal keys mean equal chunks.

    Args:
        mirror_digest: Hexadecimal, as `how`.
        how: Digest of chunker, its settings, the model and the project.
    """
    return bytes.fromhex(mirror_digest[: 2 * KEY_BYTES] + how[:_HOW_CHARS])


def count_chunks(db: sqlite3.Connection, scope: str) -> ChunkCounts:
    """Count the chunks of a scope, and the pages that have any."""
    sql = f"SELECT COALESCE(SUM(chunks), 0), COUNT(*) FROM {_CUTS} WHERE scope = ?"
    row = db.execute(sql, (scope,)).fetchone()
    return ChunkCounts(*row)


def drop_chunks(db: sqlite3.Connection, scope: str, page_id: int) -> None:
    """Delete the chunks of a page and their problems."""
    db.execute("DELETE FROM problems WHERE page_id = ? AND part IN ('chunks', 'secrets')", (page_id,))
    db.execute("DELETE FROM chunked WHERE scope = ? AND page_id = ?", (scope, page_id))


@dataclass(frozen=True, slots=True)
class ChunkTable:
    """The chunks of a scope's pages."""

    db: sqlite3.Connection
    scope: str

    def count_stale(self, how: str | None) -> int:
        """Return the number of pages that `stale` yields."""
        condition, values = self._stale(how)
        return int(self.db.execute(f"SELECT COUNT(*) FROM pages WHERE {condition}", values).fetchone()[0])

    def stale(self, how: str | None, size: int) -> Iterator[list[MirroredPage]]:
        """Yield mirrored pages whose chunks are from another file or other settings, by rising URL.

        Each batch is read at its request, so the caller may write the previous one.

        Args:
            how: See `chunk_key`; None = all mirrored pages.
            size: Pages per batch.
        """
        condition, values = self._stale(how)
        last = ""
        while batch := self.db.execute(
            f"SELECT id, url, mirror_digest FROM pages WHERE {condition} AND url > ? ORDER BY url LIMIT ?",
            (*values, last, size),
        ).fetchall():
            yield [MirroredPage(page_id, url, as_text(digest)) for page_id, url, digest in batch]
            last = batch[-1][1]

    def replace(self, page_id: int, key: bytes, chunks: Sequence[CutChunk], tokens: Sequence[int]) -> int:
        """Replace the chunks of a page.

        Args:
            key: See `chunk_key`.
            tokens: Tokens of the embedded text of each chunk.

        Returns:
            The number of texts that are new on the page.
        """
        rows = self.db.execute(f"SELECT content_hash FROM {_CHUNKS} WHERE page_id = ?", (page_id,))
        before = {as_text(content_hash) for (content_hash,) in rows}
        drop_chunks(self.db, self.scope, page_id)
        if chunks:
            records_id = put_records(self.db, page_id, chunks, tokens)
            self.db.execute("INSERT INTO chunked VALUES (?,?,?)", (self.scope, page_id, records_id))
        self.db.execute("UPDATE pages SET chunk_key = ? WHERE id = ?", (key, page_id))
        return sum(chunk.record.content_hash not in before for chunk in chunks)

    def count_mirrored(self) -> int:
        """Count the mirrored pages."""
        return int(self.db.execute(f"SELECT COUNT(*) FROM pages WHERE {MIRRORED}", (self.scope,)).fetchone()[0])

    def count(self) -> ChunkCounts:
        return count_chunks(self.db, self.scope)

    def repeated_keys(self, limit: int) -> list[tuple[str, str]]:
        """Return at most `limit` keys that several chunks of a page have, each after the URL of the page."""
        # By page first: sorting the keys of all chunks takes twice as long.
        pages = f"SELECT chunked.records_id FROM {_CHUNKS} WHERE scope = ? GROUP BY page_id"
        sql = (
            "SELECT url, key FROM page_cuts JOIN chunks ON records_id = id "
            f"WHERE id IN ({pages} HAVING COUNT(*) > COUNT(DISTINCT key)) "
            "GROUP BY id, key HAVING COUNT(*) > 1 ORDER BY url, key LIMIT ?"
        )
        return self.db.execute(sql, (self.scope, limit)).fetchall()

    def count_texts(self) -> int:
        """Count the distinct texts."""
        # Half the time of COUNT(DISTINCT content_hash).
        rows = self.db.execute(f"SELECT content_hash FROM {_CHUNKS} WHERE scope = ?", (self.scope,))
        hashes = sorted_hashes(joined_hashes(rows))
        return int(np.count_nonzero(hashes[1:] != hashes[:-1])) + min(len(hashes), 1)

    def biggest(self, limit: int) -> list[PageChunks]:
        """Return the pages with most chunks, by falling number; equal ones by rising URL."""
        rows = self.db.execute(
            f"SELECT url, chunks FROM {_CUTS} WHERE scope = ? ORDER BY chunks DESC, url LIMIT ?",
            (self.scope, limit),
        )
        return [PageChunks(*row) for row in rows]

    def cut_pages(self) -> Iterator[tuple[str, str]]:
        """Yield (URL, digest of the mirror file) of every cut page that has chunks, by rising URL."""
        rows = self.db.execute(
            "SELECT url, mirror_digest FROM pages JOIN chunked ON chunked.scope = pages.scope AND page_id = pages.id "
            f"WHERE pages.scope = ? AND removed = 0 AND {CUT} ORDER BY url",
            (self.scope,),
        )
        return ((url, as_text(digest)) for url, digest in rows)

    def of_page(self, url: str) -> list[Chunk]:
        """Return the chunks of one page, by ordinal.

        Raises:
            DamagedRow: A chunk is damaged.
        """
        row = self.db.execute("SELECT id FROM pages WHERE scope = ? AND url = ?", (self.scope, url)).fetchone()
        return chunks_on(self.db, row[0]) if row else []

    def records_digests(self) -> Iterator[str]:
        """Yield a digest over the records of each page that has chunks, rising, so that page order does not matter."""
        return self._digests("records_digest")

    def texts_digests(self) -> Iterator[str]:
        """Yield a digest over the texts of each page that has chunks, rising too."""
        return self._digests("texts_digest")

    def texts(self) -> Iterator[TextToEmbed]:
        """Yield every distinct text, by rising hash.

        Raises:
            DamagedRow: A hash or a number of tokens is invalid.
        """
        return texts_of(self.db, f"{_CHUNKS} WHERE scope = ?", self.scope)

    def texts_at(self, positions: Sequence[int], prepare: Callable[[str], str] = lambda text: text) -> list[str]:
        """Return the embedded texts at some positions, in that order.

        Args:
            prepare: Change that was applied to each text before it was hashed.

        Raises:
            DamagedRow: A text is missing or damaged.
        """
        return texts_at(self.db, positions, prepare)

    def pages_at(self, positions: Sequence[int]) -> list[str]:
        """Return the URLs of the pages of the texts at some positions, in that order; "" for a deleted one."""
        return pages_at(self.db, positions)

    def places_at(self, positions: Sequence[int]) -> list[str]:
        """Return the file and lines, or the page and anchor, of the texts at some positions, in that order.

        Raises:
            DamagedRow: A text is missing or damaged.
        """
        return places_at(self.db, positions)

    def with_texts(self, hashes: Sequence[str]) -> set[str]:
        """Return those of at most 500 hashes that a chunk of the scope has."""
        sql = f"SELECT DISTINCT content_hash FROM {_CHUNKS} WHERE scope = ? AND content_hash IN ({marks(len(hashes))})"
        rows = self.db.execute(sql, (self.scope, *map(as_stored, hashes)))
        return {as_text(content_hash) for (content_hash,) in rows}

    def fingerprints(self) -> Iterator[tuple[str, str]]:
        """Yield (id, record hash) of every chunk, by rising id."""
        return all_fingerprints(self.db, self.scope)

    def record_hashes(self) -> NDArray[np.bytes_]:
        """Return the record hash of every chunk, in rising order. It covers all that an id is made of."""
        rows = self.db.execute(f"SELECT record_hash FROM {_CHUNKS} WHERE scope = ?", (self.scope,))
        return sorted_hashes(joined_hashes(rows))

    def select(self) -> ChunkSelection:
        """Return an empty selection."""
        return ChunkSelection(self.db, self.scope)

    def _stale(self, how: str | None) -> tuple[str, tuple[str | bytes, ...]]:
        if how is None:
            return MIRRORED, (self.scope,)
        return f"{MIRRORED} AND NOT ({CUT} AND substr(chunk_key, {KEY_BYTES} + 1) = ?)", (
            self.scope,
            chunk_key("", how),
        )

    def _digests(self, column: str) -> Iterator[str]:
        rows = self.db.execute(f"SELECT {column} FROM {_CUTS} WHERE scope = ? ORDER BY {column}", (self.scope,))
        return (as_text(row[0]) for row in rows)


class Difference(NamedTuple):
    """A chunk that may differ from its record in the live generation."""

    id: str
    expected: str | None  # record hash of the chunk; None = no such chunk
    live: str | None  # hash of the live record; None = no such record


@dataclass(frozen=True, slots=True)
class Published:
    """Chunks that changed since the scope was published."""

    db: sqlite3.Connection
    scope: str

    def is_of(self, live: Generation | None) -> bool:
        """Return True if the live generation equals the chunks except for `changes`."""
        scope_row = self._of_scope("published")
        if live is None or scope_row != _name(live):
            return False
        (more,) = self.db.execute(
            f"SELECT COALESCE(SUM(COALESCE(own.chunks, 0) - COALESCE(live.chunks, 0)), 0) FROM {_CHANGED} "
            "LEFT JOIN page_cuts own ON own.id = chunked.records_id "
            "LEFT JOIN page_cuts live ON live.id = unpublished.records_id WHERE unpublished.scope = ?",
            (self.scope,),
        ).fetchone()
        return bool(live.records + more == count_chunks(self.db, self.scope).chunks)

    def changes(self) -> Iterator[Difference]:
        """Yield the chunks of pages with changed chunks, by rising id."""
        compute_ids(
            self.db,
            self.scope,
            f"SELECT chunked.records_id, 0 FROM {_CHANGED} WHERE unpublished.scope = ?1 "
            "UNION ALL SELECT records_id, 1 FROM unpublished WHERE scope = ?1",
        )
        rows = self.db.execute(
            "SELECT id, MAX(CASE WHEN NOT is_live THEN record_hash END), MAX(CASE WHEN is_live THEN record_hash END) "
            "FROM chunk_ids GROUP BY id ORDER BY id"
        )
        for id_, *hashes in rows:
            yield Difference(id_.hex(), *(None if digest is None else as_text(digest) for digest in hashes))

    def changed_texts(self) -> Iterator[TextToEmbed]:
        """Yield the distinct texts of the changed chunks, by rising hash.

        Raises:
            DamagedRow: A hash or a number of tokens is invalid.
        """
        joined = f"{_CHANGED} JOIN chunks ON chunks.records_id = chunked.records_id WHERE unpublished.scope = ?"
        return texts_of(self.db, joined, self.scope)

    def set(self, live: Generation | None) -> None:
        """Record that a generation equals the chunks; None = its content is unknown."""
        with transaction(self.db):
            self.db.execute("DELETE FROM unpublished WHERE scope = ?", (self.scope,))
            self.db.execute(
                "UPDATE scopes SET published = ? WHERE scope = ?", (_name(live) if live else "", self.scope)
            )

    def may_delete(self) -> bool:
        """Return True if every page is known and chunked, so that a record without a chunk may be deleted."""
        uncut = self.db.execute(
            f"SELECT 1 FROM pages WHERE {IN_SCOPE} "
            "AND (extract_key = '' OR (skip = '' AND copy_of = '' AND chunk_key = '')) LIMIT 1",
            (self.scope,),
        ).fetchone()
        return bool(self._of_scope("authoritative")) and uncut is None

    def cache_size(self) -> int:
        """Return the size of the embedding cache when it last contained every text; -1 = never."""
        return int(str(self._of_scope("cache_size")))

    def set_cache_size(self, size: int) -> None:
        self.db.execute("UPDATE scopes SET cache_size = ? WHERE scope = ?", (size, self.scope))

    def _of_scope(self, column: str) -> object:
        row = self.db.execute(f"SELECT {column} FROM scopes WHERE scope = ?", (self.scope,)).fetchone()
        return row[0] if row else ""


def _name(generation: Generation) -> str:
    return f"{generation.name} {generation.digest}"
