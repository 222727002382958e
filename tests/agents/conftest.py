"""One indexed project for all that agents ask; tests that change something make their own."""

from typing import Any

import pytest

from searchsocket.project.project import Project
from tests.agents.agent_project import make_agent_project, server_of


@pytest.fixture(scope="session")
def agent_project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return make_agent_project(tmp_path_factory.mktemp("agents") / "robot")


@pytest.fixture(scope="session")
def agent_server(agent_project: Project) -> Any:
    return server_of(agent_project)
