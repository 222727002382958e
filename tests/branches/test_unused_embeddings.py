"""What no scope of any project uses goes, and nothing else."""

import json
import os
import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from small_site import write_site

from searchsocket.cli.main import cli
from searchsocket.errors import ConfigError, ScopeLocked, StateUnavailable
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.models.embedders.cache_place import MAX_HOMES, Home, Homes
from searchsocket.pipeline.branches.unused_embeddings import Unused, prune_unused
from searchsocket.state import ProjectState

MODEL = "m"


def index(root: Path, *arguments: str) -> int:
    """Texts that a run embedded."""
    done = CliRunner().invoke(cli, ["index", "--json", "--project", str(root), *arguments])
    assert done.exit_code == 0, done.output
    return int(json.loads(done.stdout.splitlines()[-1])["embeddings"]["created"])


@pytest.fixture(scope="module")
def two_projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two projects over one cache; the first has a scope whose live generation lacks what the one before has."""
    folder = tmp_path_factory.mktemp("unused")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SEARCHSOCKET_CACHE", str(folder / "cache"))
        for name in ("harbour", "lighthouse"):
            root = write_site(folder / name)
            page = next((root / "build").rglob("*.html"))
            (page.parent / "own.html").write_text(
                f"<title>Own</title><main><h1>Own</h1><p>Only {name} says this.</p></main>"
            )
            index(root)
        (page.parent / "own.html").unlink()
        index(root)
    return folder


@pytest.fixture
def folder(two_projects: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache of `two_projects` as it is, with an unused and a new embedding more, and all others old."""
    monkeypatch.setenv("SEARCHSOCKET_CACHE", str(two_projects / "work"))
    shutil.rmtree(two_projects / "work", ignore_errors=True)
    shutil.copytree(two_projects / "cache", two_projects / "work")
    with cache(two_projects) as opened:
        put(opened, "gone")
        opened.close()
    with closing(sqlite3.connect(two_projects / "work/embeddings.db")) as db, db:
        db.execute("UPDATE uses SET day = day - 9")
    with cache(two_projects) as opened:
        put(opened, "just made")
    return two_projects


def cache(folder: Path) -> EmbeddingCache:
    return EmbeddingCache(folder / "work/embeddings.db")


def put(opened: EmbeddingCache, text: str) -> None:
    opened.put([sha256(text.encode()).hexdigest()], np.eye(1, 8, dtype=np.float32), [1], MODEL)


def held(folder: Path) -> set[str]:
    with closing(sqlite3.connect(folder / "work/embeddings.db")) as db:
        return {row[0].hex() for row in db.execute("SELECT hash FROM vectors")}


def prune(folder: Path, *, apply: bool = True, gone: tuple[Path, ...] = ()) -> Unused:
    with cache(folder) as opened:
        return prune_unused(opened, apply=apply, gone=gone)


def test_only_what_nobody_uses_goes_and_nothing_is_paid_again(folder: Path) -> None:
    before = held(folder)
    assert prune(folder, apply=False) == Unused(texts=1, bytes=32, unknown=0, homes=2)
    assert held(folder) == before
    assert prune(folder).texts == 1
    assert before - held(folder) == {sha256(b"gone").hexdigest()}
    assert prune(folder).texts == 0
    assert [index(folder / name, "--force") for name in ("harbour", "lighthouse")] == [0, 0]
    with closing(sqlite3.connect(folder / "lighthouse/.searchsocket/state.db")) as db:
        of_live = {row[0].hex() for row in db.execute("SELECT content_hash FROM chunks")}
    assert len(before - of_live) > 2  # what only the generation before, or only the other project, uses


