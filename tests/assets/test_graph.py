"""The graph over a real small site."""

import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from runner_types import RunGraph
from small_site import write_page

from searchsocket.pipeline.run.stages import STAGES
from searchsocket.system.files import write_atomic
from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.site import NAME, ensure_scope

pytestmark = pytest.mark.dagster

ORDER = list(STAGES)


def materializations(result: dg.ExecuteInProcessResult) -> dict[str, dg.AssetMaterialization]:
    results = [event.materialization for event in result.get_asset_materialization_events()]
    return {materialization.asset_key.to_user_string(): materialization for materialization in results}


def versions(result: dg.ExecuteInProcessResult) -> dict[str, str]:
    return {
        name: (materialization.tags or {})["dagster/data_version"]
        for name, materialization in materializations(result).items()
    }


def number(result: dg.ExecuteInProcessResult, asset: str, key: str) -> float:
    value = materializations(result)[asset].metadata[key].value
    assert isinstance(value, int | float)
    return value


def state_of(site: Path) -> list[str]:
    return sorted(str(path.relative_to(site)) for path in (site / ".searchsocket").rglob("*"))


def test_a_run_materializes_every_stage_with_numbers_that_can_be_plotted(run_graph: RunGraph) -> None:
    result = run_graph()
    stages = materializations(result)
    assert result.success
    assert list(stages) == ORDER
    assert {stages[name].partition for name in ORDER} == {"main"}
    assert number(result, "site_pages", "dagster/row_count") == 5
    assert number(result, "search_index", "upserted") == number(result, "page_chunks", "total") > 0
    for name in ORDER:
        assert number(result, name, "seconds") >= 0
        assert number(result, name, "warnings") == 0
    assert isinstance(stages["site_pages"].metadata["biggest_pages"], dg.TableMetadataValue)


def test_every_check_runs_for_the_scope_and_passes(run_graph: RunGraph) -> None:
    evaluations = run_graph().get_asset_check_evaluations()
    assert {evaluation.check_name for evaluation in evaluations} == {
        "pages_complete",
        "mirror_not_empty",
        "page_count_not_collapsed",
        "mirror_deterministic",
        "keys_unique",
        "cost_within_budget",
        "model_matches_manifest",
        "embeddings_sane",
        "index_matches_manifest",
        "vectors_elsewhere",
        "golden_queries_answered",
        "golden_answers_right",
        "self_query_roundtrip",
        "path_prefix_filter",
        "links_alive",
    }
    assert all(evaluation.passed for evaluation in evaluations)
    assert {evaluation.partition for evaluation in evaluations} == {"main"}


def test_the_same_site_gives_the_same_data_versions(run_graph: RunGraph) -> None:
    first, second = run_graph(), run_graph()
    assert versions(first) == versions(second)
    assert number(second, "site_pages", "changed") == 0
    assert number(second, "chunk_embeddings", "created") == 0
    assert number(second, "search_index", "upserted") == 0


def test_an_edited_page_gives_another_data_version_all_the_way(site: Path, run_graph: RunGraph) -> None:
    before = versions(run_graph())
    write_page(site, "about", "About", "Now written by people who like trains and tunnels.")
    after = versions(run_graph())
    assert all(before[name] != after[name] for name in ORDER)


def test_over_the_budget_nothing_is_embedded_or_published(
    site: Path, run_graph: RunGraph, instance: dg.DagsterInstance
) -> None:
    """The check stands before the first paid call, and fails the run (spec 21)."""
    (site / "searchsocket.toml").write_text("[embeddings]\nprice_per_million_tokens_usd = 1000.0\n")
    result = run_graph(max_cost_usd=0.0001)
    failed = [evaluation for evaluation in result.get_asset_check_evaluations() if not evaluation.passed]
    assert not result.success
    assert list(materializations(result)) == ORDER[:3]
    assert [evaluation.check_name for evaluation in failed] == ["cost_within_budget"]
    # The row of the failed run names the check alone: the reason is in its log.
    errors = [entry.user_message for entry in instance.all_logs(result.run_id) if entry.level == logging.ERROR]
    assert f"cost_within_budget: {failed[0].description}" in errors
    assert not (site / ".searchsocket" / "index").exists()


def test_options_of_the_launch_reach_the_stages(site: Path, run_graph: RunGraph) -> None:
    limited = run_graph(max_pages=2)
    assert number(limited, "site_pages", "found") == 2
    assert number(limited, "site_pages", "deletion_eligible") == 0
    run_graph()
    forced = run_graph(force=True)
    assert number(forced, "page_mirror", "extracted") > 0


def test_an_error_of_the_library_is_a_failure_with_its_code(site: Path, run_graph: RunGraph) -> None:
    (site / "searchsocket.toml").write_text('[source]\nstatic_output_dir = "nowhere"\n')
    (failure,) = run_graph().get_step_failure_events()
    failure_data = failure.step_failure_data.user_failure_data
    assert failure_data is not None
    assert failure_data.metadata["code"].value == "CONFIG_MISSING"
    assert failure_data.metadata["setting"].value == "source.static_output_dir"
    assert "nowhere" in (failure_data.description or "")


