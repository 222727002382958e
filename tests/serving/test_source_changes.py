"""Answers report source files that changed after they were indexed (spec 14.1)."""

import os
import shutil
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from content_project import content_project

from searchsocket.cli.main import cli
from searchsocket.project.project import open_project
from searchsocket.search.answering.answer import AskQuery
from searchsocket.search.content.answer import ContentQuery
from searchsocket.search.content.document import DocumentQuery
from searchsocket.search.query import SearchQuery
from searchsocket.serving.answers import to_json
from searchsocket.serving.content import ContentService, open_content
from searchsocket.serving.service import SourceChanges, open_service
from searchsocket.state.source_files import FILE, SourceFile, SourceFiles
from searchsocket.types import Scope

TEXT, EDITED = "# Page", "# Page, edited"


def written(root: Path, name: str, text: str = TEXT) -> Path:
    file = root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def indexed(root: Path, *names: str) -> SourceChanges:
    """The changes since these files were indexed, as long before they were written."""
    files = SourceFiles(root)
    states = {name: SourceFile.read(str(root / name), time.time_ns() + 10**10) for name in names}
    files.put("main", {name: state for name, state in states.items() if state})
    return SourceChanges(str(root), files)


def test_other_bytes_are_a_change_and_other_times_are_none(tmp_path: Path) -> None:
    """A clone, a checkout, `cp -r` and `touch` write the same bytes at another time."""
    file = written(tmp_path, "a.md")
    changes = indexed(tmp_path, "a.md")
    assert changes.changed("a.md", "main") is False
    os.utime(file, (10**9, 10**9))
    assert changes.changed("a.md", "main") is False
    written(tmp_path, "a.md", EDITED)
    assert changes.changed("a.md", "main") is True
    written(tmp_path, "a.md")
    assert changes.changed("a.md", "main") is False
    assert changes.changed("a.md", "preview") is None


def test_an_edit_of_the_same_size_in_the_same_moment_is_a_change(tmp_path: Path) -> None:
    """A file that was written just before it was indexed is always read."""
    file = written(tmp_path, "a.md", "one")
    info = file.stat()
    SourceFiles(tmp_path).put("main", {"a.md": state} if (state := SourceFile.read(str(file), time.time_ns())) else {})
    file.write_text("two")
    os.utime(file, ns=(info.st_atime_ns, info.st_mtime_ns))
    assert SourceChanges(str(tmp_path), SourceFiles(tmp_path)).changed("a.md", "main") is True


@pytest.mark.parametrize("name", ["", "gone.md", "../outside.md", "/etc/hostname", "a\0b", "link.md", "folder"])
def test_a_file_outside_the_project_is_unknown(tmp_path: Path, name: str) -> None:
    """An index of somebody else's may name any path."""
    outside = written(tmp_path, "outside.md")
    root = tmp_path / "project"
    (root / "folder").mkdir(parents=True)
    (root / "link.md").symlink_to(outside)
    files = SourceFiles(root)
    files.put("main", {name: SourceFile(1, 1, b"x")})
    assert SourceChanges(str(root), files).changed(name, "main") is None


