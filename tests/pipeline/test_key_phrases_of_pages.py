"""Key phrases lie with the text of a page: made when that changes, and in no record."""

from pathlib import Path

import pytest

from searchsocket.extensions.code.home import code_home
from searchsocket.stores import make_store
from searchsocket.text.key_phrases import phrases_of_page
from tests.extensions.code.code_project import CodeProject
from tests.pipeline.conftest import Site

SAIL = "The rigging holds the main sail. The main sail is hoisted by the rigging. "
TAR = "Oakum and pitch keep the hull tight. Pitch is heated before the hull is caulked. "


def _page(first: str) -> str:
    return f"<h2 id=rig>Above deck</h2><p>{first * 3}</p><h2 id=hull>Below deck</h2><p>{TAR * 3}</p>"


def _phrases(site: Site, url: str) -> tuple[str, ...]:
    project = site.project
    store = make_store(project.settings.vector, project.state_dir, project.id)
    return store.reader(project.scope_named("main")).catalogue.key_phrases(url)


def test_an_edit_that_changes_key_phrases_writes_no_other_record(site: Site) -> None:
    site.write("docs/ship.html", "The ship", _page(SAIL))
    site.index()
    before = _phrases(site, "/docs/ship")
    assert "main sail" in " ".join(before)
    site.write(
        "docs/ship.html", "The ship", _page("A steam engine turns the paddle wheel. The steam engine burns coal. ")
    )
    summary = site.index()
    assert "steam engine" in " ".join(_phrases(site, "/docs/ship"))
    assert _phrases(site, "/docs/ship") != before
    assert summary.embeddings["created"] == 1
    assert summary.records["upserted"] == 1


def test_an_edit_of_code_writes_the_definition_that_changed_alone(tmp_path: Path) -> None:
    """Also where a file's most used names are others by it."""
    code = CodeProject(tmp_path / "code")
    code.index()
    path = code.root / "src/steps.py"
    path.write_text(path.read_text().replace("return value * 0 +", "return step_59(step_59(step_59(value))) +"))
    summary = code.index()
    assert summary.records["upserted"] == 1
    home = code_home(code.project)
    store = make_store(home.settings.vector, home.state_dir, home.id)
    assert store.reader(home.scope_named("main")).catalogue.key_phrases("/src/steps.py")[0] == "step_59"


def test_key_phrases_are_made_when_a_page_is_indexed_and_of_changed_pages_alone(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages_with_phrases: list[str] = []

    def counting(title: str, markdown: str) -> tuple[str, ...]:
        pages_with_phrases.append(title)
        return phrases_of_page(title, markdown)

    monkeypatch.setattr("searchsocket.pipeline.extraction.page_steps.phrases_of_page", counting)
    site.index()
    assert len(pages_with_phrases) == len(site.urls())
    pages_with_phrases.clear()
    site.index()
    assert pages_with_phrases == []
    site.write("docs/faq.html", "FAQ", "<p>Questions about whales are answered by the curator.</p>")
    site.index()
    assert pages_with_phrases == ["FAQ"]
