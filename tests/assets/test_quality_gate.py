"""Golden queries before the switch, in a run of Dagster."""

import os
import sys
from pathlib import Path
from typing import NoReturn

import dagster as dg
import pytest
from runner_types import RunGraph
from small_site import write_page

from searchsocket.backends import Backends
from searchsocket.errors import RecallTooLow
from searchsocket.project.project import open_project
from searchsocket.quality import gate
from searchsocket.types import Recall
from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.run.tags import REFUSED_TAG

pytestmark = pytest.mark.dagster

GOLDEN = """
[[query]]
query = "mooring rope"
expect = "/docs/ropes"
tags = "plain"
[[query]]
query = "tide table high water"
expect = "/docs/tides"
"""
CHECK = "golden_queries_answered"


def golden(result: dg.ExecuteInProcessResult) -> dg.AssetCheckEvaluation:
    (evaluation,) = [item for item in result.get_asset_check_evaluations() if item.check_name == CHECK]
    return evaluation


def metadata(result: dg.ExecuteInProcessResult) -> dict[str, object]:
    (materialization,) = [
        event.materialization
        for event in result.get_asset_materialization_events()
        if event.asset_key == dg.AssetKey("search_index")
    ]
    return {name: value.value for name, value in materialization.metadata.items()}


def partition_status(instance: dg.DagsterInstance, key: dg.AssetCheckKey) -> tuple[str, bool]:
    """Status of the newest evaluation over the partition, and whether it is of the newest materialization."""
    (info,) = instance.event_log_storage.get_asset_check_partition_info([key])
    assert info.partition_key == "main"
    return info.latest_execution_status.value, info.is_current


