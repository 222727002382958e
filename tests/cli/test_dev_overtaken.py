"""A builder that goes on while `searchsocket dev` indexes."""

from pathlib import Path

import pytest
from small_site import write_page

from searchsocket.cli.dev import Work
from searchsocket.pipeline.watching.watcher import Watcher
from searchsocket.project.project import open_project
from searchsocket.stores import make_store

pytestmark = pytest.mark.dagster


def live(root: Path) -> str:
    project = open_project(root, {})
    generation = make_store(project.settings.vector, project.state_dir, project.id).generation(project.scope({}))
    return generation.name if generation else ""


def test_a_build_that_is_overtaken_while_it_is_read_is_not_published(
    indexed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The pages may be of two builds, and no gate refuses two pages of five."""
    before = live(indexed)
    work = Work.begin(open_project(indexed, {}), None, 0)
    watcher = Watcher(indexed / ".searchsocket")
    try:
        site_reading = work.read_site(watcher)
        assert site_reading is not None
        write_page(indexed, "about", "About", "Written by people who like trains.")  # once it was looked at
        work.take(site_reading)
        assert live(indexed) == before
        assert "a new build was written during the run" in capsys.readouterr().out
        again = work.read_site(watcher)
        assert again is not None
        work.take(again)
        assert live(indexed) > before
    finally:
        watcher.close()
