"""Whether the source file of a page changed after it was indexed, in every answer about pages (spec 14.1)."""

import os
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from content_project import content_project

from searchsocket.cli.main import cli
from searchsocket.search.answering.answer import AskQuery
from searchsocket.search.content.document import DocumentQuery
from searchsocket.search.content.query import ContentQuery
from searchsocket.search.query import SearchQuery
from searchsocket.serving.answers import to_json
from searchsocket.serving.content import ContentService, open_content
from searchsocket.serving.service import SourceChanges, open_service
from searchsocket.types import Scope

PUBLISHED = "2026-01-01T12:00:00Z"
MOMENT = datetime.fromisoformat(PUBLISHED).timestamp()


def written(root: Path, name: str, at: float) -> None:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("# Page")
    os.utime(file, (at, at))


@pytest.mark.parametrize(("at", "changed"), [(MOMENT - 1, False), (MOMENT + 1, True)])
def test_a_file_written_later_is_changed(tmp_path: Path, at: float, changed: bool) -> None:
    written(tmp_path, "src/routes/+page.md", at)
    assert SourceChanges(str(tmp_path)).changed("src/routes/+page.md", PUBLISHED) is changed


@pytest.mark.parametrize("name", ["", "gone.md", "../outside.md", "/etc/hostname", "a\0b"])
def test_what_is_no_file_of_the_project_is_unknown(tmp_path: Path, name: str) -> None:
    """An index of somebody else's may name any path."""
    written(tmp_path, "outside.md", MOMENT + 1)
    (tmp_path / "project").mkdir()
    assert SourceChanges(str(tmp_path / "project")).changed(name, PUBLISHED) is None


def test_files_of_a_commit_and_generations_without_a_time_are_unknown(tmp_path: Path) -> None:
    written(tmp_path, "a.md", MOMENT)
    assert SourceChanges("").changed("a.md", PUBLISHED) is None
    assert SourceChanges(str(tmp_path)).changed("a.md", "") is None


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built site with a route file for each of two pages."""
    root = tmp_path_factory.mktemp("routes")
    (root / "svelte.config.js").write_text("export default { kit: {} };\n")
    (root / "package.json").write_text('{"name": "notes", "devDependencies": {"@sveltejs/kit": "2.0.0"}}')
    for page in ("guide/configuration", "guide/installation"):
        written(root, f"src/routes/{page}/+page.svelte", MOMENT - 10**8)
    content_project(root)
    return root


def services(root: Path) -> tuple[ContentService, Scope]:
    from searchsocket.project.project import open_project

    project = open_project(root, {})
    return open_content(project, {}, open_service(project, {})), project.scope_named("main")


@pytest.mark.parametrize("changed", [False, True])
def test_every_answer_about_a_page_says_it_to_the_trusted(root: Path, changed: bool) -> None:
    file = root / "src/routes/guide/installation/+page.svelte"
    os.utime(file, (MOMENT + 10**8, MOMENT + 10**8) if changed else (0, 0))
    content, scope = services(root)
    answer = content.service.search(SearchQuery("installation", sources=True), scope)
    [hit] = [one for one in answer.results if one.url == "/guide/installation"]
    assert hit.source
    assert hit.source.file == "src/routes/guide/installation/+page.svelte"
    assert hit.changed_since is changed
    told = f'"changedSince":{str(changed).lower()}'
    assert told in to_json(answer, sources=True).decode()
    assert told not in to_json(answer, sources=False).decode()
    page = content.service.page("/guide/installation", scope).answer()
    assert page.changed_since is changed
    assert told in to_json(page, sources=True).decode()
    assert told not in to_json(page, sources=False).decode()
    passages = content.search_content("site", ContentQuery(exact_terms=("daemon",)), trusted=True).data.results
    assert {one.source.changed_since for one in passages if one.file_path == "guide/installation.md"} == {changed}
    data = content.get_document_data("site", DocumentQuery("guide/installation.md"), trusted=True).data
    assert data.source.changed_since is changed
    cited = content.ask(AskQuery("How do I install the package with npm?"), None, trusted=True).passages[0]
    assert (cited.url, cited.changed_since) == ("/guide/installation", changed)
    question = ["ask", "How do I install the package with npm?", "--limit", "1", "--project", str(root)]
    for command in (question, ["search", "installation", "--project", str(root)]):
        printed = CliRunner().invoke(cli, command).stdout
        assert ("changed since it was indexed" in printed) is changed
