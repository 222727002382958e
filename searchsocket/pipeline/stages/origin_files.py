"""Mirror files of a new scope, taken from the scope that it started from instead of being made again."""

import os
import secrets
from functools import lru_cache
from pathlib import Path

from searchsocket.content.mirror import mirror_name, text_digest, text_of_scope
from searchsocket.errors import UnsafePath
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.stages.file_stamps import file_stamp
from searchsocket.state import ScopeState
from searchsocket.system.errors import system_error
from searchsocket.system.files import FILE_MODE, TEMPORARY, make_folder, replacing

_BATCH = 200


def copy_origin_files(run: ScopeRun, state: ScopeState) -> int:
    """Write the missing files of clean pages; a page whose file is lost or changed in the origin becomes dirty.

    Returns:
        The number of written files.
    """
    origin = state.origin.name()
    if not origin:
        return 0
    source = run.project.mirror_dir / origin
    folder_of = lru_cache(maxsize=1_000)(lambda relative: _folder(run.mirror_dir, relative))
    _make(run.temporary_dir)
    shares = run.project.settings.state.shared_mirror
    written = 0
    for batch in state.mirror.unwritten(_BATCH):
        lost: list[int] = []
        stamps: list[tuple[int, str]] = []
        for page_id, url, digest, _ in batch:
            name = mirror_name(url)
            above, _, last = name.rpartition("/")
            path = folder_of(above) / last
            if shares and _link(source / name, path, run.temporary_dir, digest):
                stamps.append((page_id, file_stamp(path)))
                continue
            if (text := _text(source / name, digest)) is None:
                lost.append(page_id)
                continue
            data = text_of_scope(text, run.scope.name).encode("utf-8")
            _write(path, data, run.temporary_dir)
            stamps.append((page_id, file_stamp(path)))
        state.mirror.set_damaged(lost)
        state.mirror.restamp(stamps)
        written += len(stamps)
    return written


def link_origin_file(run: ScopeRun, state: ScopeState, path: Path, digest: str) -> bool:
    """Share the file of a page with the origin, if the scopes share files and the origin has the same one.

    Args:
        path: In the folder of this scope.
    """
    origin = state.origin.name()
    if not origin or not run.project.settings.state.shared_mirror:
        return False
    _make(path.parent)
    _make(run.temporary_dir)
    source = run.project.mirror_dir / origin / path.relative_to(run.mirror_dir)
    return _link(source, path, run.temporary_dir, digest)


def _link(source: Path, path: Path, temporary_dir: Path, digest: str) -> bool:
    """Replace a file by a hard link, if it is possible and the source is unchanged.

    No run writes into an existing file, so linked files change only if somebody edits one; then each scope repairs its
    own.
    """
    temporary = temporary_dir / f"{TEMPORARY}{secrets.token_hex(6)}"
    try:
        os.link(source, temporary)
        if temporary.is_symlink() or _text(temporary, digest) is None:
            return False
        os.replace(temporary, path)
    except OSError:  # no such file, no hard links, too many of them, or another file system
        return False
    finally:
        temporary.unlink(missing_ok=True)  # `replace` leaves it if both are the same file
    return True


def _write(path: Path, data: bytes, temporary_dir: Path) -> None:
    """`write_atomic` without creating the folder: checking it for every file would take a third of the time."""
    try:
        with replacing(path, temporary_dir, durable=False) as file:
            os.fchmod(file.fileno(), FILE_MODE)
            file.write(data)
    except OSError as error:
        raise system_error("cannot write", path, error) from error


def _text(path: Path, digest: str) -> str | None:
    """The text of a file of the origin, if it is unchanged."""
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return text if text_digest(text) == digest else None


def _folder(root: Path, relative: str) -> Path:
    """Make a folder of the mirror and return its path.

    Raises:
        UnsafePath: A symbolic link in the mirror leads elsewhere.
    """
    folder = root / relative
    if folder.resolve() != root.resolve() / relative:
        raise UnsafePath(f"{folder} leaves the mirror through a symbolic link; remove the link")
    _make(folder)
    return folder


def _make(folder: Path) -> None:
    try:
        make_folder(folder)
    except OSError as error:
        raise system_error("cannot write", folder, error) from error
