"""`searchsocket cache`, and what sharing it saves."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from runner_types import RunCli, RunJson
from small_site import write_site

COMMAND = Path(sys.executable).with_name("searchsocket")


def git(*arguments: str, cwd: Path) -> None:
    names = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True, env={**os.environ, **names})


@pytest.mark.dagster
def test_a_worktree_and_a_clone_embed_nothing_again(tmp_path: Path) -> None:
    """Each text once, ever: the cache is the user's, not the folder's."""
    root = write_site(tmp_path / "harbour")
    git("init", "-b", "main", ".", cwd=root)
    git("add", "-Af", ".", cwd=root)
    git("commit", "-m", "site", cwd=root)
    git("worktree", "add", str(tmp_path / "worktree"), "-b", "other", cwd=root)
    git("clone", str(root), str(tmp_path / "clone"), cwd=tmp_path)
    environ = {key: value for key, value in os.environ.items() if key not in ("SEARCHSOCKET_CACHE", "XDG_CACHE_HOME")}
    environ["HOME"] = str(tmp_path / "home")

    def index(folder: Path) -> dict[str, Any]:
        done = subprocess.run([COMMAND, "index", "--json"], cwd=folder, env=environ, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        embeddings: dict[str, Any] = json.loads(done.stdout)["embeddings"]
        return embeddings

    created = index(root)["created"]
    assert created > 0
    assert index(tmp_path / "worktree") == {"created": 0, "reused": created, "cut": 0, "leftOut": 0}
    assert index(tmp_path / "clone") == {"created": 0, "reused": created, "cut": 0, "leftOut": 0}
    assert not list(tmp_path.glob("*/.searchsocket/embeddings.db"))


def test_the_cache_travels_to_another_machine(run: RunCli, run_json: RunJson, indexed: Path, tmp_path: Path) -> None:
    """Export there, import here: nothing is embedded again."""
    held = run_json("cache", "info", project=indexed)
    (model,) = held["models"]
    assert model["texts"] > 0
    assert model["lastUsed"]
    assert held["path"].endswith(".searchsocket/embeddings.db")
    file = tmp_path / "travel.db"
    assert run_json("cache", "export", str(file), project=indexed)["texts"] == model["texts"]
    assert run_json("cache", "import", str(file)) == {"path": str(file), "added": model["texts"], "refused": 0}
    assert "added 0 embeddings" in run("cache", "import", str(file)).stdout
    assert run_json("index")["embeddings"]["created"] == 0


def test_prune_asks_and_says_what_goes(run: RunCli, run_json: RunJson, indexed: Path) -> None:
    texts = run_json("cache", "info", project=indexed)["models"][0]["texts"]
    assert run("cache", "prune", project=indexed).exit_code == 2
    assert run("cache", "prune", "--all", project=indexed, input="n\n").exit_code == 1
    assert run_json("cache", "info", project=indexed)["models"][0]["texts"] == texts
    assert run_json("cache", "prune", "--unused-days", "1", "--yes", project=indexed)["removed"] == 0
    assert run_json("cache", "prune", "--all", "--yes", project=indexed)["removed"] == texts
    assert "0 texts" in run("cache", "info", project=indexed).stdout


def test_prune_of_what_nobody_uses_is_dry_unless_told(run: RunCli, run_json: RunJson, indexed: Path) -> None:
    assert run_json("index", project=indexed)["embeddings"]["created"] == 0  # the copy is a home of its own
    homes = run_json("cache", "info", project=indexed)["homes"]
    assert str(indexed.resolve() / ".searchsocket") in [home["state"] for home in homes]
    assert "last seen" in run("cache", "info", project=indexed).stdout
    cache = indexed / ".searchsocket/embeddings.db"
    with closing(sqlite3.connect(cache)) as db, db:
        db.execute("UPDATE uses SET day = 1")
        db.execute("UPDATE vectors SET hash = zeroblob(32) WHERE rowid = 1")
    dry = run_json("cache", "prune", "--unused", project=indexed)
    assert [dry[key] for key in ("applied", "unused", "removed", "unknown")] == [False, 1, 0, 0]
    assert "would remove 1 embedding (" in run("cache", "prune", "--unused", project=indexed).stdout
    assert run_json("cache", "prune", "--unused", "--apply", project=indexed)["removed"] == 1
    for wrong in (("--unused", "--all"), ("--apply", "--all", "--yes"), ("--unused", "--yes")):
        assert run("cache", "prune", *wrong, project=indexed).exit_code == 2
    done = run("cache", "prune", "--unused", "--forget-home", "/nowhere", project=indexed)
    assert (done.exit_code, "/nowhere is not recorded" in done.stderr) == (2, True)


def test_what_is_no_cache_is_refused_by_name(run: RunCli, tmp_path: Path) -> None:
    (tmp_path / "noise.db").write_bytes(b"noise" * 1000)
    done = run("cache", "import", str(tmp_path / "noise.db"))
    assert done.exit_code == 1
    assert "noise.db is not a valid embedding cache" in done.stderr


def test_a_cache_of_an_older_version_moves(run: RunCli, run_json: RunJson, indexed: Path, tmp_path: Path,
                                           monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """What a project had embedded before counts for all projects afterwards."""
    monkeypatch.setenv("SEARCHSOCKET_CACHE", str(tmp_path / "users"))
    shutil.rmtree(indexed / ".searchsocket" / "index")
    summary = run_json("index", "--force", project=indexed)
    assert summary["embeddings"]["created"] == 0
    assert any("were moved to" in warning for warning in summary["warnings"])
    assert not (indexed / ".searchsocket" / "embeddings.db").exists()
