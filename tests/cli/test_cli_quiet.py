"""`--quiet`: nothing but errors."""

import json
from pathlib import Path

import pytest
from runner_types import RunCli

QUIET = [
    ("init",),
    ("index", "--force"),
    ("cache", "clear", "--unused-days", "1", "--yes"),
    ("artifacts", "push", "--url", "file:///{tmp}/objects"),
    ("clean", "--scope", "main", "--yes"),
]  # fmt: skip


@pytest.mark.parametrize("arguments", QUIET, ids=" ".join)
def test_a_command_that_does_its_work_says_nothing(
    run: RunCli, indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments_here = [argument.format(tmp=str(tmp_path).lstrip("/")) for argument in arguments]
    result = run(*arguments_here, "--quiet", project=indexed)
    assert (result.exit_code, result.output) == (0, "")
    assert run(*arguments_here, project=indexed).stdout


def test_errors_are_told_and_json_is_answered(run: RunCli, indexed: Path) -> None:
    refused = run("rollback", "--quiet", project=indexed)
    assert (refused.exit_code, refused.stdout) == (3, "")
    assert refused.stderr.startswith("error [NO_GENERATION_BEFORE]: ")
    result = run("index", "--quiet", "--json", project=indexed)
    assert json.loads(result.stdout)["scope"] == "main"
    assert result.stderr == ""


def test_nobody_is_asked_what_nobody_reads(run: RunCli, indexed: Path) -> None:
    for arguments in (["clean"], ["cache", "clear", "--all"]):
        result = run(*arguments, "--quiet", project=indexed)
        assert result.exit_code == 2
        assert "--quiet cannot ask for confirmation; add --yes" in result.stderr
    assert run("index", "--quiet", "--verbose", project=indexed).exit_code == 2
