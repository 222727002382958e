"""Trees of source files to walk."""

from pathlib import Path
from typing import Any

from searchsocket.extensions.code.parsing.selection import glob_filter
from searchsocket.extensions.code.sources.files import CommitSource, WorkingTreeSource

EVERYTHING = glob_filter((), ())
MAX_BYTES = 1_000_000


def grow(root: Path, files: dict[str, str | bytes]) -> Path:
    """Write files below `root`."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def names(source: WorkingTreeSource | CommitSource) -> list[str]:
    """The files that a source lists."""
    return [page.locator for page in source.pages()]


def working_tree(root: Path, **options: Any) -> WorkingTreeSource:
    return WorkingTreeSource(root, **{"filter_": EVERYTHING, "max_file_bytes": MAX_BYTES, **options})
