"""What changed since the live generation was published; see `state.base.published`. Triggers fill `unpublished`."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from searchsocket.state.base.chunks import Text
from searchsocket.state.base.published import Difference
from searchsocket.state.sqlite.chunks import count_chunks
from searchsocket.state.sqlite.conditions import KNOWN
from searchsocket.state.sqlite.file import transaction
from searchsocket.state.sqlite.hashes import as_text
from searchsocket.state.sqlite.records import texts_of
from searchsocket.types import Generation


@dataclass(frozen=True, slots=True)
class SqlitePublished:
    """What the live index of one scope and its chunks have in common."""

    db: sqlite3.Connection
    scope: str

    def is_of(self, live: Generation | None) -> bool:
        known = self._of_scope("published")
        if live is None or known != _name(live):
            return False
        (more,) = self.db.execute(
            "SELECT COALESCE(SUM((chunks.id IS NOT NULL) - (live_hash IS NOT NULL)), 0) FROM unpublished "
            "LEFT JOIN chunks ON chunks.scope = unpublished.scope AND chunks.id = unpublished.id "
            "WHERE unpublished.scope = ?",
            (self.scope,),
        ).fetchone()
        return bool(live.records + more == count_chunks(self.db, self.scope).chunks)

    def changes(self) -> Iterator[Difference]:
        rows = self.db.execute(
            "SELECT unpublished.id, record_hash, live_hash FROM unpublished LEFT JOIN chunks "
            "ON chunks.scope = unpublished.scope AND chunks.id = unpublished.id "
            "WHERE unpublished.scope = ? ORDER BY unpublished.id",
            (self.scope,),
        )
        for id_, *hashes in rows:
            yield Difference(as_text(id_), *(None if held is None else as_text(held) for held in hashes))

    def changed_texts(self) -> Iterator[Text]:
        return texts_of(
            self.db.execute(
                "SELECT content_hash, tokens, MIN(chunks.rowid) FROM unpublished "
                "CROSS JOIN chunks ON chunks.scope = unpublished.scope AND chunks.id = unpublished.id "
                "WHERE unpublished.scope = ? GROUP BY content_hash ORDER BY content_hash",
                (self.scope,),
            )
        )

    def set(self, live: Generation | None) -> None:
        with transaction(self.db):
            self.db.execute("DELETE FROM unpublished WHERE scope = ?", (self.scope,))
            self.db.execute(
                "UPDATE scopes SET published = ? WHERE scope = ?", (_name(live) if live else "", self.scope)
            )

    def may_delete(self) -> bool:
        uncut = self.db.execute(
            f"SELECT 1 FROM pages WHERE {KNOWN} AND (extract_key = '' OR (skip = '' AND chunk_key = '')) LIMIT 1",
            (self.scope,),
        ).fetchone()
        return bool(self._of_scope("authoritative")) and uncut is None

    def cache_size(self) -> int:
        return int(str(self._of_scope("cache_size")))

    def set_cache_size(self, size: int) -> None:
        self.db.execute("UPDATE scopes SET cache_size = ? WHERE scope = ?", (size, self.scope))

    def _of_scope(self, column: str) -> object:
        (value,) = self.db.execute(f"SELECT {column} FROM scopes WHERE scope = ?", (self.scope,)).fetchone()
        return value


def _name(generation: Generation) -> str:
    return f"{generation.name} {generation.digest}"
