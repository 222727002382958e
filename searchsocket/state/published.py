"""Changes since the last publish, so that a publish reads only those (stage `search_index`).

The store decides: these changes are used only if the live generation is the one that was published from these chunks,
and its count matches. Otherwise all chunks are compared.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from searchsocket.state.chunks import count_chunks
from searchsocket.state.file import transaction
from searchsocket.state.records import TextToEmbed, compute_ids, texts_of
from searchsocket.state.schema import IN_SCOPE, as_text
from searchsocket.types import Generation

_MAX_VALUES = 500  # of one statement
_CHANGED = (
    "unpublished LEFT JOIN pages ON pages.scope = unpublished.scope AND pages.url = unpublished.url "
    "LEFT JOIN chunked ON chunked.page_id = pages.id"
)


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
