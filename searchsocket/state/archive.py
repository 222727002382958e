"""The state of one scope as one compressed file, for another machine that continues from the same generation."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from searchsocket.errors import StateUnavailable
from searchsocket.state.file import look_into
from searchsocket.state.history import GOLDEN_RESULT, HAS_GOLDEN
from searchsocket.state.project import forget_rows
from searchsocket.state.schema import SCHEMA_VERSION, has_own_schema
from searchsocket.system.compressed import FRAME_OPTIONS, zstd
from searchsocket.system.errors import system_error

_BLOCK_BYTES = 1 << 20
# Removes the data of one machine: times and inodes of its files, its embedding cache, and the reports of its runs.
_OF_ONE_MACHINE = (
    "UPDATE pages SET stamp = '', mirror_stamp = ''",
    "UPDATE scopes SET cache_size = 0, swept = 0",
    f"DELETE FROM stage_results WHERE NOT {HAS_GOLDEN}",
    f"UPDATE stage_results SET result = {GOLDEN_RESULT}",
)


def archive(state: Path, scope: str, target: Path) -> None:
    """Write the state of one scope to `target`.

    Raises:
        StateUnavailable: The state cannot be read, or the file cannot be written.
    """
    copy = target.with_suffix(".copy")
    try:
        with closing(look_into(state)) as source, closing(sqlite3.connect(copy, isolation_level=None)) as db:
            source.backup(db)
            db.execute("PRAGMA journal_mode = OFF")
            db.execute("PRAGMA foreign_keys = ON")
            for (other_scope,) in db.execute("SELECT scope FROM scopes WHERE scope != ?", (scope,)).fetchall():
                forget_rows(db, other_scope)
            for statement in _OF_ONE_MACHINE:
                db.execute(statement)
            db.execute("VACUUM")
        packer = zstd.ZstdCompressor(options=FRAME_OPTIONS)
        with open(copy, "rb") as source_file, open(target, "wb") as file:
            while block := source_file.read(_BLOCK_BYTES):
                file.write(packer.compress(block))
            file.write(packer.flush())
    except (OSError, sqlite3.Error) as error:
        raise StateUnavailable(f"cannot copy the state in {state}: {error}") from error
    finally:
        copy.unlink(missing_ok=True)


def restore(packed: Path, scope: str, state: Path, max_bytes: int) -> bool:
    """Restore the state of a scope if there is no state yet; return False if a state exists or the file is unusable.

    Args:
        packed: The file of `archive`, from another machine, so it is not trusted.
        max_bytes: Limit of the unpacked state.

    Raises:
        StateUnavailable: The folder cannot be written.
    """
    unpacked = packed.with_suffix(".copy")
    try:
        if state.exists() or not _unpack(packed, unpacked, max_bytes) or not _is_sound(unpacked, scope):
            return False
        _put(unpacked, state)
    except FileExistsError:
        return False
    except OSError as error:
        raise system_error("cannot write", state, error) from error
    finally:
        unpacked.unlink(missing_ok=True)
    return True


def _put(unpacked: Path, state: Path) -> None:
    """Move the file to its name, unless another run has created a state in the meantime."""
    try:
        os.link(unpacked, state)  # unlike a rename, it replaces nothing
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        unpacked.replace(state)


def _unpack(packed: Path, target: Path, max_bytes: int) -> bool:
    unpacker = zstd.ZstdDecompressor()
    size = 0
    try:
        with open(packed, "rb") as source, open(target, "wb") as file:
            while not unpacker.eof:
                data = source.read(_BLOCK_BYTES) if unpacker.needs_input else b""
                if unpacker.needs_input and not data:
                    return False
                block = unpacker.decompress(data, max_length=_BLOCK_BYTES)
                size += len(block)
                if size > max_bytes:
                    return False
                file.write(block)
    except zstd.ZstdError:
        return False
    return True


def _is_sound(path: Path, scope: str) -> bool:
    """Return True if a file is a state with our tables and only this scope."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as db:
            db.execute("PRAGMA trusted_schema = OFF")
            return (
                has_own_schema(db)
                and db.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
                and db.execute("SELECT scope FROM scopes").fetchmany(2) == [(scope,)]
                and db.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
            )
    except (sqlite3.Error, UnicodeDecodeError):
        return False
