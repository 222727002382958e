"""Find and free disk space that dead processes and databases no longer need."""

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from searchsocket.system.files import bytes_below

_PREFIX = "searchsocket-"  # of temporary folders outside the state
_DEAD_AFTER_S = 2 * 86_400.0
_LEAST_BYTES, _LEAST_SHARE = 4_000_000, 0.2  # minimum unused part of a database
_PATIENCE_S = 2.0  # timeout for a database in use


@dataclass(frozen=True, slots=True)
class Freed:
    """Space freed by one step."""

    what: str
    where: str
    bytes: int
    note: str = ""  # why nothing was done


def tidy_temporary(folder: Path | None = None, now: float | None = None) -> Iterator[Freed]:
    """Delete temporary folders of processes that died days ago; folders of other users are kept.

    Args:
        folder: The parent folder; None = that of the system.
        now: Seconds since the epoch.
    """
    oldest = (time.time() if now is None else now) - _DEAD_AFTER_S
    for path in sorted((folder or Path(tempfile.gettempdir())).glob(f"{_PREFIX}*")):
        with suppress(OSError):
            if path.is_symlink() or not path.is_dir() or path.stat().st_mtime > oldest:
                continue
            size = bytes_below(path)
            shutil.rmtree(path)
            yield Freed("temporary folder", str(path), size)


def compact(path: Path) -> Iterator[Freed]:
    """Compact a database with much unused space; a database in use is left alone."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=_PATIENCE_S)) as db:
            size, unused, pages = (
                int(db.execute(f"PRAGMA {name}").fetchone()[0])
                for name in ("page_size", "freelist_count", "page_count")
            )
            if unused * size < _LEAST_BYTES or unused < _LEAST_SHARE * pages:
                return
            db.execute("VACUUM")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            pages_after = int(db.execute("PRAGMA page_count").fetchone()[0])
            yield Freed("unused space", path.name, (pages - pages_after) * size)
    except sqlite3.Error as error:
        yield Freed("unused space", path.name, 0, str(error))
