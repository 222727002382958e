"""Runs of commands as runs of the project's Dagster instance."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from small_site import write_page

from searchsocket.cli.index_run import run_corpus
from searchsocket.events import ignore
from searchsocket.pipeline.run.context import SITE
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.report import RunFailure, RunReport, keep_report, last_report
from searchsocket.pipeline.run.stages import STAGES
from searchsocket.project.project import Project, open_project
from searchsocket.quality.checks import RUN_CHECKS
from searchsocket_assets.command_runs import command_runs, report_of_command
from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.jobs import INDEX_SITE
from searchsocket_assets.partitions import forget_runs
from searchsocket_assets.run.home import prepare_home
from searchsocket_assets.run.tags import LAUNCHED_BY_TAG, PROJECT_TAG, REPORT_TAG
from searchsocket_assets.show_now import LOCATION, show_now
from searchsocket_assets.site import NAME, DagsterSite

Index = Callable[..., RunReport]

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


@pytest.fixture
def index(project: Project) -> Index:
    """Index `main` as the command does; return the report."""

    def run(**options: Any) -> RunReport:
        with suppress(SystemExit):
            run_corpus(project, project.scope_named("main"), RunOptions(**options), ignore, SITE, None)
        report = last_report(project, "main")
        assert report is not None
        return report

    return run


def tick(instance: dg.DagsterInstance, site: DagsterSite, cursor: str | None = None) -> dg.SensorResult:
    result = command_runs(dg.build_sensor_context(instance, cursor=cursor), site)
    assert isinstance(result, dg.SensorResult)
    return result


def events_of(instance: dg.DagsterInstance, run: dg.DagsterRun, kind: dg.DagsterEventType) -> list[Any]:
    entries = instance.all_logs(run.run_id, of_type=kind)
    return [entry.dagster_event.event_specific_data for entry in entries if entry.dagster_event]


def test_the_run_of_a_command_is_a_run_of_its_job(project: Project, stored: dg.DagsterInstance, index: Index) -> None:
    """With its partition, options, tags, and what each stage and check reported."""
    report = index(max_pages=3)
    assert show_now(project, project.dagster_home) == 1
    (run,) = stored.get_runs()
    assert (run.status, run.job_name) == (dg.DagsterRunStatus.SUCCESS, INDEX_SITE)
    assert run.tags[".dagster/repository"] == f"__repository__@{LOCATION}"
    assert (run.tags["dagster/partition"], run.tags[REPORT_TAG]) == ("main", report.run_id)
    assert (run.tags[PROJECT_TAG], run.tags[LAUNCHED_BY_TAG]) == (project.id, "cli")
    assert run.run_config["resources"]["options"]["config"] == {"max_pages": 3}
    assert stored.get_dynamic_partitions(NAME) == ["main"]
    materializations = {
        event.materialization.asset_key.to_user_string(): event.materialization.metadata
        for event in events_of(stored, run, dg.DagsterEventType.ASSET_MATERIALIZATION)
    }
    assert list(materializations) == list(STAGES)
    assert materializations["site_pages"]["found"].value == 3
    started = datetime.fromisoformat(report.started_at).timestamp()
    assert materializations["search_index"]["started_at"].value == started
    checks = events_of(stored, run, dg.DagsterEventType.ASSET_CHECK_EVALUATION)
    assert {check.check_name: check.description for check in checks} == {
        name: outcome.message for name, outcome in report.checks.items()
    }


def test_checks_of_a_command_are_of_what_it_materialized(
    project: Project, stored: dg.DagsterInstance, index: Index
) -> None:
    """Dagster listed each as not evaluated: their evaluations named no materialization."""
    index()
    show_now(project, project.dagster_home)
    keys = [dg.AssetCheckKey(dg.AssetKey(check.stage.name), check.name) for check in RUN_CHECKS]
    infos = stored.event_log_storage.get_asset_check_partition_info(keys)
    assert {info.check_key for info in infos} == set(keys)
    assert all(info.is_current for info in infos)


@pytest.mark.filterwarnings("ignore:Parameter `include_sources`")
def test_materializations_of_a_command_trigger_other_assets(
    project: Project, stored: dg.DagsterInstance, index: Index
) -> None:
    """An asset of the user that waits for new materializations of `search_index`, in the same partition."""
    scopes = dg.DynamicPartitionsDefinition(name=NAME)
    condition = dg.AutomationCondition.eager()

    @dg.asset(deps=["search_index"], partitions_def=scopes, automation_condition=condition)
    def announcement() -> None: ...

    definitions = dg.Definitions.merge(build_definitions(str(project.root)), dg.Definitions(assets=[announcement]))

    evaluate = partial(dg.evaluate_automation_conditions, defs=definitions, instance=stored)
    stored.add_dynamic_partitions(NAME, ["main"])
    before = evaluate()
    assert before.total_requested == 0
    index()
    show_now(project, project.dagster_home)
    after = evaluate(cursor=before.cursor)
    assert after.total_requested == 1
    assert evaluate(cursor=after.cursor).total_requested == 0


def test_each_report_is_requested_once_and_all_again_in_a_new_home(
    project: Project, stored: dg.DagsterInstance, index: Index
) -> None:
    """Oldest first, each with the scope's partition; a lost home gets every stored report."""
    site = DagsterSite(str(project.root))
    reports = [index(), index(force=True)]
    first = tick(stored, site)
    assert [request.tags[REPORT_TAG] for request in first.run_requests or ()] == [report.run_id for report in reports]
    assert {request.job_name for request in first.run_requests or ()} == {INDEX_SITE}
    (adding,) = first.dynamic_partitions_requests or ()
    assert adding.partition_keys == ["main"]
    assert not tick(stored, site, first.cursor).run_requests
    third = index(force=True)
    assert [request.tags[REPORT_TAG] for request in tick(stored, site, first.cursor).run_requests or ()] == [
        third.run_id
    ]
    assert len(tick(stored, site).run_requests or ()) == 3
    show_now(project, project.dagster_home)
    assert not tick(stored, site).run_requests  # `index --record` was first


