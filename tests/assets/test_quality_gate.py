"""Golden queries before the switch, in a run of Dagster."""

from pathlib import Path

import dagster as dg
import pytest
from runner_types import RunGraph
from small_site import write_page

from searchsocket.project.backends import Backends
from searchsocket.project.project import open_project

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
    (evaluation,) = [each for each in result.get_asset_check_evaluations() if each.check_name == CHECK]
    return evaluation


def metadata(result: dg.ExecuteInProcessResult) -> dict[str, object]:
    (made,) = [
        event.materialization
        for event in result.get_asset_materialization_events()
        if event.asset_key == dg.AssetKey("search_index")
    ]
    return {name: value.value for name, value in made.metadata.items()}


def test_a_candidate_that_answers_worse_is_refused_kept_and_forgotten(
    site: Path, run_graph: RunGraph, instance: dg.DagsterInstance
) -> None:
    """The check says why; the live index stays, and the next run is not held up."""
    (site / "golden-queries.toml").write_text(GOLDEN)
    first = run_graph()
    assert (first.success, golden(first).passed) == (True, True)
    assert metadata(first)["golden_recall"] == metadata(first)["golden_ndcg10"] == 1.0
    store = Backends(project := open_project(site, {}), {}).store
    scope = project.scope_named("main")
    live = store.generation(scope)

    write_page(site, "docs/ropes", "Trains", "The railway station sells tickets at noon.")
    refused = run_graph()
    assert not refused.success
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
    table = evaluation.metadata["golden_queries_that_moved"]
    assert isinstance(table, dg.TableMetadataValue)
    assert table.records[0].data["query"] == "mooring rope"
    assert evaluation.metadata["golden_recall"].value == 0.5
    (failure,) = refused.get_step_failure_events()
    data = failure.step_failure_data.user_failure_data
    assert data is not None
    assert data.metadata["code"].value == "CANDIDATE_REFUSED"
    assert store.generation(scope) == live
    summary = instance.event_log_storage.get_latest_asset_check_execution_by_key([evaluation.asset_check_key])
    assert summary[evaluation.asset_check_key].status.value == "FAILED"

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
