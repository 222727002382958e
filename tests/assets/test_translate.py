"""The library's words in Dagster's."""

import logging

import dagster as dg
import pytest

from searchsocket.errors import BudgetExceeded, Interrupted
from searchsocket.events import Event
from searchsocket.pipeline.run.numbers import EmbeddingNumbers
from searchsocket.pipeline.run.results import StageResult
from searchsocket_assets.run.translate import errors_as_failures, events_logged, materialized

RESULT = StageResult(
    stage="site_pages",
    total=2,
    numbers=EmbeddingNumbers.of({"created": 2, "estimated_cost_usd": 0.25}),
    version="abc",
    seconds=1.23456,
    warnings=("one page is odd",),
    tables={"Biggest pages": [{"url": "/a", "bytes": 12}, {"url": "/b", "note": ["x"]}], "Skipped files": []},
    preview="# Home",
)


def test_numbers_stay_plain_so_that_dagster_plots_them() -> None:
    metadata = materialized(RESULT).metadata or {}
    plain = {key: value for key, value in metadata.items() if isinstance(value, int | float)}
    assert plain == {
        "dagster/row_count": 2, "unique_texts": 0, "created": 2, "reused": 0, "estimated_tokens": 0,
        "estimated_cost_usd": 0.25, "dimensions": 0, "seconds": 1.235, "warnings": 1,
    }  # fmt: skip


def test_the_version_of_the_stage_is_the_data_version() -> None:
    assert materialized(RESULT).data_version == dg.DataVersion("abc")


def test_a_table_keeps_its_columns_where_rows_differ() -> None:
    metadata = materialized(RESULT).metadata or {}
    table = metadata["biggest_pages"]
    assert isinstance(table, dg.TableMetadataValue)
    assert [(column.name, column.type) for column in table.schema.columns] == [
        ("url", "string"),
        ("bytes", "int"),
        ("note", "string"),
    ]
    assert [record.data for record in table.records] == [
        {"url": "/a", "bytes": 12, "note": None},
        {"url": "/b", "bytes": None, "note": "['x']"},
    ]
    assert "skipped_files" not in metadata


def test_an_error_is_a_failure_with_its_code() -> None:
    with pytest.raises(dg.Failure) as caught, errors_as_failures():
        raise BudgetExceeded(2.0, 1.0)
    assert caught.value.metadata["code"].value == "BUDGET_EXCEEDED"


def test_a_run_that_was_told_to_stop_is_interrupted() -> None:
    """Dagster then says CANCELED where somebody asked it to cancel, and tries nothing again."""
    with pytest.raises(dg.DagsterExecutionInterruptedError), errors_as_failures():
        raise Interrupted("told to stop")


def test_a_bug_stays_a_bug() -> None:
    with pytest.raises(KeyError), errors_as_failures():
        raise KeyError("x")


def test_the_log_is_bounded_and_the_listener_hears_everything(caplog: pytest.LogCaptureFixture) -> None:
    """Dagster's log is a database: a row for each of 10,000 pages would be most of the run."""
    heard: list[Event] = []
    log = logging.getLogger("events")
    with caplog.at_level(logging.INFO, "events"), events_logged(log, heard.append) as on_event:  # type: ignore[arg-type]
        for page in range(100):
            on_event(Event("page_extracted", {"url": f"/{page}"}))
            on_event(Event("progress", {"done": page}))
    assert len(heard) == 200
    assert [record.message for record in caplog.records] == [
        *(f"page_extracted url=/{page}" for page in range(5)),
        "page_extracted: 100 in all, the first 5 are shown",
    ]