def test_a_refused_candidate_fails_its_run_with_code_and_golden_queries(
    project: Project, stored: dg.DagsterInstance, index: Index
) -> None:
    (project.root / "golden-queries.toml").write_text('[[query]]\nquery = "mooring rope"\nexpect = "/docs/ropes"\n')
    index()
    write_page(project.root, "docs/ropes", "Trains", "The railway station sells tickets at noon.")
    report = index()
    assert report.failure is not None
    show_now(project, project.dagster_home)
    run, _ = stored.get_runs()
    assert run.status is dg.DagsterRunStatus.FAILURE
    (failure,) = events_of(stored, run, dg.DagsterEventType.STEP_FAILURE)
    metadata = failure.user_failure_data.metadata
    assert (metadata["code"].value, metadata["message"].value) == ("CANDIDATE_REFUSED", report.failure.message)
    assert "accept_quality_drop" in metadata["next_step"].value
    checks = events_of(stored, run, dg.DagsterEventType.ASSET_CHECK_EVALUATION)
    passed = {check.check_name: check.passed for check in checks}
    assert (passed["golden_queries_answered"], passed["index_matches_manifest"]) == (False, True)


def test_a_failed_blocking_check_fails_the_run_as_in_dagster(
    project: Project, stored: dg.DagsterInstance, index: Index
) -> None:
    (project.root / "searchsocket.toml").write_text("[embeddings]\nprice_per_million_tokens_usd = 1000.0\n")
    project = open_project(project.root, {})
    with pytest.raises(SystemExit):
        run_corpus(project, project.scope_named("main"), RunOptions(max_cost_usd=0.0), ignore, SITE, None)
    report = last_report(project, "main")
    assert report is not None
    assert report.failure is not None
    assert (report.failure.code, report.checks["cost_within_budget"].passed) == ("BUDGET_EXCEEDED", False)
    show_now(project, project.dagster_home)
    (run,) = stored.get_runs()
    assert run.status is dg.DagsterRunStatus.FAILURE
    failed = [
        check.check_name
        for check in events_of(stored, run, dg.DagsterEventType.ASSET_CHECK_EVALUATION)
        if not check.passed
    ]
    assert failed == ["cost_within_budget"]


def test_a_run_that_stopped_between_two_stages_is_no_success(
    project: Project, stored: dg.DagsterInstance, index: Index
) -> None:
    report = index()
    stopped = replace(
        report, run_id="stopped", failure=RunFailure("page_chunks", "INTERRUPTED", "the run was interrupted")
    )
    keep_report(project, stopped)
    show_now(project, project.dagster_home)
    (run,) = stored.get_runs(dg.RunsFilter(tags={REPORT_TAG: "stopped"}))
    assert run.status is dg.DagsterRunStatus.FAILURE


def test_a_new_home_shows_a_first_run_that_failed(project: Project, stored: dg.DagsterInstance, index: Index) -> None:
    (project.root / "searchsocket.toml").write_text('[source]\nstatic_output_dir = "nowhere"\n')
    project = open_project(project.root, {})
    with pytest.raises(SystemExit):
        run_corpus(project, project.scope_named("preview"), RunOptions(), ignore, SITE, None)
    show_now(project, project.dagster_home)
    (run,) = stored.get_runs()
    (failure,) = events_of(stored, run, dg.DagsterEventType.STEP_FAILURE)
    assert failure.user_failure_data.metadata["code"].value == "CONFIG_MISSING"


def test_a_run_that_is_executed_again_does_the_work(project: Project, stored: dg.DagsterInstance, index: Index) -> None:
    """It has the tags of the first one, and its report is of the past."""
    tags = {"dagster/partition": "main", REPORT_TAG: index().run_id}
    first = stored.create_run_for_job(index_site, tags=tags)
    again = stored.create_run_for_job(index_site, tags=tags, parent_run_id=first.run_id, root_run_id=first.run_id)
    assert report_of_command(first, project) is not None
    assert report_of_command(again, project) is None


def test_a_report_that_is_gone_fails_its_run_in_words(project: Project, stored: dg.DagsterInstance) -> None:
    run = stored.create_run_for_job(index_site, tags={"dagster/partition": "main", REPORT_TAG: "never"})
    with pytest.raises(dg.Failure, match="the report of run never no longer exists"):
        report_of_command(run, project)


@dg.job
def index_site() -> None: ...


def unfinished_run(
    instance: dg.DagsterInstance, project_id: str, scope: str, parent: str | None = None, launched_by: str = "cli"
) -> str:
    """A run as a killed process leaves it behind."""
    tags = {"dagster/partition": scope, PROJECT_TAG: project_id, LAUNCHED_BY_TAG: launched_by}
    return instance.create_run_for_job(
        index_site, status=dg.DagsterRunStatus.STARTED, tags=tags, parent_run_id=parent, root_run_id=parent
    ).run_id


def status_of(instance: dg.DagsterInstance, run_id: str) -> dg.DagsterRunStatus:
    run = instance.get_run_by_id(run_id)
    assert run is not None
    return run.status


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
