"""Scopes as partitions."""

import sqlite3
import subprocess
from collections.abc import Sequence
from pathlib import Path

import dagster as dg
import pytest
from sqlalchemy.exc import IntegrityError

from searchsocket.project.scopes import sanitise_scope
from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.run.tags import PARTITION_TAG, RANGE_TAGS
from searchsocket_assets.site import NAME, ensure_scope


class Racing(dg.DagsterInstance):
    """An instance on which another process adds the partition between look and insert."""

    def __init__(self, there_afterwards: bool) -> None:
        self.looks = iter([False, there_afterwards])

    def has_dynamic_partition(self, partitions_def_name: str, partition_key: str) -> bool:
        return next(self.looks)

    def add_dynamic_partitions(self, partitions_def_name: str, partition_keys: Sequence[str]) -> None:
        raise IntegrityError("INSERT", {}, sqlite3.IntegrityError("UNIQUE constraint failed"))


def test_a_scope_becomes_a_partition_once() -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        ensure_scope(instance, "main")
        ensure_scope(instance, "main")
        assert instance.get_dynamic_partitions(NAME) == ["main"]


def test_the_loser_of_a_race_goes_on() -> None:
    """Dagster selects, then inserts; measured: of six processes one died."""
    ensure_scope(Racing(there_afterwards=True), "main")


def test_an_error_that_is_no_race_is_raised() -> None:
    with pytest.raises(IntegrityError):
        ensure_scope(Racing(there_afterwards=False), "main")


def launch(site: Path, instance: dg.DagsterInstance, job: str, tags: dict[str, str]) -> dg.ExecuteInProcessResult:
    """Run a job without `partition_key`, as the shell does."""
    for scope in ("main", "next"):
        ensure_scope(instance, scope)
    config = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    return (
        build_definitions(str(site))
        .resolve_job_def(job)
        .execute_in_process(config, instance=instance, tags=tags, raise_on_error=False)
    )


def reason(result: dg.ExecuteInProcessResult) -> str:
    """The message of the innermost error of the first step that failed."""
    error = next(event for event in result.all_events if event.is_step_failure).step_failure_data.error
    while error is not None and error.cause is not None:
        error = error.cause
    assert error is not None
    return error.message


@pytest.mark.parametrize("job", ["index_site", "verify_scope"])
@pytest.mark.parametrize(
    ("tags", "words"),
    [({}, "has no partition"), (dict(zip(RANGE_TAGS, ("main", "next"), strict=True)), "'main' to 'next'")],
)
def test_a_run_without_one_partition_says_how_to_launch_it(
    site: Path, instance: dg.DagsterInstance, job: str, tags: dict[str, str], words: str
) -> None:
    """`dagster job execute` starts runs without a partition, and some schedulers runs over a range."""
    failed = launch(site, instance, job, tags)
    assert not failed.success
    assert words in reason(failed)
    assert "launch a backfill" in reason(failed)


def test_a_range_of_one_partition_is_that_partition(site: Path, instance: dg.DagsterInstance) -> None:
    """Dagster makes such ranges of a backfill in a single run."""
    assert launch(site, instance, "index_site", dict.fromkeys(RANGE_TAGS, "main")).success


@pytest.mark.parametrize(("branch", "partition"), [("feat/a", "feat-a-d54ad782"), ("Feature", "feature-3d377ae9")])
def test_the_name_of_a_branch_is_answered_with_its_partition(
    site: Path, instance: dg.DagsterInstance, branch: str, partition: str
) -> None:
    """People type what git calls the branch; another partition of it would show half of its runs."""
    git(site, "init", "-q", "-b", "main")
    git(site, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "First")
    git(site, "branch", branch)
    assert sanitise_scope(branch) == partition
    failed = launch(site, instance, "index_site", {PARTITION_TAG: branch})
    assert f"{branch!r} is the name of a branch; its partition is {partition!r}" in reason(failed)


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", root, *arguments], check=True, capture_output=True)
