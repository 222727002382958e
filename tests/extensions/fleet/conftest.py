"""Both machines of a test, over a folder that a web server could give out."""

from pathlib import Path

import pytest

from searchsocket.extensions.fleet.objects import open_objects
from searchsocket.extensions.fleet.objects.base import Objects
from searchsocket.project.project import Project
from tests.agents.agent_project import make_agent_project
from tests.extensions.fleet.machines import Indexer, Reader


@pytest.fixture
def objects(tmp_path: Path) -> Objects:
    return open_objects((tmp_path / "objects").as_uri())


@pytest.fixture
def indexer(tmp_path: Path, objects: Objects) -> Indexer:
    return Indexer(tmp_path / "indexer", objects)


@pytest.fixture
def reader(tmp_path: Path, objects: Objects) -> Reader:
    return Reader(tmp_path / "reader", objects)


@pytest.fixture(scope="session")
def agent_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """An indexed project for all that agents ask; tests that change something make their own."""
    return make_agent_project(tmp_path_factory.mktemp("agents") / "robot")
