"""Every surface finds a moved page by its old address."""

from pathlib import Path

import pytest
from search_site import DOCS, MAIN, NOW, Site

from searchsocket.errors import PageNotFound
from searchsocket.project.project import open_project
from searchsocket.serving.service import SearchService, open_service
from searchsocket.stores.local.store import LocalStore


@pytest.fixture
def service(tmp_path: Path) -> SearchService:
    site = Site(LocalStore(tmp_path, "site"))
    site.publish(DOCS, aliases={"/docs/charging": "/docs/battery", "/docs/gone": "/docs/nowhere"})
    project = open_project(tmp_path, {})
    return open_service(project, {}, clock=lambda: NOW, store=site.store, embedder=site.embedder)


def test_pages_near_it_are_found_by_the_old_address(service: SearchService) -> None:
    assert service.related("/docs/charging/", MAIN) == service.related("/docs/battery", MAIN)


def test_a_page_that_is_gone_is_named_as_it_was_asked_for(service: SearchService) -> None:
    with pytest.raises(PageNotFound, match="/docs/gone"):
        service.related("/docs/gone", MAIN)
