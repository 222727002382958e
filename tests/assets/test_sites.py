"""Several sites in one Dagster deployment."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from small_site import write_site

from searchsocket.project.scopes import sanitise_scope
from searchsocket_assets import site_definitions
from searchsocket_assets.run.tags import BRANCH_TAG, PARTITION_TAG, PROJECT_TAG
from tests.pipeline.branches.repository import add_file
from tests.sources.git_repository import git

pytestmark = pytest.mark.dagster

QUIET: dict[str, Any] = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
SITES = ("docs", "blog", "shop")
FEATURE = sanitise_scope("feature/a")


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Three repositories; each has a branch of the same name, and a build for each branch."""
    folder = tmp_path_factory.mktemp("sites")
    roots = {}
    for name in SITES:
        roots[name] = root = write_site(folder / name)
        (root / "searchsocket.toml").write_text(
            f'project.id = "{name}-site"\nsource.static_output_dir = "builds/{{scope}}"\n'
            '[branches]\nremote = "."\nsettle_s = 0\nprune = "apply"\n'
        )
        git(root, "init", "-q", "-b", "main")
        add_file(root, "first")
        git(root, "branch", "-q", "feature/a")
        for scope in ("main", FEATURE):
            shutil.copytree(root / "build", root / "builds" / scope)
    return roots


@pytest.fixture(scope="module")
def merged(roots: dict[str, Path]) -> dg.Definitions:
    return dg.Definitions.merge(*(site_definitions(root, name) for name, root in roots.items()))


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as ephemeral:
        yield ephemeral


def run(
    definitions: dg.Definitions, instance: dg.DagsterInstance, job: str, scope: str | None = None, **config: Any
) -> dg.ExecuteInProcessResult:
    return definitions.resolve_job_def(job).execute_in_process(
        {**QUIET, **config}, instance=instance, partition_key=scope, raise_on_error=False
    )


def tick(definitions: dg.Definitions, instance: dg.DagsterInstance, name: str) -> Any:
    """One look of a sensor; the partitions that it asks for are made, as the daemon does."""
    tick_result: Any = definitions.resolve_sensor_def(name)(dg.build_sensor_context(instance=instance))
    for request in getattr(tick_result, "dynamic_partitions_requests", None) or ():
        instance.add_dynamic_partitions(request.partitions_def_name, list(request.partition_keys))
    return tick_result


def test_sites_share_no_name(merged: dg.Definitions) -> None:
    """Dagster refuses definitions of one name, and shares partitions of one name without a word."""
    dg.Definitions.validate_loadable(merged)
    specs = list(merged.resolve_all_asset_specs())
    assert {spec.key.path[0] for spec in specs} == set(SITES)
    partitions = {
        spec.partitions_def.name for spec in specs if isinstance(spec.partitions_def, dg.DynamicPartitionsDefinition)
    }
    assert partitions == {f"searchsocket/{name}-site" for name in SITES}
    groups = {spec.group_name for spec in specs}
    assert groups == {f"{name}_{group}" for name in SITES for group in ("site", "branches")}
    for each in (*(merged.jobs or ()), *(merged.sensors or ()), *(merged.schedules or ())):
        assert re.match(f"({'|'.join(SITES)})_", each.name), each.name
    keys = {key for name in SITES for key in (f"{name}_options", f"project_{name}_site")}
    assert set(merged.resources or {}) == keys
    pools = {asset.op.pool for asset in merged.assets or () if isinstance(asset, dg.AssetsDefinition)}
    assert pools == {f"searchsocket_{name}" for name in SITES}


