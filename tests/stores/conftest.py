"""A published index on disk, for the tests that harm it."""

from pathlib import Path

import pytest
from contract.store.samples import fill, random_units, record

from searchsocket.stores.local import LocalStore


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def folder(root: Path) -> Path:
    """The scope's folder, with a published generation of three records."""
    fill(LocalStore(root, "shop"), [record(name, f"/{name}", f"zebra {name}") for name in "abc"], random_units(3))
    return root / "main"
