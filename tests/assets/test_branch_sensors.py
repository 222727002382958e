"""Branches become partitions, and go again, by themselves."""

import shutil
import time
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from runner_types import RunGraph

from searchsocket.project.scopes import sanitise_scope
from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.run.tags import PARTITION_TAG, PROJECT_TAG
from searchsocket_assets.site import NAME, ProjectTraits, ensure_scope
from tests.pipeline.branches.repository import add_file
from tests.sources.git_repository import git

pytestmark = pytest.mark.dagster

FEATURE = sanitise_scope("feature/a")
OWN_BUILDS = """source.static_output_dir = "builds/{scope}"
[branches]
settle_s = 0
exclude = ["wip/*"]
"""


@pytest.fixture
def repository(site: Path) -> Path:
    git(site, "init", "-q", "-b", "main")
    git(site, "remote", "add", "origin", str(site))  # without a remote nobody knows which branches others have
    add_file(site, "first")
    for branch in ("feature/a", "wip/b"):
        git(site, "branch", "-q", branch)
    for scope in ("main", FEATURE):
        shutil.copytree(site / "build", site / "builds" / scope)
    (site / "searchsocket.toml").write_text(OWN_BUILDS)
    return site


def tick(name: str, site: Path, instance: dg.DagsterInstance) -> Any:
    """One look, and the next one where it only made partitions of scopes that are kept."""
    tick_result: Any = sensor(name, site)(dg.build_sensor_context(instance=instance))
    if isinstance(tick_result, dg.SensorResult) and not tick_result.run_requests:
        (add,) = tick_result.dynamic_partitions_requests or ()
        words = f"added partitions of existing scopes: {', '.join(add.partition_keys)}"
        assert tick_result.skip_reason == dg.SkipReason(words)
        instance.add_dynamic_partitions(NAME, list(add.partition_keys))
        return tick(name, site, instance)
    return tick_result


def sensor(name: str, site: Path | str = "", **traits: Any) -> dg.SensorDefinition:
    (sensor_definition,) = [
        entry
        for entry in build_definitions(str(site), traits=ProjectTraits(**traits)).sensors or ()
        if entry.name == name
    ]
    assert isinstance(sensor_definition, dg.SensorDefinition)
    return sensor_definition


def test_each_branch_gets_a_partition_and_one_run(
    repository: Path, instance: dg.DagsterInstance, run_graph: RunGraph
) -> None:
    tick_result = tick("new_branches", repository, instance)
    assert [run.partition_key for run in tick_result.run_requests] == [FEATURE, "main"]
    (add,) = tick_result.dynamic_partitions_requests
    assert add.partition_keys == [FEATURE, "main"]

    instance.add_dynamic_partitions(NAME, [FEATURE])  # as far as a daemon came that died then
    again = tick("new_branches", repository, instance)
    assert [run.partition_key for run in again.run_requests] == [FEATURE, "main"]
    assert [run.run_key for run in again.run_requests] == [run.run_key for run in tick_result.run_requests], (
        "they overlap"
    )
    assert again.dynamic_partitions_requests[0].partition_keys == ["main"]

    run_graph("main")
    past_run(instance, "plan_scope")
    assert len(tick("new_branches", repository, instance).run_requests) == 1, "a plan indexes nothing"
    past_run(instance, "index_site")
    assert "all 2 branches" in tick("new_branches", repository, instance).skip_message


def past_run(instance: dg.DagsterInstance, job: str) -> dg.DagsterRun:
    return instance.create_run_for_job(
        dg.JobDefinition(name=job, graph_def=dg.GraphDefinition(job)),
        tags={PARTITION_TAG: FEATURE, PROJECT_TAG: "harbour"},
    )


def test_a_branch_waits_for_its_build(repository: Path, instance: dg.DagsterInstance) -> None:
    """A run before that would fail, and one while it is written would see half of it."""
    shutil.rmtree(repository / "builds" / FEATURE)
    (repository / "builds/main/index.html").write_text("<title>Home</title><p>just now</p>")
    (repository / "searchsocket.toml").write_text(OWN_BUILDS.replace("settle_s = 0", "settle_s = 3600"))
    skipped = tick("new_branches", repository, instance).skip_message
    assert skipped == f"waiting for builds of {FEATURE}, main"
    (repository / "searchsocket.toml").write_text(OWN_BUILDS)
    assert [run.partition_key for run in tick("new_branches", repository, instance).run_requests] == ["main"]


