"""`searchsocket upgrade` over the index of an earlier release."""

import tarfile
from pathlib import Path

import pytest
from runner_types import RunCli, RunJson

from release.formats import FOLDER
from searchsocket.stores.local.layout import FORMAT
from tests.older_index import UNREADABLE, make_older


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A project that release 0.1.0 indexed."""
    with tarfile.open(FOLDER / "0.1.0.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "project"


def test_a_dry_run_lists_what_is_older_and_changes_nothing(run_json: RunJson, older: Path) -> None:
    before = {path: path.read_bytes() for path in older.rglob("*/CURRENT")}
    answer = run_json("upgrade", "--dry-run", project=older)
    assert (answer["dryRun"], answer["format"]) == (True, FORMAT)
    assert [(index["corpus"], index["scope"], index["format"]) for index in answer["indexes"]] == [
        ("site", "main", 32),
        ("site", "next", 32),
        ("code", "main", 32),
        ("code", "next", 32),
    ]
    assert {path: path.read_bytes() for path in older.rglob("*/CURRENT")} == before
    assert run_json("status", project=older)["scopes"][0]["olderFormat"] == 32


def test_every_index_is_rewritten_once(run: RunCli, run_json: RunJson, older: Path) -> None:
    assert "format      32, of an older release; run `searchsocket upgrade`" in run("status", project=older).stdout
    result = run("upgrade", project=older)
    assert result.exit_code == 0
    assert f"[1/4] main: format 32, now {FORMAT}: generation 2" in result.stdout
    assert "[4/4] code of next" in result.stdout
    assert "4 upgraded, 0 failed" in result.stdout
    assert "every index has format" in run("upgrade", project=older).stdout
    assert run_json("status", project=older)["scopes"][0]["olderFormat"] is None


def test_an_index_that_is_too_old_stops_no_other(run: RunCli, run_json: RunJson, older: Path) -> None:
    make_older(older / ".searchsocket" / "index", "next")
    result = run("upgrade", project=older)
    assert result.exit_code == 1
    assert "INDEX_FORMAT]: next: an older release wrote" in result.stderr
    assert "3 upgraded, 1 failed" in result.stdout
    (failed_index,) = run_json("upgrade", project=older)["indexes"]
    assert (failed_index["corpus"], failed_index["scope"], failed_index["error"]["code"]) == (
        "site",
        "next",
        "INDEX_FORMAT",
    )
    assert f"format {UNREADABLE}" in failed_index["error"]["message"]
