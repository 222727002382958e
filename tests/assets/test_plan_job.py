"""Plans, and the table of scopes."""

from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from runner_types import RunGraph

from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.run.tags import BRANCH_TAG
from searchsocket_assets.site import ensure_scope

pytestmark = pytest.mark.dagster
QUIET: dict[str, Any] = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def plan(site: Path, instance: dg.DagsterInstance, scope: str) -> dg.ExecuteInProcessResult:
    ensure_scope(instance, scope)
    job = build_definitions(str(site)).resolve_job_def("plan_scope")
    tags = {BRANCH_TAG: scope}
    return job.execute_in_process(QUIET, instance=instance, partition_key=scope, tags=tags, raise_on_error=False)


def test_a_plan_is_observed_and_nothing_is_materialized_or_written(site: Path, instance: dg.DagsterInstance) -> None:
    result = plan(site, instance, "main")
    (observed,) = [event.asset_observation_data.asset_observation for event in result.get_asset_observation_events()]
    assert result.success
    assert (observed.asset_key, observed.partition) == (dg.AssetKey("search_index"), "main")
    assert observed.metadata["pages_found"].value == 5
    assert not instance.get_materialized_partitions(dg.AssetKey("search_index"))
    assert not (site / ".searchsocket").exists()


def test_a_plan_that_cannot_be_made_fails_with_its_reason(site: Path, instance: dg.DagsterInstance) -> None:
    (site / "searchsocket.toml").write_text('[source]\nstatic_output_dir = "builds/{scope}"\n')
    (failure,) = plan(site, instance, "preview").get_step_failure_events()
    failure_data = failure.step_failure_data.user_failure_data
    assert failure_data is not None
    assert failure_data.metadata["code"].value == "CONFIG_MISSING"
    assert "builds/preview" in (failure_data.description or "")


def test_the_table_of_scopes_names_each_with_its_last_run(
    site: Path, instance: dg.DagsterInstance, run_graph: RunGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run_graph("main").success
    monkeypatch.setenv("SEARCHSOCKET_PROJECT", str(site))
    job = build_definitions(str(site)).resolve_job_def("look_at_scopes")
    (materialization,) = job.execute_in_process(QUIET, instance=instance).get_asset_materialization_events()
    metadata = materialization.materialization.metadata
    (row,) = metadata["scopes"].records  # type: ignore[union-attr]
    assert (row.data["scope"], row.data["branch"], row.data["pages"]) == ("main", "main", 5)
    assert metadata["dagster/row_count"].value == 1
    assert "BRANCHES_UNKNOWN" in str(metadata["warning_list"].value)