def test_the_first_error_of_a_failed_run_is_what_went_wrong(
    site: Path, run_graph: RunGraph, instance: dg.DagsterInstance
) -> None:
    """Dagster logs an error for each step that a failure keeps from running; those come later."""
    (site / "searchsocket.toml").write_text('[source]\nstatic_output_dir = "nowhere"\n')
    errors = [entry for entry in instance.all_logs(run_graph().run_id) if entry.level >= logging.ERROR]
    assert errors[0].dagster_event
    assert errors[0].dagster_event.event_type_value == "STEP_FAILURE"


@pytest.mark.parametrize(
    ("tags", "launched_by"),
    [
        ({}, "ui"),
        ({"dagster/backfill": "b"}, "backfill"),
        ({"dagster/schedule_name": "s"}, "schedule"),
        ({"searchsocket/launched_by": "cli", "project": "copied"}, "ui"),
    ],
)
def test_every_run_of_dagster_says_who_launched_it(
    site: Path, instance: dg.DagsterInstance, tags: dict[str, str], launched_by: str
) -> None:
    ensure_scope(instance, "main")
    result = build_definitions(str(site)).resolve_job_def("index_site").execute_in_process(
        {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        instance=instance, partition_key="main", tags=tags, asset_selection=[dg.AssetKey("site_pages")],
    )  # fmt: skip
    run = instance.get_run_by_id(result.run_id)
    assert run is not None
    assert (run.tags["project"], run.tags["searchsocket/launched_by"]) == ("harbour", launched_by)


def test_so_does_every_run_of_another_job(site: Path, instance: dg.DagsterInstance, run_graph: RunGraph) -> None:
    """Also in a home that several projects share, where it is by its tags that a run is known."""
    run_graph()
    definitions = build_definitions(str(site))
    config: dict[str, Any] = {
        "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
    }
    for name in ("look_at_scopes", "maintenance", "verify_scope"):
        scope = "main" if name == "verify_scope" else None
        result = definitions.resolve_job_def(name).execute_in_process(config, instance=instance, partition_key=scope)
        run = instance.get_run_by_id(result.run_id)
        assert run is not None
        assert (run.tags["project"], run.tags["searchsocket/launched_by"]) == ("harbour", "ui"), name


def test_each_scope_is_verified_and_what_is_wrong_is_told(
    site: Path, instance: dg.DagsterInstance, run_graph: RunGraph
) -> None:
    """By night too: the schedule's runs could not be launched, since a job of checks alone has no partitions."""
    assert run_graph().success
    definitions = build_definitions(str(site))
    job = definitions.resolve_job_def("verify_scope")
    assert isinstance(job.partitions_def, dg.DynamicPartitionsDefinition)
    assert job.partitions_def.name == NAME
    quiet: dict[str, Any] = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    assert job.execute_in_process(quiet, instance=instance, partition_key="main").success
    for manifest in (site / ".searchsocket/index/main").glob("*/packs/*.db"):
        write_atomic(manifest, b"nothing of use")
    spoiled = job.execute_in_process(quiet, instance=instance, partition_key="main", raise_on_error=False)
    (failure,) = spoiled.get_step_failure_events()
    assert failure.step_failure_data.user_failure_data is not None, str(failure.step_failure_data.error)[-1800:]


def test_scopes_are_partitions_that_do_not_touch_each_other(site: Path, run_graph: RunGraph) -> None:
    run_graph("main")
    write_page(site, "about", "About", "Another branch says something else.")
    preview = run_graph("preview")
    again = run_graph("preview")
    assert number(preview, "chunk_embeddings", "reused") > 0  # one cache under all scopes
    assert versions(preview) == versions(again)
    current = sorted(path.parent.name for path in (site / ".searchsocket" / "index").glob("*/CURRENT"))
    assert current == ["main", "preview"]


def test_one_asset_runs_alone_in_its_own_process(site: Path, run_graph: RunGraph) -> None:
    """Stages exchange their results on disk, so any of them can be materialized again by itself."""
    whole = versions(run_graph())
    code = (
        "import json, dagster as dg\nfrom searchsocket_assets.definitions import build_definitions\n"
        "from searchsocket_assets.site import ensure_scope\ninstance = dg.DagsterInstance.ephemeral()\n"
        "ensure_scope(instance, 'main')\njob = build_definitions().resolve_job_def('index_site')\n"
        "quiet = {'loggers': {'console': {'config': {'log_level': 'CRITICAL'}}}}\n"
        "done = job.execute_in_process(quiet, instance=instance, partition_key='main',\n"
        "    asset_selection=[dg.AssetKey('page_chunks')])\n"
        "made = [event.materialization for event in done.get_asset_materialization_events()]\n"
        "print(json.dumps({m.asset_key.to_user_string(): m.tags['dagster/data_version'] for m in made}))"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=site, capture_output=True, text=True, check=True)
    assert json.loads(result.stdout) == {"page_chunks": whole["page_chunks"]}
