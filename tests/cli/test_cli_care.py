"""Looking after a project: status, doctor, clean, rollback."""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from runner_types import RunCli, RunJson
from small_site import write_page

from searchsocket.extensions.fleet import dask as cluster
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.project.access import private_folders
from searchsocket.project.project import open_project

ROOT = Path(__file__).parents[2]


def tree(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


# status


def test_status_before_the_first_run(run: RunCli, site: Path) -> None:
    result = run("status")
    assert result.exit_code == 0
    assert "No scope is indexed yet" in result.stdout
    assert not (site / ".searchsocket").exists()


def test_status_tells_what_is_live(run_json: RunJson, indexed_site: Path) -> None:
    status = run_json("status", project=indexed_site)
    (scope,) = status["scopes"]
    assert (status["projectId"], status["scope"]) == ("harbour", "main")
    assert status["vectorBackend"]["ok"] is True
    assert (scope["scope"], scope["pages"], scope["modelId"]) == ("main", 5, status["modelId"])
    assert scope["estimatedTokens"] > 0
    assert scope["ageSeconds"] >= 0


def test_status_tells_what_is_live_without_a_model(run: RunCli, run_json: RunJson, indexed: Path) -> None:
    (indexed / "searchsocket.toml").write_text('[embeddings]\nprovider = "onnx"\nmodel = "nowhere"\n')
    result = run("status", project=indexed)
    assert result.exit_code == 0
    assert "model    (none: model 'nowhere' is neither a folder" in result.stdout
    assert "another model" not in result.stdout
    assert run_json("status", project=indexed)["scopes"][0]["pages"] == 5


def test_status_names_the_model_that_answers_for_the_live_index(
    run_json: RunJson, indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `auto` that is the recorded model, whatever keys came since."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-any")
    (indexed / "searchsocket.toml").write_text('embeddings.provider = "auto"\n')
    status = run_json("status", project=indexed)
    assert status["modelId"] == status["scopes"][0]["modelId"]
    assert status["modelId"].startswith("builtin-")


# doctor


def test_doctor_finds_a_sound_project_sound(run_json: RunJson, indexed_site: Path) -> None:
    report = run_json("doctor", project=indexed_site)
    assert report["ok"] is True
    assert {line["name"] for line in report["checks"]} >= {
        "configuration", "scope", "source", "state", "locks", "model", "vector store", "index main", "leftovers",
        "dagster",
    }  # fmt: skip


def broken(report: dict[str, object]) -> dict[str, dict[str, str]]:
    assert report["ok"] is False
    lines = report["checks"]
    assert isinstance(lines, list)
    return {line["name"]: line for line in lines if not line["ok"]}


def test_doctor_names_a_damaged_index_file_and_the_way_out(run: RunCli, run_json: RunJson, indexed: Path) -> None:
    """A flipped byte keeps the size, so only reading everything finds it."""
    (vectors,) = (indexed / ".searchsocket" / "index" / "main").rglob("*.f32")
    data = bytearray(vectors.read_bytes())
    data[5] ^= 0xFF
    vectors.chmod(0o644)
    vectors.write_bytes(data)
    report = broken(run_json("doctor", project=indexed))
    assert ".f32" in report["index main"]["detail"]
    assert "--force" in report["index main"]["fix"]
    assert run("doctor", project=indexed).exit_code == 1


def test_doctor_names_a_wrong_key(run: RunCli, run_json: RunJson, site: Path) -> None:
    (site / "searchsocket.toml").write_text("[chunking]\nmax_char = 5\n")
    assert "max_chars" in broken(run_json("doctor"))["configuration"]["detail"]
    assert "BROKEN" in run("doctor").stdout


def test_doctor_tells_of_an_unusable_model_once(run_json: RunJson, indexed: Path) -> None:
    """The index is whole, so it is the model's line alone that is broken."""
    (indexed / "searchsocket.toml").write_text('[embeddings]\nprovider = "onnx"\nmodel = "nowhere"\n')
    report = run_json("doctor", project=indexed)
    assert list(broken(report)) == ["model"]
    (detail,) = [line["detail"] for line in report["checks"] if line["name"] == "index main"]
    assert detail.endswith("all files intact; its model was not checked, because no model is available")
    assert "nowhere" not in detail


def test_doctor_names_a_missing_site(run_json: RunJson, site: Path) -> None:
    (site / "searchsocket.toml").write_text('[source]\nstatic_output_dir = "nowhere"\n')
    report = broken(run_json("doctor"))
    assert list(report) == ["source"]
    assert report["source"]["fix"]


def test_doctor_names_a_cluster_that_does_not_answer(
    run_json: RunJson, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_CONNECT_S", 0.1)
    monkeypatch.setenv("SEARCHSOCKET__RUN__DASK_ADDRESS", "tcp://127.0.0.1:1")
    assert "tcp://127.0.0.1:1" in broken(run_json("doctor"))["cluster"]["detail"]


@pytest.mark.dagster
@pytest.mark.parametrize("umask", [0o000, 0o077], ids=oct)
def test_the_state_folder_is_the_gate_whatever_the_umask(
    run: RunCli, run_json: RunJson, site: Path, tmp_path: Path, umask: int
) -> None:
    """Only its owner may enter it; once the owner opens it, what is published can be read (spec 24)."""
    (site / "searchsocket.toml").write_text('[vector.local]\npath = "../elsewhere/index"\n')
    before = os.umask(umask)
    try:
        assert run("index").exit_code == 0
    finally:
        os.umask(before)
    state, index = site / ".searchsocket", tmp_path / "elsewhere" / "index"
    assert [oct(gate.stat().st_mode)[-3:] for gate in (state, index)] == ["700", "700"]
    inside = [index / "project.json", index / "main", index / "main" / "CURRENT", state / "pages"]
    inside += (state / "pages").rglob("*")
    assert {oct(path.stat().st_mode)[-3:] for path in inside} == {"644", "755"}
    assert [check["fix"] for check in run_json("doctor")["checks"] if check["name"] == "state"] == [""]
    for gate in (state, index):
        gate.chmod(0o755)
    assert run("index", "--force").exit_code == 0
    details = [check["detail"] for check in run_json("doctor")["checks"] if check["name"] == "state"]
    assert [str(gate) in line for gate, line in zip((state, index), details[1:], strict=True)] == [True, True]
    assert all("every user" in line for line in details[1:])


def test_doctor_writes_nothing(run: RunCli, site: Path) -> None:
    before = tree(site)
    run("doctor")
    assert tree(site) == before


# clean


def test_clean_of_a_scope_touches_no_other(run: RunCli, run_json: RunJson, indexed: Path) -> None:
    run("index", "--scope", "preview", project=indexed)
    before = run_json("search", "tide", project=indexed)["results"]
    result = run("clean", "--scope", "preview", "--yes", project=indexed)
    assert result.exit_code == 0, result.output
    assert [scope["scope"] for scope in run_json("status", project=indexed)["scopes"]] == ["main"]
    assert [candidates["url"] for candidates in run_json("search", "tide", project=indexed)["results"]] == [
        candidates["url"] for candidates in before
    ]
    assert not [name for name in tree(indexed / ".searchsocket") if "/preview/" in name]


def test_a_cleaned_scope_is_indexed_again_from_the_cache(run: RunCli, run_json: RunJson, indexed: Path) -> None:
    """A scope that is gone is not remembered as unchanged, and its texts cost nothing the second time."""
    run("clean", "--scope", "main", "--yes", project=indexed)
    again = run_json("index", project=indexed)
    assert again["embeddings"]["created"] == 0
    assert again["records"]["upserted"] == again["chunks"]["total"] > 0


def test_clean_shows_what_goes_and_asks(run: RunCli, indexed: Path) -> None:
    before = tree(indexed)
    result = run("clean", project=indexed, input="n\n")
    assert result.exit_code == 1
    assert "state.db" in result.stdout
    assert tree(indexed) == before


def test_clean_keeps_the_cache(run: RunCli, indexed: Path) -> None:
    cache = indexed / ".searchsocket" / "embeddings.db"
    assert run("clean", "--yes", project=indexed).exit_code == 0
    remaining_files = tree(indexed / ".searchsocket")
    assert "embeddings.db" in remaining_files
    assert not [name for name in remaining_files if name.startswith(("index/", "pages/", "state.db", "dagster/"))]
    with EmbeddingCache(cache, read_only=True) as cache_reader:
        assert cache_reader.models()[0].texts > 0


def test_clean_never_deletes_a_project_that_is_its_own_state_folder(run: RunCli, site: Path) -> None:
    (site / "pages").mkdir()
    (site / "pages" / "mine.md").write_text("mine")
    (site / "searchsocket.toml").write_text('[state]\ndir = "."\n')
    result = run("clean", "--yes")
    assert result.exit_code == 2
    assert (site / "pages" / "mine.md").exists()


@pytest.mark.parametrize("arguments", [["--yes"], ["--yes", "--scope", "main"]])
def test_clean_refuses_the_index_of_another_project(run: RunCli, indexed: Path, arguments: list[str]) -> None:
    """Two projects that were given one state folder by mistake (spec 26.1)."""
    (indexed / "package.json").write_text('{"name": "another"}')
    before = tree(indexed)
    result = run("clean", *arguments, project=indexed)
    assert result.exit_code == 2
    assert result.stderr.startswith("error [PROJECT_MISMATCH]: ")
    assert tree(indexed) == before


def test_clean_deletes_a_damaged_index(run: RunCli, indexed: Path) -> None:
    (indexed / ".searchsocket" / "index" / "main" / "CURRENT").write_text("nonsense")
    assert run("clean", "--scope", "main", "--yes", project=indexed).exit_code == 0
    assert run("index", project=indexed).exit_code == 0


def test_clean_without_state_says_so(run: RunCli) -> None:
    result = run("clean", "--yes")
    assert (result.exit_code, result.stdout) == (0, "nothing to delete\n")


def test_json_does_not_ask(run: RunCli, indexed: Path) -> None:
    before = tree(indexed)
    assert run("clean", "--json", project=indexed).exit_code == 2
    assert tree(indexed) == before


# rollback


def test_rollback_switches_to_the_generation_before(run: RunCli, run_json: RunJson, indexed: Path) -> None:
    first = run_json("status", project=indexed)["scopes"][0]["generation"]
    write_page(indexed, "about", "About", "Now about submarines.")
    second = run_json("index", project=indexed)["generation"]
    assert first != second
    assert run_json("rollback", project=indexed) == {"scope": "main", "generation": first, "replaced": second}
    assert run_json("status", project=indexed)["scopes"][0]["generation"] == first
    assert "submarines" not in json.dumps(run_json("search", "submarines", project=indexed)["results"])


def test_rollback_without_a_generation_before_is_told(run: RunCli, indexed: Path) -> None:
    result = run("rollback", project=indexed)
    assert result.exit_code == 3
    assert result.stderr.startswith("error [NO_GENERATION_BEFORE]: scope 'main' has no previous generation")
    assert "searchsocket index" not in result.stderr


@pytest.mark.parametrize("command", ["status", "search", "doctor", "clean", "rollback", "index"])
def test_a_broken_configuration_is_words_and_no_traceback(run: RunCli, site: Path, command: str) -> None:
    (site / "searchsocket.toml").write_text("[chunking\n")
    result = run(command, *(["tide"] if command == "search" else []))
    assert result.exit_code == (1 if command == "doctor" else 2)
    assert "not valid TOML" in result.output
    assert "Traceback" not in result.output


@pytest.mark.skipif(sys.platform == "win32", reason="no permissions of others")
def test_doctor_notes_what_may_be_intended(indexed: Path, run: RunCli) -> None:
    """Neither fine nor broken: an index that every user of the machine may read."""
    gate = next(folder for folder in private_folders(open_project(indexed, {})) if folder.exists())
    gate.chmod(0o755)
    report = run("doctor", project=indexed)
    assert report.exit_code == 0
    assert re.search(r"^note    state +every user of this machine can read ", report.stdout, re.MULTILINE)
