"""Branches become partitions, and go again, by themselves."""

from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from runner_types import RunGraph

from searchsocket.project.scopes import sanitise_scope
from searchsocket_assets.branches import prune_scopes
from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.look import Look
from searchsocket_assets.partitions import NAME, PARTITION_TAG, ensure_scope
from searchsocket_assets.resources import SiteProject
from tests.branches.repository import add_file
from tests.sources.git_repository import git

pytestmark = pytest.mark.dagster

FEATURE = sanitise_scope("feature/a")


@pytest.fixture
def repository(site: Path) -> Path:
    git(site, "init", "-q", "-b", "main")
    add_file(site, "first")
    for branch in ("feature/a", "wip/b"):
        git(site, "branch", "-q", branch)
    (site / "searchsocket.toml").write_text('[branches]\nexclude = ["wip/*"]\n')
    return site


def tick(looking: dg.SensorDefinition, site: Path, instance: dg.DagsterInstance) -> Any:
    context = dg.build_sensor_context(instance=instance, resources={"site": SiteProject(root=str(site))})
    return looking(context)


def sensor(name: str, **look: Any) -> dg.SensorDefinition:
    (found,) = [each for each in build_definitions(look=Look(**look)).sensors or () if each.name == name]
    assert isinstance(found, dg.SensorDefinition)
    return found


def discovery(**look: Any) -> dg.SensorDefinition:
    return sensor("new_branches", **look)


def test_each_branch_gets_a_partition_and_one_run(
    repository: Path, instance: dg.DagsterInstance, run_graph: RunGraph
) -> None:
    found = tick(discovery(), repository, instance)
    assert [run.partition_key for run in found.run_requests] == [FEATURE, "main"]
    (add,) = found.dynamic_partitions_requests
    assert add.partition_keys == [FEATURE, "main"]

    instance.add_dynamic_partitions(NAME, [FEATURE])  # as far as a daemon came that died then
    again = tick(discovery(), repository, instance)
    assert [run.partition_key for run in again.run_requests] == [FEATURE, "main"]
    assert again.dynamic_partitions_requests[0].partition_keys == ["main"]

    run_graph("main")
    instance.create_run_for_job(dg.JobDefinition(name="index_site", graph_def=dg.GraphDefinition("index_site")),
                                tags={PARTITION_TAG: FEATURE, "project": "harbour"})  # fmt: skip
    assert "each of the 2 branches" in tick(discovery(), repository, instance).skip_message


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
        assert tick(sensor(name), site, instance).skip_message.startswith("BRANCHES_UNKNOWN")


def test_discovery_is_off_unless_the_settings_turn_it_on() -> None:
    assert discovery().default_status is dg.DefaultSensorStatus.STOPPED
    assert discovery(discovers_branches=True).default_status is dg.DefaultSensorStatus.RUNNING


def test_dead_branches_are_shown_and_pruned_where_that_is_set(
    repository: Path, instance: dg.DagsterInstance, run_graph: RunGraph
) -> None:
    for scope in ("main", "gone"):
        assert run_graph(scope).success
    assert (
        "would prune gone (no branch of that name lives)"
        in tick(sensor("dead_branches"), repository, instance).skip_message
    )
    with (repository / "searchsocket.toml").open("a") as file:
        file.write('prune = "apply"\n')
    request = tick(sensor("dead_branches"), repository, instance)

    pruned = prune_scopes.execute_in_process(
        request.run_config, instance=instance, resources={"site": SiteProject(root=str(repository))}
    )
    assert pruned.success
    left = repository / ".searchsocket/index"
    assert [(left / name).exists() for name in ("main", "gone")] == [True, False]
    assert "no scope may go; 1 stay" in tick(sensor("dead_branches"), repository, instance).skip_message


def test_a_plan_deletes_nothing(repository: Path, instance: dg.DagsterInstance, run_graph: RunGraph) -> None:
    assert run_graph("gone").success
    ensure_scope(instance, "gone")
    site = {"site": SiteProject(root=str(repository))}
    planned = prune_scopes.execute_in_process(instance=instance, resources=site)
    (metadata,) = [event.event_specific_data.metadata for event in planned.all_events if event.is_successful_output]
    assert metadata["going"].value == 1
    assert (repository / ".searchsocket/index/gone").is_dir()
