"""A published index on disk, for the tests that harm it."""

import shutil
from pathlib import Path

import pytest

from searchsocket.stores.local.store import LocalStore
from searchsocket.testing.store.samples import fill, random_units, record


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture(scope="session")
def _published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index with a generation of three records."""
    root = tmp_path_factory.mktemp("published") / "index"
    fill(LocalStore(root, "shop"), [record(name, f"/{name}", f"zebra {name}") for name in "abc"], random_units(3))
    return root


@pytest.fixture
def folder(root: Path, _published: Path) -> Path:
    """The scope's folder, with a published generation of three records."""
    return shutil.copytree(_published, root) / "main"


@pytest.fixture(scope="session")
def _published_twice(tmp_path_factory: pytest.TempPathFactory, _published: Path) -> Path:
    root = shutil.copytree(_published, tmp_path_factory.mktemp("twice") / "index")
    fill(LocalStore(root, "shop"), [record("d")])
    return root


@pytest.fixture
def folder_of_two(root: Path, _published_twice: Path) -> Path:
    """A folder with a second generation, of four records."""
    return shutil.copytree(_published_twice, root) / "main"
