"""Delete a scope's rows, in small steps if the disk is too full for one transaction."""

import sqlite3

from searchsocket.state.file import transaction

_TABLES = ("scopes", "chunks", "chunked", "pages", "unpublished", "stage_results")  # the others follow their pages
_PAGE_STEPS = (
    # From here on it is a page that is known, of which nothing was made: wherever this ends, a run goes on from it.
    "UPDATE pages SET extract_key = '', mirror_digest = '', chunk_key = '' WHERE id = ?",
    "DELETE FROM links WHERE page_id = ?",
    "DELETE FROM chunks WHERE page_id = ?",
    "DELETE FROM contents WHERE page_id = ?",
    "DELETE FROM pages WHERE id = ?",
)


def forget_rows(db: sqlite3.Connection, scope: str) -> None:
    """Delete the rows of a scope.

    Raises:
        sqlite3.Error: They cannot be deleted; on a disk without room for one page's, only some are.
    """
    try:
        with transaction(db):
            for table in _TABLES:
                db.execute(f"DELETE FROM {table} WHERE scope = ?", (scope,))
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname != "SQLITE_FULL":
            raise
        forget_in_steps(db, scope)


def forget_in_steps(db: sqlite3.Connection, scope: str) -> None:
    """Delete so little at a time that the journal stays small; each step costs a flush of the disk.

    A scope that began from another one shares its files with that one, so that deleting them freed next to nothing.
    """
    db.execute("PRAGMA wal_autocheckpoint = 1")  # each step writes over the one before
    db.execute("DELETE FROM scopes WHERE scope = ?", (scope,))  # first, so that its chunks are no longer counted
    for (page,) in db.execute("SELECT id FROM pages WHERE scope = ?", (scope,)).fetchall():
        for step in _PAGE_STEPS:
            db.execute(step, (page,))
    for (row,) in db.execute("SELECT rowid FROM stage_results WHERE scope = ?", (scope,)).fetchall():
        db.execute("DELETE FROM stage_results WHERE rowid = ?", (row,))
    db.execute("DELETE FROM unpublished WHERE scope = ?", (scope,))
