"""Which known page each link means; only links that may have changed their answer are looked up again."""

from collections.abc import Callable
from functools import lru_cache
from sqlite3 import Connection

from searchsocket.state.database import transaction
from searchsocket.system.batches import batches
from searchsocket.urls.targets import resolve_target

_BATCH = 5_000
_KNOWN = "SELECT 1 FROM pages WHERE scope = ? AND url = ? AND removed = 0 AND skip = '' AND extract_key != ''"


def resolve_links(db: Connection, scope: str) -> None:
    """Fill in `links.resolved`, and mark the pages at both ends of what changed as dirty."""
    if db.execute("SELECT page_set_changed FROM scopes WHERE scope = ?", (scope,)).fetchone()[0]:
        _forget_stale(db, scope)
    unresolved = db.execute("SELECT DISTINCT target FROM links WHERE scope = ? AND resolved IS NULL", (scope,))
    targets = [row[0] for row in unresolved]
    known, redirect = _lookups(db, scope)
    for batch in batches(targets, _BATCH):
        with transaction(db):
            for target in batch:
                _resolve(db, scope, target, resolve_target(target, known, redirect) or "")
    db.execute("UPDATE scopes SET page_set_changed = 0 WHERE scope = ?", (scope,))


def _resolve(db: Connection, scope: str, target: str, resolved: str) -> None:
    waiting = "scope = ? AND target = ? AND resolved IS NULL"
    if resolved:
        db.execute("UPDATE pages SET dirty = 1 WHERE scope = ? AND url = ?", (scope, resolved))
        db.execute(
            f"UPDATE pages SET dirty = 1 WHERE dirty = 0 AND id IN (SELECT page_id FROM links WHERE {waiting})",
            (scope, target),
        )
    db.execute(f"UPDATE links SET resolved = ? WHERE {waiting}", (resolved, scope, target))


def _forget_stale(db: Connection, scope: str) -> None:
    """A page came or went: links to nowhere may have found it, links to it may have lost it."""
    stale = (
        "scope = ? AND (resolved = '' OR resolved IN (SELECT url FROM pages WHERE scope = ? AND "
        "(removed = 1 OR skip != '')) OR target IN (SELECT url FROM pages WHERE scope = ? AND redirect_to != ''))"
    )
    with transaction(db):
        # The linking pages' outgoing counts may change too.
        db.execute(
            f"UPDATE pages SET dirty = 1 WHERE id IN (SELECT page_id FROM links WHERE {stale} AND resolved != '')",
            (scope, scope, scope),
        )
        db.execute(f"UPDATE links SET resolved = NULL WHERE {stale}", (scope, scope, scope))


def _lookups(db: Connection, scope: str) -> tuple[Callable[[str], bool], Callable[[str], str | None]]:
    @lru_cache(maxsize=100_000)
    def known(url: str) -> bool:
        return db.execute(_KNOWN, (scope, url)).fetchone() is not None

    @lru_cache(maxsize=10_000)
    def redirect(url: str) -> str | None:
        row = db.execute(
            "SELECT redirect_to FROM pages WHERE scope = ? AND url = ? AND removed = 0 AND redirect_to != ''",
            (scope, url),
        ).fetchone()
        return row[0] if row else None

    return known, redirect
