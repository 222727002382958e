"""The state travels with the index: a machine with an empty disk processes only changes."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from small_site import write_site

from searchsocket.extensions.fleet.documents import Description
from searchsocket.extensions.fleet.objects import open_objects
from searchsocket.extensions.fleet.objects.base import read
from searchsocket.extensions.fleet.prune import description_of, stored_generations
from searchsocket.quality.candidate import judge_candidate
from searchsocket.state.archive import archive, restore
from searchsocket.system.compressed import zstd
from tests.extensions.fleet.checkout import Machine


@pytest.fixture
def url(tmp_path: Path) -> str:
    return (tmp_path / "objects").as_uri()


def machine(folder: Path, url: str, name: str = "main", **environ: str) -> Machine:
    """A machine with a cache of its own, whose embedder counts as a paid one: its vectors are kept."""
    settings = {"SEARCHSOCKET__ARTIFACTS__URL": url, "SEARCHSOCKET__EMBEDDINGS__PROVIDER": "hash"}
    cache = {"SEARCHSOCKET_CACHE": str(folder.with_name(f"{folder.name}-cache"))}
    return Machine(write_site(folder), {**settings, **cache, **environ}, name)


def live(url: str) -> Description:
    (generation,) = (item for item in stored_generations(open_objects(url)) if item.is_live and item.scope == "main")
    return description_of(open_objects(url), generation)


def test_an_empty_disk_extracts_and_embeds_what_changed(tmp_path: Path, url: str) -> None:
    first = machine(tmp_path / "first", url).index()
    empty = machine(tmp_path / "empty", url)
    summary = empty.summary()
    assert (summary.generation, empty.extracted, summary.to_json()["embeddings"]["created"]) == (first, [], 0)
    again = machine(tmp_path / "edited", url)
    again.write("docs/zebra", "A zebra crossed the harbour.")
    (again.root / "build/about/index.html").unlink()
    summary = again.summary()
    assert again.extracted == ["/docs/zebra"]
    assert summary.to_json()["embeddings"]["created"] == 2  # the sections of the new page
    assert summary.to_json()["records"]["deleted"] == 2
    whole = machine(tmp_path / "whole", (tmp_path / "other").as_uri())
    whole.write("docs/zebra", "A zebra crossed the harbour.")
    (whole.root / "build/about/index.html").unlink()
    whole.index()
    assert records(again) == records(whole)
    assert sorted(path.name for path in mirror(again)) == sorted(path.name for path in mirror(whole))


def test_a_new_branch_on_an_empty_disk_begins_from_the_public_scope(tmp_path: Path, url: str) -> None:
    machine(tmp_path / "first", url).index()
    branch = machine(tmp_path / "branch", url, "feature")
    branch.write("docs/zebra", "A zebra crossed the harbour.")
    created = branch.summary().to_json()["embeddings"]["created"]
    assert (branch.extracted, created) == (["/docs/zebra"], 2)


def test_without_the_state_pages_are_extracted_and_nothing_is_embedded(tmp_path: Path, url: str) -> None:
    off = {"SEARCHSOCKET__ARTIFACTS__STATE": "false"}
    machine(tmp_path / "first", url, **off).index()
    assert live(url).state is None
    empty = machine(tmp_path / "empty", url)
    assert empty.summary().to_json()["embeddings"]["created"] == 0
    assert len(empty.extracted) == 5


def test_a_run_without_changes_sends_no_state(tmp_path: Path, url: str) -> None:
    first = machine(tmp_path / "first", url)
    first.index()
    blobs = [info.name for info in open_objects(url).list("blobs/")]
    first.index()
    assert [info.name for info in open_objects(url).list("blobs/")] == blobs


def test_the_state_says_nothing_of_its_machine_and_of_other_scopes(tmp_path: Path, url: str) -> None:
    first = machine(tmp_path / "first", url)
    first.index()
    machine(first.root, url, "secret").index()
    first.write("docs/zebra", "A zebra crossed the harbour.")
    first.index()
    entry = live(url).state
    assert entry is not None
    state = zstd.decompress(read(open_objects(url), f"blobs/{entry.sha256[:2]}/{entry.sha256}", 10_000_000))
    assert str(tmp_path).encode() not in state
    (tmp_path / "state.db").write_bytes(state)
    with closing(sqlite3.connect(tmp_path / "state.db")) as db:
        assert db.execute("SELECT DISTINCT scope FROM pages").fetchall() == [("main",)]


STATEMENTS = {
    "trigger": "CREATE TRIGGER more AFTER INSERT ON pages BEGIN DELETE FROM pages; END",
    # `_` is a wildcard of LIKE: these names once passed for SQLite's own.
    "sqlite1 trigger": "CREATE TRIGGER sqlite1 AFTER INSERT ON pages BEGIN DELETE FROM pages; END",
    "sqlite1 view": "CREATE VIEW sqlite1 AS SELECT 1",
    "sqlite1 table": "CREATE TABLE sqlite1 (x)",
    "sqlite1 index": "CREATE INDEX sqlite1 ON pages (kind)",
    "version": "PRAGMA user_version = 1",
}


@pytest.mark.parametrize("damage", ["bytes", "half", "scope", "size", "reserved", *STATEMENTS])
def test_a_state_that_is_not_ours_is_not_used(tmp_path: Path, url: str, damage: str) -> None:
    """All pages are compared instead."""
    first = machine(tmp_path / "first", url)
    first.index()
    packed, target = tmp_path / "packed", tmp_path / "target.db"
    archive(first.root / ".searchsocket" / "state.db", "main", packed)
    data = zstd.decompress(packed.read_bytes())
    if damage == "bytes":
        packed.write_bytes(b"damaged")
    elif damage == "half":
        packed.write_bytes(packed.read_bytes()[: packed.stat().st_size // 2])
    elif damage == "reserved" or damage in STATEMENTS:
        (tmp_path / "changed.db").write_bytes(data)
        with closing(sqlite3.connect(tmp_path / "changed.db")) as db:
            db.execute(STATEMENTS.get(damage, STATEMENTS["trigger"]))
            if damage == "reserved":  # a name that SQLite itself refuses
                db.execute("PRAGMA writable_schema = ON")
                db.execute(
                    "UPDATE sqlite_master SET name = 'sqlite_more', sql = replace(sql, 'more', 'sqlite_more') "
                    "WHERE name = 'more'"
                )
            db.commit()
        packed.write_bytes(zstd.compress((tmp_path / "changed.db").read_bytes()))
    limit = 1_000 if damage == "size" else 10_000_000
    assert not restore(packed, "other" if damage == "scope" else "main", target, limit)
    assert not target.exists()


def test_results_of_golden_queries_travel(tmp_path: Path, url: str) -> None:
    """An empty disk knows how good the answers were, whichever machine published."""
    golden = '[[query]]\nquery = "bowline"\nexpect = ["/docs/ropes"]\n'
    generations = []
    for name in ("first", "second", "third"):
        disk = machine(tmp_path / name, url)
        (disk.root / "golden-queries.toml").write_text(golden)
        disk.write("docs/zebra", f"A zebra crossed the harbour, said the {name}.")
        generations.append(disk.index(judge_candidate))
    runs = disk.run().state.golden_runs("main", 10)
    assert [(run.generation, run.recall) for run in runs] == [(generation, 1.0) for generation in reversed(generations)]


def records(each: Machine) -> list[tuple[str, str]]:
    return list(each.run().backends.store.fingerprints(each.scope))


def mirror(each: Machine) -> list[Path]:
    return list((each.project.mirror_dir / each.name).rglob("*.md"))
