"""`searchsocket static`: search in a built site with one command, and the files as before without it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from small_site import PAGES, write_page, write_site

from searchsocket.cli.main import cli
from searchsocket.extensions.export.files import ENTRY

TAG = 'searchsocket/page-search.js"></script></head>'
RunStatic = Callable[..., Result]


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """Built pages alone, as on a machine that knows nothing of the site's sources."""
    write_site(tmp_path / "project")
    shutil.move(tmp_path / "project" / "build", tmp_path / "site")
    shutil.rmtree(tmp_path / "project")
    (tmp_path / "site" / "404.html").write_text("<html><head><title>Not found</title></head><h1>Not found</h1></html>")
    return tmp_path / "site"


@pytest.fixture
def static(build: Path) -> RunStatic:
    def run(*arguments: str, folder: Path = build) -> Result:
        return CliRunner().invoke(cli, ["static", str(folder), *arguments])

    return run


def files(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def entry(build: Path) -> dict[str, str]:
    report: dict[str, str] = json.loads((build / "searchsocket" / ENTRY).read_text())
    return report


def test_every_page_has_the_search_and_the_folder_has_the_index(static: RunStatic, build: Path) -> None:
    result = static()
    assert result.exit_code == 0, result.output
    assert "indexed  5 pages; left out: 404.html (error page)" in result.output
    assert "search   added to 6 pages" in result.output
    assert all(TAG in path.read_text() for path in build.rglob("*.html"))
    assert '"../../searchsocket/page-search.js"' in (build / "docs/tides/index.html").read_text()
    assert entry(build)["root"] == "../"
    assert {"components.js", "page-search.js", entry(build)["head"]} <= {
        path.name for path in (build / "searchsocket").iterdir()
    }


def test_the_deployed_folder_has_nothing_but_pages_and_the_export(static: RunStatic, build: Path) -> None:
    before = set(files(build))
    static()
    assert {name.split("/")[0] for name in set(files(build)) - before} == {"searchsocket"}


def test_a_second_run_changes_no_byte(static: RunStatic, build: Path) -> None:
    static()
    before = files(build)
    result = static()
    assert "search   added to 0 pages; 6 had it" in result.output
    assert files(build) == before


def test_a_new_build_of_the_same_pages_gives_the_same_files(static: RunStatic, build: Path, tmp_path: Path) -> None:
    """A generator empties its folder first, and hosts upload what changed."""
    shutil.copytree(build, tmp_path / "built")
    static()
    before = files(build)
    shutil.rmtree(build)
    shutil.copytree(tmp_path / "built", build)
    static()
    assert files(build) == before


def test_a_changed_page_is_indexed_again(static: RunStatic, build: Path) -> None:
    static()
    before = entry(build)["head"]
    write_page(build.parent, "about", "About", "Nobody wrote this.")
    shutil.move(build.parent / "build" / "about" / "index.html", build / "about" / "index.html")
    static()
    assert TAG in (build / "about" / "index.html").read_text()
    assert entry(build)["head"] != before
    changed = files(build)
    static()
    assert files(build) == changed  # files of the index before stay for open pages


def test_undo_gives_the_files_as_before(static: RunStatic, build: Path) -> None:
    before = files(build)
    static("--answers", "https://s.example/api/answer/")
    tag = 'src="searchsocket/page-search.js" data-answers="https://s.example/api/answer"></script></head>'
    assert tag in (build / "index.html").read_text()
    assert "removed the search from 6 pages" in static("--undo").output
    assert files(build) == before
    assert "Nothing to undo" in static("--undo").output


def test_undo_keeps_files_of_others_in_the_folder(static: RunStatic, build: Path) -> None:
    (build / "searchsocket").mkdir()
    (build / "searchsocket" / "notes.txt").write_text("mine")
    static()
    static("--undo")
    assert [path.name for path in (build / "searchsocket").iterdir()] == ["notes.txt"]


def test_pages_stay_the_same_without_injection(static: RunStatic, build: Path) -> None:
    before = files(build)
    result = static("--no-inject")
    assert "search" not in [line.split()[0] for line in result.output.splitlines()]
    assert {name: data for name, data in files(build).items() if not name.startswith("searchsocket/")} == before


def test_the_base_path_is_not_in_the_addresses_of_the_index(static: RunStatic, build: Path) -> None:
    """The browser adds the path where it finds the site, which differs on a preview."""
    (build / "style.css").write_text("")
    for path in build.rglob("*.html"):
        path.write_text(path.read_text().replace("<head>", '<head><link rel=stylesheet href="/harbour/style.css">'))
    static()
    assert (entry(build)["base"], entry(build)["root"]) == ("/harbour", "../")
    assert 'src="/harbour/searchsocket/page-search.js"' in (build / "404.html").read_text()


def test_the_outcome_as_json(static: RunStatic) -> None:
    report = json.loads(static("--json").stdout)
    assert report["pages"] == {"changed": 6, "unchanged": 0, "oldCopies": []}
    assert (report["index"]["pages"]["indexed"], report["export"]["pages"]) == (5, 5)


def test_settings_of_the_project_count_and_its_index_stays(tmp_path: Path, static: RunStatic) -> None:
    root = write_site(tmp_path / "harbour")
    (root / ".git").mkdir()
    (root / "searchsocket.toml").write_text('[source]\nexclude = ["/about"]\n')
    result = static(folder=root / "build")
    assert "indexed  4 pages" in result.output
    assert not (root / ".searchsocket" / "index").exists()


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("gone", "gone does not exist; build the site first, or name the folder with its pages"),
        ("empty", "empty contains no HTML; build the site first, or name the folder with its pages"),
        ("sources", "sources contains the sources of a site, not its pages; run `searchsocket static"),
        ("project", "project contains the sources of a site, not its pages; run `searchsocket static"),
    ],
)
def test_a_wrong_folder_is_named_with_the_fix(static: RunStatic, tmp_path: Path, folder: str, message: str) -> None:
    (tmp_path / "empty").mkdir()
    write_site(tmp_path / "sources")
    (tmp_path / "sources" / "svelte.config.js").write_text("export default {};")
    write_site(tmp_path / "project")
    (tmp_path / "project" / "package.json").write_text("{}")
    result = static(folder=tmp_path / folder)
    assert result.exit_code == 3
    assert message in result.stderr
    if folder in ("sources", "project"):
        assert f"static {tmp_path / folder / 'build'}`" in result.stderr


def test_pages_get_no_tag_if_they_cannot_be_indexed(static: RunStatic, build: Path) -> None:
    """A tag without the export would ask for files that do not exist."""
    for url in PAGES:
        (build / url / "index.html").write_text("<html><head><meta name=robots content=noindex></head><p>x</html>")
    before = files(build)
    result = static()
    assert result.exit_code != 0
    assert files(build) == before