def test_files_of_a_commit_and_without_a_record_are_unknown(tmp_path: Path) -> None:
    written(tmp_path, "a.md")
    assert SourceChanges("", SourceFiles(tmp_path)).changed("a.md", "main") is None
    assert SourceChanges(str(tmp_path), SourceFiles(tmp_path)).changed("a.md", "main") is None
    (tmp_path / FILE).write_text("damaged")
    assert SourceChanges(str(tmp_path), SourceFiles(tmp_path)).changed("a.md", "main") is None


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built site with a route file for each of two pages."""
    root = tmp_path_factory.mktemp("routes")
    (root / "svelte.config.js").write_text("export default { kit: {} };\n")
    (root / "package.json").write_text('{"name": "notes", "devDependencies": {"@sveltejs/kit": "2.0.0"}}')
    for page in ("guide/configuration", "guide/installation"):
        written(root, f"src/routes/{page}/+page.svelte")
    content_project(root)
    state_dir = open_project(root, {}).state_dir
    names = [f"src/routes/{page}/+page.svelte" for page in ("guide/configuration", "guide/installation")]
    states = {name: SourceFile.read(str(root / name), time.time_ns()) for name in names}
    SourceFiles(state_dir).put("main", {name: state for name, state in states.items() if state})
    return root


def services(root: Path) -> tuple[ContentService, Scope]:
    project = open_project(root, {})
    return open_content(project, {}, open_service(project, {})), project.scope_named("main")


@pytest.mark.parametrize("changed", [False, True])
def test_every_answer_about_a_page_says_it_to_the_trusted(root: Path, changed: bool) -> None:
    file = root / "src/routes/guide/installation/+page.svelte"
    file.write_text(EDITED if changed else TEXT)
    os.utime(file, (0, 0))
    content, scope = services(root)
    answer = content.service.search(SearchQuery("installation", sources=True), scope)
    [hit] = [result for result in answer.results if result.url == "/guide/installation"]
    assert hit.source
    assert hit.source.file == "src/routes/guide/installation/+page.svelte"
    assert hit.changed_since is changed
    expected_text = f'"changedSince":{str(changed).lower()}'
    assert expected_text in to_json(answer, sources=True).decode()
    assert expected_text not in to_json(answer, sources=False).decode()
    page = content.service.page("/guide/installation", scope).answer()
    assert page.changed_since is changed
    assert expected_text in to_json(page, sources=True).decode()
    assert expected_text not in to_json(page, sources=False).decode()
    passages = content.search_content("site", ContentQuery(exact_terms=("daemon",)), trusted=True).data.results
    assert {passage.source.changed_since for passage in passages if passage.file_path == "guide/installation.md"} == {
        changed
    }
    data = content.get_document_data("site", DocumentQuery("guide/installation.md"), trusted=True).data
    assert data.source.changed_since is changed
    cited = content.ask(AskQuery("How do I install the package with npm?"), None, trusted=True).passages[0]
    assert (cited.url, cited.changed_since) == ("/guide/installation", changed)
    question = ["ask", "How do I install the package with npm?", "--limit", "1", "--project", str(root)]
    for command in (question, ["search", "installation", "--project", str(root)]):
        printed = CliRunner().invoke(cli, command).stdout
        assert ("changed since it was indexed" in printed) is changed


def marks(root: Path) -> dict[str, bool | None]:
    """Each page of the site with its mark."""
    content, scope = services(root)
    results = content.service.search(SearchQuery("tern flight", 20, sources=True), scope).results
    return {result.url: result.changed_since for result in results}


def index(root: Path) -> None:
    result = CliRunner().invoke(cli, ["index", "--project", str(root), "--quiet"])
    assert result.exit_code == 0, result.output


def test_only_an_edit_marks_a_page_and_the_next_run_clears_it(tmp_path: Path) -> None:
    """Content files, from the first run to an edit that changes no text."""
    toml = '[project]\nid = "a"\n[source]\nmode = "content-files"\n[source.content_files]\nglobs = ["content/*.md"]\n'
    (tmp_path / "searchsocket.toml").write_text(toml)
    file = written(tmp_path, "content/tern.md", "# Tern\n\nThe flight of the tern.\n")
    written(tmp_path, "content/auk.md", "# Auk\n\nThe flight of the auk and the tern.\n")
    index(tmp_path)
    assert marks(tmp_path) == {"/tern": False, "/auk": False}
    os.utime(file, (10**9, 10**9))
    assert marks(tmp_path) == {"/tern": False, "/auk": False}
    file.write_text("# Tern\n\n\n\nThe flight of the tern.\n")  # the same page
    assert marks(tmp_path) == {"/tern": True, "/auk": False}
    index(tmp_path)
    assert marks(tmp_path) == {"/tern": False, "/auk": False}
    shutil.copytree(tmp_path, tmp_path / "copy", copy_function=shutil.copyfile)
    assert marks(tmp_path / "copy") == {"/tern": False, "/auk": False}


def test_a_route_file_that_was_edited_stays_marked_until_the_site_is_built(tmp_path: Path) -> None:
    (tmp_path / "svelte.config.js").write_text("export default { kit: {} };\n")
    (tmp_path / "package.json").write_text('{"name": "notes", "devDependencies": {"@sveltejs/kit": "2.0.0"}}')
    route = written(tmp_path, "src/routes/tern/+page.svelte", "<h1>Tern</h1>")
    html = "<main><h1>Tern</h1><p>The flight of the tern over the sea.</p></main>"
    page = written(tmp_path, "build/tern.html", html)
    for file in (route, page):
        os.utime(file, (10**9, 10**9))
    index(tmp_path)
    assert marks(tmp_path) == {"/tern": False}
    route.write_text("<h1>Tern</h1><!-- edited -->")
    index(tmp_path)
    assert marks(tmp_path) == {"/tern": True}
    page.write_text(html)  # the build wrote the same page
    index(tmp_path)
    assert marks(tmp_path) == {"/tern": False}