def test_nothing_of_one_site_touches_another(
    merged: dg.Definitions, instance: dg.DagsterInstance, roots: dict[str, Path]
) -> None:
    """Index, check, verify, maintain and prune one; partitions, runs and files of the others stay as they are."""
    for name in SITES:
        tick_result = tick(merged, instance, f"{name}_new_branches")
        assert [request.partition_key for request in tick_result.run_requests] == [FEATURE, "main"]
        assert instance.get_dynamic_partitions(f"searchsocket/{name}-site") == [FEATURE, "main"]
        for request in tick_result.run_requests:
            assert run(merged, instance, f"{name}_index_site", request.partition_key).success
    for name in SITES:
        key = dg.AssetKey([name, "search_index"])
        assert instance.get_materialized_partitions(key) == {"main", FEATURE}
        assert run(merged, instance, f"{name}_verify_scope", "main").success
    before = {name: files(roots[name]) for name in SITES[1:]}
    runs_before = {item.run_id for item in instance.get_runs() if item.tags.get(PROJECT_TAG) != "docs-site"}
    git(roots["docs"], "branch", "-D", "feature/a")
    for other in SITES[1:]:
        assert isinstance(tick(merged, instance, f"{other}_dead_branches"), dg.SkipReason)
    request = tick(merged, instance, "docs_dead_branches")
    pruned = merged.resolve_job_def("docs_prune_scopes").execute_in_process(request.run_config, instance=instance)
    assert pruned.success
    config = {"ops": {"docs_maintain": {"config": {"runs_kept": 1}}}}
    for _ in range(2):
        assert run(merged, instance, "docs_index_site", "main").success
    assert run(merged, instance, "docs_maintenance", **config).success
    assert instance.get_dynamic_partitions("searchsocket/docs-site") == ["main"]
    assert not (roots["docs"] / ".searchsocket/index" / FEATURE).exists()
    assert len(instance.get_runs(dg.RunsFilter(job_name="docs_index_site", tags={PARTITION_TAG: "main"}))) == 1
    for other in SITES[1:]:
        assert instance.get_dynamic_partitions(f"searchsocket/{other}-site") == [FEATURE, "main"]
        assert files(roots[other]) == before[other]
    assert runs_before <= set(instance.get_run_ids())


def files(root: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mtime_ns for path in (root / ".searchsocket/index").rglob("*") if path.is_file()}


@pytest.mark.parametrize("partition", ["feature-of-somebody-else", "mian"])
def test_a_run_over_no_scope_of_the_project_is_refused_by_name(
    merged: dg.Definitions, instance: dg.DagsterInstance, roots: dict[str, Path], partition: str
) -> None:
    """It indexed the site under the name of another site's branch."""
    instance.add_dynamic_partitions("searchsocket/blog-site", [partition])
    result = run(merged, instance, "blog_index_site", partition)
    (failure,) = result.get_step_failure_events()
    data = failure.step_failure_data.user_failure_data
    assert data is not None
    assert data.metadata["code"].value == "INVALID_SCOPE"
    assert f"'{partition}' is not a branch or scope of project 'blog-site'" in str(data.metadata["message"].value)
    assert not (roots["blog"] / ".searchsocket/index" / partition).exists()


def test_a_requested_scope_is_no_foreign_one(
    merged: dg.Definitions, instance: dg.DagsterInstance, roots: dict[str, Path]
) -> None:
    shutil.copytree(roots["shop"] / "build", roots["shop"] / "builds/preview")
    instance.add_dynamic_partitions("searchsocket/shop-site", ["preview"])
    result = merged.resolve_job_def("shop_index_site").execute_in_process(
        QUIET, instance=instance, partition_key="preview", tags={BRANCH_TAG: "preview"}
    )
    assert result.success
    assert run(merged, instance, "shop_index_site", "preview").success, "it is kept by now"


def test_code_locations_of_one_instance_do_not_meet(roots: dict[str, Path]) -> None:
    """Each location loads definitions of its own; only the instance is shared."""
    first, second = (site_definitions(roots[name], name) for name in ("docs", "blog"))
    with dg.instance_for_test() as instance:
        for definitions, name in ((first, "docs"), (second, "blog")):
            tick(definitions, instance, f"{name}_new_branches")
            assert run(definitions, instance, f"{name}_index_site", "main").success
        of_docs = instance.get_runs(dg.RunsFilter(job_name="docs_index_site"))
        assert {doc.tags[PROJECT_TAG] for doc in of_docs} == {"docs-site"}
        instance.add_dynamic_partitions("searchsocket/docs-site", ["only-of-docs"])
        schedule: Any = second.resolve_schedule_def("blog_nightly_verify")
        requests = schedule(dg.build_schedule_context(instance=instance))
        assert {request.partition_key for request in requests} <= {"main", FEATURE}


@pytest.fixture
def twins(tmp_path: Path) -> list[Path]:
    """Two projects of one id."""
    roots = [write_site(tmp_path / name) for name in ("first", "second")]
    for root in roots:
        (root / "searchsocket.toml").write_text('project.id = "handbook"\n')
    return roots


