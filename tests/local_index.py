"""Helpers for tests of the local store: its live folder, a new store over it, and its bytes."""

from pathlib import Path

from searchsocket.stores.local.layout import read_manifest, records_file, vectors_file
from searchsocket.stores.local.store import LocalStore


def live(folder: Path) -> Path:
    return folder / (folder / "CURRENT").read_text().splitlines()[0]


def records_of(generation: Path) -> Path:
    """The file of the records that a generation added."""
    return generation / records_file(_newest_pack(generation))


def vectors_of(generation: Path) -> Path:
    """The file of the vectors that a generation added."""
    return generation / vectors_file(_newest_pack(generation))


def _newest_pack(generation: Path) -> str:
    return read_manifest(generation).packs[-1].name


def fresh(root: Path) -> LocalStore:
    return LocalStore(root, "shop")


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every byte below a folder; locks are no data."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
