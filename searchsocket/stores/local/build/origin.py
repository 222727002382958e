"""The generation of another scope whose files the first generation of a new scope reuses."""

from pathlib import Path

from searchsocket.stores.local.layout import MANIFEST, read_manifest
from searchsocket.system.copying import link_file

# The reused records, with their ids in both scopes.
COPIED_TABLE = """
CREATE TABLE IF NOT EXISTS taken (id TEXT PRIMARY KEY, new_id TEXT NOT NULL) WITHOUT ROWID;
"""


def link_generation(source: Path, target: Path) -> None:
    """Link the files of a generation into a second folder, so that they stay when the first one is deleted.

    Raises:
        FileNotFoundError: The generation was removed.
        IndexCorrupt: Its manifest is damaged.
    """
    target.mkdir()
    for name in [*read_manifest(source).files, MANIFEST]:
        path = target / name
        path.parent.mkdir(exist_ok=True)
        link_file(source / name, path)