def test_branches_that_share_a_build_are_not_indexed_from_it(repository: Path, instance: dg.DagsterInstance) -> None:
    """Each would be called by its name and hold the pages of another; the one that is checked out is what it is."""
    (repository / "searchsocket.toml").write_text("branches.settle_s = 0\n")
    (request,) = tick("new_branches", repository, instance).run_requests
    assert request.partition_key == "main"
    (repository / ".searchsocket/pages/main").mkdir(parents=True)
    words = tick("new_branches", repository, instance).skip_message
    assert words.startswith(
        f"CONFIG_INVALID: {FEATURE}, {sanitise_scope('wip/b')} would be indexed from the same pages"
    )
    assert 'source.static_output_dir = "builds/{scope}"' in words


def test_a_preview_that_did_not_answer_yet_is_tried_again_after_a_pause(
    repository: Path, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host deploys it minutes after the branch came, and nothing else looks at it again."""
    (repository / "searchsocket.toml").write_text(
        'source.mode = "crawl"\nsource.crawl.base_url = "http://{branch_slug}.host.invalid"\n'
    )
    scopes = [run.partition_key for run in tick("new_branches", repository, instance).run_requests]
    assert scopes == [FEATURE, "main", sanitise_scope("wip/b")]
    instance.add_dynamic_partitions(NAME, scopes)
    instance.report_run_failed(past_run(instance, "index_site"))
    assert FEATURE not in [run.partition_key for run in tick("new_branches", repository, instance).run_requests]
    real = time.time
    monkeypatch.setattr("searchsocket_assets.discovery.time.time", lambda: real() + 61)
    assert FEATURE in [run.partition_key for run in tick("new_branches", repository, instance).run_requests]


@pytest.mark.parametrize("trouble", ["no repository", "shallow", "nothing"])
def test_a_listing_that_may_lack_branches_changes_nothing(
    repository: Path, instance: dg.DagsterInstance, tmp_path: Path, trouble: str
) -> None:
    site = tmp_path / "elsewhere"
    if trouble == "shallow":
        add_file(repository, "second")
        git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", str(site))
    else:
        site.mkdir()
    if trouble == "nothing":
        git(site, "init", "-q")
    for name in ("new_branches", "dead_branches"):
        assert tick(name, site, instance).skip_message.startswith("BRANCHES_UNKNOWN")


def test_a_branch_that_is_renamed_is_a_new_scope_and_a_dead_one(repository: Path, instance: dg.DagsterInstance) -> None:
    for scope in ("main", FEATURE):
        (repository / ".searchsocket/pages" / scope).mkdir(parents=True)
    git(repository, "branch", "-m", "feature/a", "feature/b")
    renamed = sanitise_scope("feature/b")
    assert tick("new_branches", repository, instance).skip_message == f"waiting for builds of {renamed}"
    (repository / "builds" / FEATURE).rename(repository / "builds" / renamed)
    assert [run.partition_key for run in tick("new_branches", repository, instance).run_requests] == [renamed]
    words = tick("dead_branches", repository, instance).skip_message
    assert words.startswith(f"would delete {FEATURE} (its branch no longer exists);")


def test_discovery_is_off_unless_the_settings_turn_it_on() -> None:
    assert sensor("new_branches").default_status is dg.DefaultSensorStatus.STOPPED
    assert sensor("new_branches", discovers_branches=True).default_status is dg.DefaultSensorStatus.RUNNING


def test_dead_branches_are_shown_and_pruned_where_that_is_set(
    repository: Path, instance: dg.DagsterInstance, run_graph: RunGraph
) -> None:
    (repository / "builds/main").rename(repository / "builds/gone")
    shutil.copytree(repository / "build", repository / "builds/main")
    for scope in ("main", "gone"):
        assert run_graph(scope).success
    assert "would delete gone (its branch no longer exists)" in tick("dead_branches", repository, instance).skip_message
    (repository / "searchsocket.toml").write_text(OWN_BUILDS + 'prune = "apply"\n')
    request = tick("dead_branches", repository, instance)

    prune_scopes = build_definitions(str(repository)).resolve_job_def("prune_scopes")
    pruned = prune_scopes.execute_in_process(request.run_config, instance=instance)
    assert pruned.success
    index_folder = repository / ".searchsocket/index"
    assert [(index_folder / name).exists() for name in ("main", "gone")] == [True, False]
    assert "no scope to delete; 1 kept" in tick("dead_branches", repository, instance).skip_message


def test_a_plan_deletes_nothing(repository: Path, instance: dg.DagsterInstance, run_graph: RunGraph) -> None:
    (repository / "builds" / FEATURE).rename(repository / "builds/gone")
    assert run_graph("gone").success
    ensure_scope(instance, "gone")
    prune_scopes = build_definitions(str(repository)).resolve_job_def("prune_scopes")
    planned = prune_scopes.execute_in_process(instance=instance)
    (metadata,) = [event.event_specific_data.metadata for event in planned.all_events if event.is_successful_output]
    assert metadata["going"].value == 1
    assert (repository / ".searchsocket/index/gone").is_dir()