def test_a_home_that_cannot_be_read_stops_all(folder: Path, tmp_path: Path) -> None:
    """Damaged, gone or without a generation that is live: named with both ways out, and nothing is removed."""
    state = (folder / "harbour/.searchsocket").resolve()
    (live,) = [path for path in (state / "index/main").glob("*/packs/*.db") if path.parent.parent.name[0] == "2"]
    before = held(folder)
    for path in (state / "state.db", state, live, state / "index/main/CURRENT"):
        damaged = path.rename(tmp_path / "aside")
        if path.name == "CURRENT":
            path.write_text("noise")
        with pytest.raises(StateUnavailable) as refused:
            prune(folder)
        assert f"--forget-home {state}" in str(refused.value)
        assert f"index --project {state.parent}" in str(refused.value)
        damaged.rename(path)
    assert held(folder) == before
    with pytest.raises(ConfigError, match="nowhere is not recorded"):
        prune(folder, gone=(Path("/nowhere"),))
    own = before - {sha256(b"just made").hexdigest()}
    shutil.move(state, tmp_path / "unmounted")
    try:
        assert prune(folder, apply=False, gone=(state,)).texts == 2
        assert prune(folder, gone=(state,)).texts == 2
    finally:
        shutil.move(tmp_path / "unmounted", state)
    assert len(own - held(folder)) == 2
    assert [home.state.parent.name for home in Homes(folder / "work/embeddings.db").all()] == ["lighthouse"]


def test_a_run_at_work_stops_it(folder: Path) -> None:
    before = held(folder)
    state = (folder / "harbour/.searchsocket").resolve()
    with (
        ProjectState(state).lock("main"),
        ThreadPoolExecutor(1) as other,
        pytest.raises(ScopeLocked, match=f"main in {state}"),
    ):
        other.submit(prune, folder).result()
    assert held(folder) == before


def test_a_death_amid_the_removal_undoes_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = held(folder)
    pid = os.fork()
    if not pid:  # the child dies between the deletion and its commit
        deleting = "DELETE FROM uses WHERE id NOT IN"
        with cache(folder) as opened:
            opened._table._db.set_trace_callback(lambda sql: os._exit(9) if sql.startswith(deleting) else None)
            prune_unused(opened, apply=True)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
    assert held(folder) == before
    assert prune(folder).texts == 1


def test_what_nobody_can_date_stays(folder: Path) -> None:
    """Embeddings from before the first record, and imported ones that nobody used here."""
    with closing(sqlite3.connect(folder / "work/embeddings.db")) as db, db:
        db.execute("DELETE FROM uses")
    assert prune(folder) == Unused(0, 0, 2, 2)
    shutil.rmtree(folder / "work/homes")
    assert prune(folder).texts == 0
    with closing(sqlite3.connect(folder / "work/embeddings.db")) as db, db:
        db.execute("INSERT INTO uses SELECT rowid, 1 FROM vectors")
    assert prune(folder, apply=False).unknown == len(held(folder))
    with cache(folder) as opened:  # the first run afterwards
        home = folder / "harbour/.searchsocket"
        Homes(opened.path).note(Home(home, home / "index", home.parent, "2026-01-01"), opened.size())
    assert prune(folder).texts == 0


def test_the_list_is_private_bounded_and_kept_once(tmp_path: Path) -> None:
    homes = Homes(tmp_path / "c/embeddings.db")
    first = Home(Path("/p/0/s"), Path("/p/0/s/index"), Path("/p/0"), "2026-01-01")
    homes.note(first, 7)
    homes.note(Home(first.state, first.index, first.project, "2026-01-02"), 9)
    assert [(home.seen, homes.since()) for home in homes.all()] == [("2026-01-02", 7)]
    homes.note(first, 0)  # the cache was lost
    assert homes.since() == 0
    assert {path.stat().st_mode & 0o077 for path in (homes.folder, *homes.folder.iterdir())} == {0}
    for number in range(1, MAX_HOMES):
        (homes.folder / f"{number}.json").write_text('{"state": "/s", "index": "/i", "project": "/p", "seen": ""}')
    homes.note(Home(Path("/p/more"), Path("/i"), Path("/p"), "2026-01-01"), 9)
    assert len(homes.all()) == MAX_HOMES
    with EmbeddingCache(tmp_path / "c/embeddings.db") as opened, pytest.raises(StateUnavailable, match="--forget-home"):
        prune_unused(opened, apply=True)
    (homes.folder / "1.json").write_text("{")
    with pytest.raises(StateUnavailable, match="1.json does not name"):
        homes.all()