def test_two_projects_of_one_id_do_not_merge(twins: list[Path]) -> None:
    """They would share partitions: a prune of one deleted the scopes of the other."""
    first, second = (site_definitions(root, root.name) for root in twins)
    with pytest.raises(dg.DagsterInvariantViolationError, match="project_handbook"):
        dg.Definitions.merge(first, second)


def test_two_projects_of_one_id_in_two_code_locations_are_refused_by_name(
    twins: list[Path], instance: dg.DagsterInstance
) -> None:
    """No code location sees the definitions of another; the runs of the instance name both folders."""
    first, second = (site_definitions(root, root.name) for root in twins)
    instance.add_dynamic_partitions("searchsocket/handbook", ["main"])
    tags = {BRANCH_TAG: "main"}

    def index(definitions: dg.Definitions, name: str) -> dg.ExecuteInProcessResult:
        job = definitions.resolve_job_def(f"{name}_index_site")
        return job.execute_in_process(QUIET, instance=instance, partition_key="main", tags=tags, raise_on_error=False)

    assert index(first, "first").success
    for job, result in (("index", index(second, "second")), ("prune", run(second, instance, "second_prune_scopes"))):
        (failure,) = result.get_step_failure_events()
        failure_data = failure.step_failure_data.user_failure_data
        assert failure_data, job
        assert f"two projects in this Dagster deployment, {twins[1]} and {twins[0]}" in (failure_data.description or "")
    assert not (twins[1] / ".searchsocket/index").exists()
    (twins[0] / "searchsocket.toml").write_text('project.id = "manual"\n')
    assert index(second, "second").success, "the other has an id of its own by now"


def test_an_empty_home_with_full_state_indexes_the_next_commit(tmp_path: Path) -> None:
    """Dagster's partitions were the only list of scopes, and a lost home ended indexing in silence."""
    root = write_site(tmp_path / "harbour")
    (root / "searchsocket.toml").write_text('source.mode = "git-branch"\nproject.id = "harbour"\n')
    git(root, "init", "-q", "-b", "main")
    add_file(root, "docs/a.md")
    git(root, "branch", "feature/a")
    definitions = site_definitions(root, "harbour")
    with dg.DagsterInstance.ephemeral() as lost:
        for request in tick(definitions, lost, "harbour_new_branches").run_requests:
            assert run(definitions, lost, "harbour_index_site", request.partition_key).success
    add_file(root, "docs/b.md")
    for sensor in ("harbour_new_branches", "harbour_new_builds"):  # in either order
        with dg.DagsterInstance.ephemeral() as empty:
            tick(definitions, empty, sensor)
            assert set(empty.get_dynamic_partitions("searchsocket/harbour")) == {"main", FEATURE}
            tick_result = tick(definitions, empty, "harbour_new_builds")
            assert {request.partition_key for request in tick_result.run_requests} == {"main", FEATURE}
            assert run(definitions, empty, "harbour_index_site", "main").success


def test_another_teams_assets_hang_on_ours_and_ours_on_theirs(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    """A build upstream leads to a run by a condition; keys can be mapped."""
    root = write_site(tmp_path / "harbour")
    built, report = dg.AssetKey(["web", "build"]), dg.AssetKey(["marketing", "search_report"])
    index = dg.AssetKey(["warehouse", "harbour_search"])
    ours = site_definitions(root, "harbour", deps=[built], keys={"search_index": index})

    @dg.asset(key=built)
    def site_build() -> None: ...

    @dg.asset(key=report, deps=[index], automation_condition=dg.AutomationCondition.eager())
    def search_report() -> None: ...

    definitions = dg.Definitions.merge(ours, dg.Definitions(assets=[site_build, search_report]))
    instance.add_dynamic_partitions("searchsocket/harbour", ["main"])
    dg.materialize([site_build], instance=instance)
    assert run(definitions, instance, "harbour_index_site", "main").success
    assert instance.get_materialized_partitions(index) == {"main"}
    evaluated = dg.evaluate_automation_conditions(definitions, instance)
    dg.materialize([site_build], instance=instance)
    again = dg.evaluate_automation_conditions(definitions, instance, cursor=evaluated.cursor)
    assert again.get_requested_partitions(dg.AssetKey(["harbour", "site_pages"])) == {"main"}
    assert again.get_requested_partitions(index) == {"main"}, "the whole chain, in one run"
