"""The library's words in Dagster's."""

import logging

import dagster as dg
import pytest

from searchsocket.errors import (
    BudgetExceeded,
    ConfigMissing,
    Interrupted,
    SearchSocketError,
    SourceUnavailable,
    StateUnavailable,
)
from searchsocket.events import Event
from searchsocket.pipeline.run.report import RunFailure
from searchsocket_assets.run.translate import errors_as_failures, events_logged, failure_of, setting_of


def test_an_error_is_a_failure_with_code_setting_and_next_step() -> None:
    with pytest.raises(dg.Failure) as caught, errors_as_failures():
        raise BudgetExceeded(2.0, 1.0)
    metadata = {name: entry.value for name, entry in caught.value.metadata.items()}
    assert list(metadata) == ["code", "setting", "next_step", "message"]
    assert (metadata["code"], metadata["setting"]) == ("BUDGET_EXCEEDED", "costs.budget.run_usd")
    assert "budget" in str(metadata["next_step"])
    assert (caught.value.description or "").splitlines()[1] == "Setting: costs.budget.run_usd"


@pytest.mark.parametrize(
    ("error", "setting"),
    [
        (SourceUnavailable("robots.txt of http://127.0.0.1:9 cannot be read: refused"), "source.crawl.base_url"),
        (ConfigMissing("source.static_output_dir is 'x', but there is no folder"), "source.static_output_dir"),
        (StateUnavailable("no room"), ""),
    ],
)
def test_the_setting_is_the_one_that_the_message_names(error: SearchSocketError, setting: str) -> None:
    failure = RunFailure.of("site_pages", error)
    assert setting_of(failure) == setting
    assert ("setting" in failure_of(failure).metadata) == bool(setting)
    assert "searchsocket doctor" in str(failure_of(failure).metadata["next_step"].value)


def test_a_run_that_was_told_to_stop_is_interrupted() -> None:
    """Dagster then says CANCELED where somebody asked it to cancel, and tries nothing again."""
    with pytest.raises(dg.DagsterExecutionInterruptedError), errors_as_failures():
        raise Interrupted("told to stop")


def test_a_bug_stays_a_bug() -> None:
    with pytest.raises(KeyError), errors_as_failures():
        raise KeyError("x")


def test_the_log_is_bounded(caplog: pytest.LogCaptureFixture) -> None:
    """Dagster's log is a database: a row for each of 10,000 pages would be most of the run."""
    log = logging.getLogger("events")
    with caplog.at_level(logging.INFO, "events"), events_logged(log) as on_event:  # type: ignore[arg-type]
        for page in range(100):
            on_event(Event("page_extracted", {"url": f"/{page}"}))
            on_event(Event("progress", {"done": page}))
    assert [record.message for record in caplog.records] == [
        *(f"page_extracted url=/{page}" for page in range(5)),
        "page_extracted: 100 in all, the first 5 are shown",
    ]
