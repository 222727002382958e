"""`searchsocket cache`, and what sharing it saves."""

import json
import os
import shutil
import subprocess
import sys
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
        result = subprocess.run([COMMAND, "index", "--json"], cwd=folder, env=environ, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        embeddings: dict[str, Any] = json.loads(result.stdout)["embeddings"]
        return embeddings

    created = index(root)["created"]
    assert created > 0
    assert index(tmp_path / "worktree") == {"created": 0, "reused": created, "cut": 0, "leftOut": 0}
    assert index(tmp_path / "clone") == {"created": 0, "reused": created, "cut": 0, "leftOut": 0}
    assert not list(tmp_path.glob("*/.searchsocket/embeddings.db"))


def test_a_copied_cache_saves_every_text(
    run_json: RunJson, indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is embedded again on a machine that gets the file."""
    stored = run_json("cache", "status", project=indexed)
    (model,) = stored["models"]
    assert model["texts"] > 0
    assert model["lastUsed"]
    assert stored["path"].endswith(".searchsocket/embeddings.db")
    (tmp_path / "copied").mkdir()
    shutil.copy(stored["path"], tmp_path / "copied" / "embeddings.db")
    monkeypatch.setenv("SEARCHSOCKET_CACHE", str(tmp_path / "copied"))
    assert run_json("index")["embeddings"]["created"] == 0


def test_clear_asks_and_says_what_it_deletes(run: RunCli, run_json: RunJson, indexed: Path) -> None:
    texts = run_json("cache", "status", project=indexed)["models"][0]["texts"]
    assert run("cache", "clear", project=indexed).exit_code == 2
    assert run("cache", "clear", "--all", project=indexed, input="n\n").exit_code == 1
    assert run_json("cache", "status", project=indexed)["models"][0]["texts"] == texts
    assert run_json("cache", "clear", "--unused-days", "1", "--yes", project=indexed)["removed"] == 0
    assert run_json("cache", "clear", "--all", "--yes", project=indexed)["removed"] == texts
    assert "0 texts" in run("cache", "status", project=indexed).stdout


def test_a_cache_of_an_older_version_moves(run: RunCli, run_json: RunJson, indexed: Path, tmp_path: Path,
                                           monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """Embeddings of an older project cache become available to all projects."""
    monkeypatch.setenv("SEARCHSOCKET_CACHE", str(tmp_path / "users"))
    shutil.rmtree(indexed / ".searchsocket" / "index")
    summary = run_json("index", "--force", project=indexed)
    assert summary["embeddings"]["created"] == 0
    assert any("were moved to" in warning for warning in summary["warnings"])
    assert not (indexed / ".searchsocket" / "embeddings.db").exists()
