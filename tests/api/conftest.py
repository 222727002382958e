"""A served site: a real project, store and application; and ways to ask it."""

from collections.abc import Callable
from typing import Any

import pytest
from api_client import ENVIRON, Api, make_project
from search_site import NOW

from search_api.app import create_app
from searchsocket.models.embedders.hash import HashEmbedder
from searchsocket.project.project import Project


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with two published scopes; tests that change something make their own."""
    return make_project(tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def api(project: Project) -> Api:
    """As the internet sees it: bound to every address, a client from elsewhere. Tests that change it make their own."""
    return Api(create_app(project, environ=ENVIRON, host="0.0.0.0", clock=lambda: NOW))


@pytest.fixture(scope="module")
def local(project: Project) -> Api:
    """As the developer's own machine sees `serve --dev`. Tests that change it make their own."""
    app = create_app(project, environ={}, host="127.0.0.1", dev=True, clock=lambda: NOW)
    return Api(app, client="127.0.0.1", base="http://localhost:8181")


@pytest.fixture
def configured(project: Project) -> Callable[..., Api]:
    """Applications over the same index with other settings of `[api]`."""

    def make(
        *, host: str = "0.0.0.0", environ: dict[str, str] = ENVIRON, token: str = "", dev: bool = False, **changes: Any
    ) -> Api:
        settings = project.settings.model_copy(update={"api": project.settings.api.model_copy(update=changes)})
        changed = Project(project.root, settings, project.id)
        return Api(
            create_app(
                changed, environ=environ, host=host, token=token, dev=dev, clock=lambda: NOW, embedder=HashEmbedder()
            )
        )

    return make
