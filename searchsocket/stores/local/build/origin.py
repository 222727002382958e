"""The generation of another scope, of whose files the first one of a new scope is made."""

from pathlib import Path

from searchsocket.stores.local.layout import MANIFEST, read_manifest
from searchsocket.system.copying import link_file

# What stays of it, by the names that it has there and here.
COPIED_TABLE = """
CREATE TABLE IF NOT EXISTS taken (id TEXT PRIMARY KEY, new_id TEXT NOT NULL, new_hash TEXT NOT NULL) WITHOUT ROWID;
"""


def link_generation(source: Path, target: Path) -> None:
    """Have a generation in a second place, so that it stays when the first one goes.

    Raises:
        FileNotFoundError: It went meanwhile.
        IndexCorrupt: Its manifest is damaged.
    """
    target.mkdir()
    for name in [*read_manifest(source).files, MANIFEST]:
        path = target / name
        path.parent.mkdir(exist_ok=True)
        link_file(source / name, path)
