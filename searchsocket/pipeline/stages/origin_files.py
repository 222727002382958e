"""Mirror files of a new scope, copied from the scope that it began from instead of being put together again."""

from functools import lru_cache
from pathlib import Path

from searchsocket.errors import UnsafePath
from searchsocket.mirror.document import text_digest, text_of_scope
from searchsocket.mirror.paths import mirror_name
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.stages.file_stamps import file_stamp
from searchsocket.state import ScopeState
from searchsocket.system.files import write_atomic

_BATCH = 200


def copy_origin_files(run: ScopeRun, state: ScopeState) -> int:
    """Write the files of clean pages that have none yet; a page whose file the origin lost, or changed, becomes dirty.

    Returns:
        How many were written.
    """
    origin = state.origin.name()
    if not origin:
        return 0
    source = run.project.mirror_dir / origin
    folder_of = lru_cache(maxsize=1_000)(lambda relative: _folder(run.mirror_dir, relative))
    written = 0
    for batch in state.mirror.unwritten(_BATCH):
        lost: list[int] = []
        stamps: list[tuple[int, str]] = []
        for page_id, url, digest, _ in batch:
            name = mirror_name(url)
            above, _, last = name.rpartition("/")
            path = folder_of(above) / last
            if file_stamp(path):
                continue  # of a run that died: looked at like any other
            if (text := _text(source / name, digest)) is None:
                lost.append(page_id)
                continue
            data = text_of_scope(text, run.scope.name).encode("utf-8")
            write_atomic(path, data, temporary_dir=run.temporary_dir, durable=False)
            stamps.append((page_id, file_stamp(path)))
        state.mirror.set_damaged(lost)
        state.mirror.restamp(stamps)
        written += len(stamps)
    return written


def _text(path: Path, digest: str) -> str | None:
    """What a file of the origin says, where it is what was written."""
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return text if text_digest(text) == digest else None


def _folder(root: Path, relative: str) -> Path:
    """A folder of the mirror.

    Raises:
        UnsafePath: A symbolic link in the mirror leads elsewhere.
    """
    folder = root / relative
    if folder.resolve() != root.resolve() / relative:
        raise UnsafePath(f"{folder} leaves the mirror through a symbolic link; remove the link")
    return folder