def test_a_candidate_that_answers_worse_is_refused_kept_and_forgotten(
    site: Path, run_graph: RunGraph, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check says why; the live index stays, and the next run is not held up."""
    (site / "golden-queries.toml").write_text(GOLDEN)
    requests: list[int] = []
    whole = gate.judge_readers
    monkeypatch.setattr(gate, "judge_readers", lambda *options: requests.append(1) or whole(*options))
    first = run_graph()
    assert (first.success, golden(first).passed, golden(first).metadata["golden_recall"].value) == (True, True, 1.0)
    assert requests == [1]  # before the switch, and not once more behind it
    assert metadata(first)["golden_recall"] == metadata(first)["golden_ndcg10"] == 1.0
    assert metadata(first)["generation_cost_usd"] == 0.0
    store = Backends(project := open_project(site, {}), {}).store
    scope = project.scope_named("main")
    live = store.generation(scope)

    write_page(site, "docs/ropes", "Trains", "The railway station sells tickets at noon.")
    refused = run_graph()
    assert not refused.success
    assert refused.dagster_run.tags[REFUSED_TAG] == gate.gate_digest(open_project(site, os.environ))
    evaluation = golden(refused)
    assert (evaluation.passed, evaluation.partition, evaluation.severity) == (
        False,
        "main",
        dg.AssetCheckSeverity.ERROR,
    )
    candidate = store.reader_of(scope, "candidate")
    assert evaluation.description is not None
    assert evaluation.description.startswith(f"candidate {candidate.generation.name}: recall@k falls from 1.000 to ")
    assert "'mooring rope'" in evaluation.description
    table = evaluation.metadata["golden_queries_that_changed"]
    assert isinstance(table, dg.TableMetadataValue)
    assert table.records[0].data["query"] == "mooring rope"
    assert evaluation.metadata["golden_recall"].value == 0.5
    (failure,) = refused.get_step_failure_events()
    data = failure.step_failure_data.user_failure_data
    assert data is not None
    assert data.metadata["code"].value == "CANDIDATE_REFUSED"
    assert "golden_queries_answered" in str(data.metadata["next_step"].value)
    assert store.generation(scope) == live
    summary = instance.event_log_storage.get_latest_asset_check_execution_by_key([evaluation.asset_check_key])
    assert summary[evaluation.asset_check_key].status.value == "FAILED"
    assert partition_status(instance, evaluation.asset_check_key) == ("FAILED", True), "as the list of checks shows it"
    others = {item.check_name: item.passed for item in refused.get_asset_check_evaluations()}
    assert others == {**dict.fromkeys(others, True), CHECK: False}, "the other checks are skipped"
    assert len(others) > 5

    write_page(site, "about", "About", "Written by people who like sails as well.")
    write_page(site, "docs/ropes", "Ropes", "A bowline holds a mooring rope without slipping.")
    third = run_graph()
    assert (third.success, golden(third).passed) == (True, True)
    assert float(str(metadata(third)["replaced_age_hours"])) >= 0
    assert [event for event in third.get_asset_check_evaluations() if not event.passed] == []

    write_page(site, "docs/ropes", "Trains", "The railway station sells tickets at noon.")
    accepted = run_graph(accept_quality_drop=True)
    assert accepted.success
    assert (golden(accepted).passed, golden(accepted).severity) == (False, dg.AssetCheckSeverity.WARN)
    assert metadata(accepted)["golden_recall"] == 0.5


def test_the_recall_of_the_vector_index_is_metadata_and_may_refuse(
    site: Path, run_graph: RunGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = sys.modules["searchsocket.pipeline.stages.search_index"]
    monkeypatch.setattr(stage, "recall_of", lambda *options: Recall(0.97, 100))
    assert metadata(run_graph())["vector_recall10"] == 0.97

    def refuse(*_: object) -> NoReturn:
        raise RecallTooLow("main", "20260101T000000Z-aaaaaa", "hnsw ef=20", 0.5, 0.9, "raise vector.qdrant.hnsw.ef")

    monkeypatch.setattr(stage, "recall_of", refuse)
    write_page(site, "about", "About", "Written by people who like sails as well.")
    refused = run_graph()
    (failure,) = refused.get_step_failure_events()
    data = failure.step_failure_data.user_failure_data
    assert data is not None
    named = {name: data.metadata[name].value for name in ("code", "setting")}
    assert named == {"code": "RECALL_TOO_LOW", "setting": "vector.min_recall"}
    checks = refused.get_asset_check_evaluations()
    assert {CHECK, "self_query_roundtrip"} <= {
        check.check_name for check in checks if "skipped" in str(check.description)
    }


def test_truncated_and_migrating_runs_do_what_they_do_on_the_command_line(site: Path, run_graph: RunGraph) -> None:
    """A limit takes nothing out, another model must be asked for, and then only the floors count."""
    (site / "golden-queries.toml").write_text(GOLDEN)
    assert run_graph().success
    store = Backends(project := open_project(site, {}), {}).store
    scope = project.scope_named("main")
    limited = run_graph(max_pages=2)
    live = store.generation(scope)
    assert (limited.success, live and live.pages) == (True, 5)
    (site / "searchsocket.toml").write_text('[embeddings]\nprovider = "hash"\n')
    (failure,) = run_graph().get_step_failure_events()
    data = failure.step_failure_data.user_failure_data
    assert data is not None
    assert data.metadata["code"].value == "EMBEDDING_MODEL_MISMATCH"
    assert store.generation(scope) == live
    migrated = run_graph(force=True)
    assert migrated.success
    (model,) = [
        evaluation
        for evaluation in migrated.get_asset_check_evaluations()
        if evaluation.check_name == "model_matches_manifest"
    ]
    assert model.description is not None
    assert model.description.startswith("the run migrates from ")
    after = store.generation(scope)
    assert after is not None
    assert after.model_id.startswith("hash-")
    assert metadata(migrated)["index_bytes"] > 1_000  # type: ignore[operator]


def test_a_rollback_is_a_job_that_the_assets_page_shows(
    site: Path, run_graph: RunGraph, instance: dg.DagsterInstance
) -> None:
    run_graph()
    store = Backends(project := open_project(site, {}), {}).store
    scope = project.scope_named("main")
    first = store.generation(scope)
    write_page(site, "about", "About", "Written by people who like sails as well.")
    run_graph()
    job = build_definitions(str(site)).resolve_job_def("rollback_scope")
    result = job.execute_in_process(instance=instance, partition_key="main")
    assert result.success
    assert store.generation(scope) == first
    (record,) = instance.fetch_observations(dg.AssetKey("search_index"), limit=1).records
    assert record.asset_observation is not None
    assert record.asset_observation.partition == "main"
    assert first is not None
    assert record.asset_observation.metadata["generation"].value == first.name
    again = job.execute_in_process(instance=instance, partition_key="main", raise_on_error=False)
    (failure,) = again.get_step_failure_events()
    data = failure.step_failure_data.user_failure_data
    assert data is not None
    assert data.metadata["code"].value == "NO_GENERATION_BEFORE"
