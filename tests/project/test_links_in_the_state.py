"""A state folder that a checkout brings: nothing in it leads a write or a deletion elsewhere."""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from searchsocket.cli.main import cli
from searchsocket.cli.recent_searches import note_search, read_recent_searches
from searchsocket.errors import StateUnavailable, UnsafePath
from searchsocket.extensions.code.chunk_ids import ChunkIds
from searchsocket.extensions.demand.log import DemandLog
from searchsocket.extensions.demand.tally import DemandCounts, DemandRow
from searchsocket.pipeline.run.index import index_scope
from searchsocket.pipeline.run.upgrade import indexed_scopes, upgrade_scope
from tests.pipeline.conftest import Site

PLACES = ("tmp", "pages", "index", "runs", "crawl", "llms", ".locks", "state.db", "sources.db")
BELOW = ("tmp/main", "pages/main", "index/main", "index/.locks", ".locks/main.lock", "index/.locks/main.lock")


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path / "site")


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A folder of somebody else, with a folder of the scope's name."""
    folder = tmp_path / "victim"
    for name in ("main/letter.txt", "main/main/letter.txt", "index.md", "main.lock"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("Dear reader,\n")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("place", [*PLACES, *BELOW])
def test_a_run_refuses_a_link_and_leaves_what_it_leads_to(site: Site, victim: Path, place: str) -> None:
    """A run empties `tmp/SCOPE`, for example, and a link can name a folder that has one of that name."""
    link = site.project.state_dir / place
    link.parent.mkdir(parents=True)
    link.symlink_to(victim / "main.lock" if place.endswith((".lock", ".db")) else victim)
    before = contents(victim)
    with pytest.raises(StateUnavailable, match=f"{link.name} is a link"):
        index_scope(site.run())
    assert contents(victim) == before


def test_a_state_folder_that_is_a_link_is_refused(site: Site, victim: Path) -> None:
    """Also by the command that deletes what is in it."""
    site.project.state_dir.symlink_to(victim)
    before = contents(victim)
    with pytest.raises(StateUnavailable, match=r"\.searchsocket is a link"):
        index_scope(site.run())
    result = CliRunner().invoke(cli, ["clean", "--all", "--yes", "--project", str(site.project.root)])
    assert result.exit_code != 0
    assert "is a link" in result.stderr
    assert contents(victim) == before


@pytest.mark.parametrize("place", ["pages/main/docs", "index/main/.staging", "index/main/CURRENT"])
def test_a_link_below_a_scope_is_replaced_or_refused(site: Site, victim: Path, place: str) -> None:
    site.index()
    link = site.project.state_dir / place
    if link.is_dir():
        for path in link.iterdir():
            path.unlink()
        link.rmdir()
    link.unlink(missing_ok=True)
    link.symlink_to(victim / "index.md" if link.name == "CURRENT" else victim)
    before = contents(victim)
    site.write("docs/new.html", "New", "<p>New text.</p>")
    with suppress(UnsafePath, StateUnavailable):
        site.index()
    assert contents(victim) == before


def test_the_last_searches_replace_a_link(tmp_path: Path, victim: Path) -> None:
    (tmp_path / "searched.jsonl").symlink_to(victim / "index.md")
    note_search(tmp_path, "lantern", "main", ["/a"])
    assert contents(victim)["index.md"] == b"Dear reader,\n"
    assert [search.query for search in read_recent_searches(tmp_path)] == ["lantern"]


@pytest.mark.parametrize("file", ["demand.db", "chunk_ids.db"])
def test_a_database_behind_a_link_is_not_written(tmp_path: Path, victim: Path, file: str) -> None:
    other = victim / "theirs.db"
    with closing(sqlite3.connect(other)) as db, db:
        db.execute("CREATE TABLE theirs (a)")
    before = contents(victim)
    (tmp_path / file).symlink_to(other)
    row = DemandRow("2026-01-01", "main", DemandCounts(1), "lantern")
    writers = {
        "demand.db": lambda: DemandLog(tmp_path).add([row]),
        "chunk_ids.db": lambda: ChunkIds(tmp_path).of("main", ["a"]),
    }
    with pytest.raises(StateUnavailable, match="is a link"):
        writers[file]()
    assert contents(victim) == before


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER sqlite1 AFTER INSERT ON pages BEGIN UPDATE pages SET url = '/planted' WHERE id = NEW.id; END",
        "CREATE TRIGGER evil AFTER UPDATE ON pages BEGIN DELETE FROM pages; END",
        "CREATE VIEW evil AS SELECT 1",
    ],
)
def test_triggers_in_a_state_that_a_checkout_brings_never_fire(site: Site, statement: str) -> None:
    site.index()
    with closing(sqlite3.connect(site.project.state_dir / "state.db")) as db, db:
        db.execute(statement)
    site.write("docs/new.html", "New", "<p>Something about okapis.</p>")
    summary = site.index()
    assert any("searchsocket did not make" in line for line in summary.warnings)
    assert "/docs/new" in site.urls()


def test_an_upgrade_refuses_links_too(site: Site, victim: Path) -> None:
    site.index()
    (site.project.state_dir / "runs").symlink_to(victim)
    (indexed,) = indexed_scopes(site.project)
    with pytest.raises(StateUnavailable, match="is a link"):
        upgrade_scope(indexed, {})
