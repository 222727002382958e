"""What the tests of the local store share: its live folder, a new store over it, and its bytes."""

from pathlib import Path

from searchsocket.stores.local import LocalStore


def live(folder: Path) -> Path:
    return folder / (folder / "CURRENT").read_text().splitlines()[0]


def fresh(root: Path) -> LocalStore:
    return LocalStore(root, "shop")


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every byte below a folder; locks are no data."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
