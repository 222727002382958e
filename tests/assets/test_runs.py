"""Runs of the command line as citizens of the project's Dagster instance."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from searchsocket.events import Event, ignore
from searchsocket.pipeline.run.index import summary_of
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.project.project import Project, open_project
from searchsocket.quality.checks import ALL_CHECKS, BETWEEN_RUNS
from searchsocket_assets.partitions import forget_runs
from searchsocket_assets.run.home import prepare_home
from searchsocket_assets.run.runs import JOB, LOCATION, run_index
from searchsocket_assets.run.tags import LAUNCHED_BY_TAG, PROJECT_TAG
from searchsocket_assets.site import NAME

pytestmark = pytest.mark.dagster


@pytest.fixture(scope="module")
def fresh_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with its databases, which take Dagster seconds to make."""
    home = tmp_path_factory.mktemp("fresh") / "dagster"
    prepare_home(home)
    with dg.DagsterInstance.from_config(str(home)) as instance:
        instance.get_runs()
    return home


@pytest.fixture
def project(site: Path, fresh_home: Path) -> Project:
    project = open_project(site, {})
    shutil.copytree(fresh_home, project.dagster_home)
    return project


@pytest.fixture
def stored(project: Project) -> Iterator[dg.DagsterInstance]:
    """The project's instance on disk, as the UI opens it."""
    with dg.DagsterInstance.from_config(str(project.dagster_home)) as instance:
        yield instance


def test_a_run_is_listed_under_its_job(project: Project, stored: dg.DagsterInstance) -> None:
    """The UI finds it by the tag that names the repository and the code location."""
    heard: list[Event] = []
    scope = project.scope_named("main")
    outcome = run_index(project, scope, RunOptions(max_pages=3), project.dagster_home, on_event=heard.append)
    run = stored.get_run_by_id(outcome.run_id)
    assert outcome.success
    assert run is not None
    assert (run.status, run.job_name) == (dg.DagsterRunStatus.SUCCESS, JOB)
    assert run.tags[".dagster/repository"] == f"__repository__@{LOCATION}"
    assert run.tags["dagster/partition"] == "main"
    assert (run.tags[PROJECT_TAG], run.tags[LAUNCHED_BY_TAG]) == (project.id, "cli")
    assert run.run_config["resources"]["options"]["config"] == {"max_pages": 3}
    assert stored.get_dynamic_partitions(NAME) == ["main"]
    assert "registry_updated" in {event.name for event in heard}
    assert summary_of(project, outcome.run_id, "main").pages["found"] == 3


def test_checks_of_a_command_are_of_what_it_materialized(project: Project, stored: dg.DagsterInstance) -> None:
    """Dagster listed each as not evaluated: their evaluations named no materialization."""
    run_index(project, project.scope_named("main"), RunOptions(), project.dagster_home, on_event=ignore)
    checks = [check for check in ALL_CHECKS.values() if check.name not in BETWEEN_RUNS]
    keys = [dg.AssetCheckKey(dg.AssetKey(check.stage.name), check.name) for check in checks]
    infos = stored.event_log_storage.get_asset_check_partition_info(keys)
    assert {info.check_key for info in infos} == set(keys)
    assert all(info.is_current for info in infos)


def test_a_failed_run_tells_the_code_and_the_words(project: Project) -> None:
    (project.root / "searchsocket.toml").write_text('[source]\nstatic_output_dir = "nowhere"\n')
    project = open_project(project.root, {})
    outcome = run_index(project, project.scope_named("main"), RunOptions(), project.dagster_home, on_event=ignore)
    assert (outcome.success, outcome.code) == (False, "CONFIG_MISSING")
    assert "nowhere" in outcome.message


def test_a_failed_budget_check_is_a_budget_error(project: Project) -> None:
    (project.root / "searchsocket.toml").write_text("[embeddings]\nprice_per_million_tokens_usd = 1000.0\n")
    project = open_project(project.root, {})
    options = RunOptions(max_cost_usd=0.0)
    outcome = run_index(project, project.scope_named("main"), options, project.dagster_home, on_event=ignore)
    assert (outcome.success, outcome.code) == (False, "BUDGET_EXCEEDED")
    assert "budget" in outcome.message


def unfinished_run(
    instance: dg.DagsterInstance, project_id: str, scope: str, parent: str | None = None, launched_by: str = "cli"
) -> str:
    """A run as a killed process leaves it behind."""

    @dg.job
    def index_site() -> None: ...

    tags = {"dagster/partition": scope, PROJECT_TAG: project_id, LAUNCHED_BY_TAG: launched_by}
    return instance.create_run_for_job(
        index_site, status=dg.DagsterRunStatus.STARTED, tags=tags, parent_run_id=parent, root_run_id=parent
    ).run_id


def status_of(instance: dg.DagsterInstance, run_id: str) -> dg.DagsterRunStatus:
    run = instance.get_run_by_id(run_id)
    assert run is not None
    return run.status


def test_runs_of_killed_commands_are_buried_by_the_next_one(project: Project, stored: dg.DagsterInstance) -> None:
    """A run that seems to go on would hold the one place of its scope for ever; those of others are left alone."""
    dead = unfinished_run(stored, project.id, "main")
    elsewhere = unfinished_run(stored, "another-project", "main")
    other_scope = unfinished_run(stored, project.id, "preview")
    again = unfinished_run(stored, project.id, "main", parent=dead)
    of_the_ui = unfinished_run(stored, project.id, "main", launched_by="ui")  # waits for the lock, between two stages
    run_index(project, project.scope_named("main"), RunOptions(), project.dagster_home, on_event=ignore)
    assert status_of(stored, dead) is dg.DagsterRunStatus.FAILURE
    assert status_of(stored, again) is dg.DagsterRunStatus.STARTED  # the UI's daemon looks after that one
    assert status_of(stored, of_the_ui) is dg.DagsterRunStatus.STARTED
    assert status_of(stored, elsewhere) is dg.DagsterRunStatus.STARTED
    assert status_of(stored, other_scope) is dg.DagsterRunStatus.STARTED


def test_a_forgotten_scope_leaves_no_run_and_no_partition(project: Project, stored: dg.DagsterInstance) -> None:
    """Dagster would show the next scope of that name as materialized."""
    stored.add_dynamic_partitions(NAME, ["main", "preview"])
    main, preview = (unfinished_run(stored, project.id, scope) for scope in ("main", "preview"))
    forget_runs(project, project.dagster_home, [project.scope_named("preview")])
    assert stored.get_run_by_id(preview) is None
    assert stored.get_run_by_id(main) is not None
    assert stored.get_dynamic_partitions(NAME) == ["main"]


def test_in_a_shared_home_the_runs_of_other_projects_stay(project: Project, tmp_path: Path) -> None:
    """`clean --scope` touches no other project (spec 26.1)."""
    home = shutil.copytree(project.dagster_home, tmp_path / "shared")
    with dg.DagsterInstance.from_config(str(home)) as shared:
        shared.add_dynamic_partitions(NAME, ["main"])
        ours, theirs = unfinished_run(shared, project.id, "main"), unfinished_run(shared, "another-project", "main")
        forget_runs(project, home, [project.scope_named("main")])
        assert shared.get_run_by_id(ours) is None
        assert shared.get_run_by_id(theirs) is not None
        assert shared.get_dynamic_partitions(NAME) == ["main"]
