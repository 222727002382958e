"""`searchsocket doctor` reports one cause in one line, with the fix of that cause (spec 17)."""

import json
from pathlib import Path
from typing import Any

import pytest
from runner_types import RunCli, RunJson

from tests.sources.git_repository import commit, git


def broken(report: dict[str, Any]) -> list[tuple[str, str]]:
    """Name and fix of each broken line."""
    return [(line["name"], line["fix"]) for line in report["checks"] if not line["ok"]]


@pytest.mark.parametrize(("provider", "variable"), [("pinecone", "PINECONE_API_KEY"), ("milvus", "MILVUS_URI")])
def test_a_missing_key_of_the_vector_store_is_one_line(
    run_json: RunJson, site: Path, monkeypatch: pytest.MonkeyPatch, provider: str, variable: str
) -> None:
    """It broke locks, index and vectors, and each line advised something else."""
    monkeypatch.delenv(variable, raising=False)
    (site / "searchsocket.toml").write_text(f'vector.provider = "{provider}"\n')
    assert broken(run_json("doctor")) == [("vectors", f"set ${variable}")]


def test_a_missing_key_and_another_model_are_two_causes(
    run_json: RunJson, indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has its own fix, and is reported once."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (indexed / "searchsocket.toml").write_text('embeddings.provider = "openai"\n')
    report = run_json("doctor", project=indexed)
    assert broken(report) == [
        ("model", "set $OPENAI_API_KEY, or embed on this machine with `EMBEDDINGS_PROVIDER=local`"),
        ("index main", "run `searchsocket index --force --scope main` to migrate it"),
    ]


def test_a_renamed_package_is_one_project_under_another_name(run: RunCli, run_json: RunJson, indexed: Path) -> None:
    """Three lines advised to make a folder writable, to build again, and to read the text above."""
    (indexed / "package.json").write_text(json.dumps({"name": "pier"}))
    fix = 'set `project.id = "harbour"`'
    assert broken(run_json("doctor", project=indexed)) == [("project", fix)]
    assert fix in run("search", "tide", project=indexed).stderr
    (indexed / "searchsocket.toml").write_text('project.id = "harbour"\n')
    assert broken(run_json("doctor", project=indexed)) == []
    assert run("search", "tide", project=indexed).exit_code == 0


def test_a_project_that_reads_branches_is_sound(run_json: RunJson, site: Path) -> None:
    """It asked the repository for a branch called `doctor`."""
    (site / "searchsocket.toml").write_text('[source]\nmode = "git-branch"\n')
    git(site, "init", "-q")
    commit(site, {"docs/tides.md": "# Tides\n\nHigh water is at noon.\n"})
    report = run_json("doctor")
    assert broken(report) == []
    (source,) = [line["detail"] for line in report["checks"] if line["name"] == "source"]
    assert source.startswith("git-branch, main")
