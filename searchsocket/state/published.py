"""What the live index and the chunks have in common, so that only what changed is looked at.

The store stays the truth: what is kept here counts only while the live generation is the very one that was published
from these chunks. Another one, none, or a count that does not fit, and everything is compared.
"""

import sqlite3
from collections.abc import Iterator

from searchsocket.state.chunks import count_chunks
from searchsocket.state.database import transaction
from searchsocket.types import Generation


def is_published(db: sqlite3.Connection, scope: str, live: Generation | None) -> bool:
    """Whether the live generation holds what the chunks say, but for what `unpublished` names."""
    known = db.execute("SELECT published FROM scopes WHERE scope = ?", (scope,)).fetchone()[0]
    if live is None or known != _name(live):
        return False
    (more,) = db.execute(
        "SELECT COALESCE(SUM((chunks.id IS NOT NULL) - (live_hash IS NOT NULL)), 0) FROM unpublished LEFT JOIN chunks "
        "ON chunks.scope = unpublished.scope AND chunks.id = unpublished.id WHERE unpublished.scope = ?",
        (scope,),
    ).fetchone()
    return bool(live.records + more == count_chunks(db, scope)[0])


def unpublished(db: sqlite3.Connection, scope: str) -> Iterator[tuple[str, str | None, str | None]]:
    """(id, hash of the chunk, hash of the live record) where they may differ, by rising id; None: there is none."""
    rows = db.execute(
        "SELECT unpublished.id, record_hash, live_hash FROM unpublished LEFT JOIN chunks "
        "ON chunks.scope = unpublished.scope AND chunks.id = unpublished.id "
        "WHERE unpublished.scope = ? ORDER BY unpublished.id",
        (scope,),
    )
    for row in rows:  # noqa: UP028  see `fingerprints`
        yield row


def set_published(db: sqlite3.Connection, scope: str, live: Generation | None) -> None:
    """Remember that a generation holds exactly the chunks; None: it is not known what it holds."""
    with transaction(db):
        db.execute("DELETE FROM unpublished WHERE scope = ?", (scope,))
        db.execute("UPDATE scopes SET published = ? WHERE scope = ?", (_name(live) if live else "", scope))


def _name(generation: Generation) -> str:
    return f"{generation.name} {generation.digest}"
