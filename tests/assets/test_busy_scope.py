"""A run from the UI or a schedule that meets a busy scope."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
import pytest

from searchsocket.events import Event, OnEvent
from searchsocket_assets import assets
from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.run.translate import events_logged
from searchsocket_assets.site import ensure_scope

pytestmark = pytest.mark.dagster

HOLDER = """
import sys
from pathlib import Path
from searchsocket.system.locks import scope_lock
with scope_lock(Path(sys.argv[1]), "main"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(site: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that works on the scope until its input ends."""
    command = [sys.executable, "-c", HOLDER, str(site / ".searchsocket")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def run(
    site: Path, instance: dg.DagsterInstance, on_busy: Callable[[], object], **options: float
) -> tuple[dg.ExecuteInProcessResult, list[Event]]:
    """A run that calls `on_busy` when it begins to wait."""
    busy: list[Event] = []

    @contextmanager
    def logged(log: dg.DagsterLogManager) -> Iterator[OnEvent]:
        def on_event(event: Event) -> None:
            to_dagster(event)
            if event.name == "scope_busy":
                busy.append(event)
                on_busy()

        with events_logged(log) as to_dagster:
            yield on_event

    ensure_scope(instance, "main")
    config = {
        "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
        "resources": {"options": {"config": options}},
    }
    job = build_definitions(str(site)).resolve_job_def("index_site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assets, "events_logged", logged)
        result = job.execute_in_process(config, instance=instance, partition_key="main", raise_on_error=False)
    return result, busy


def test_it_waits_until_the_scope_is_free(
    site: Path, instance: dg.DagsterInstance, holder: "subprocess.Popen[str]"
) -> None:
    """Minutes by default: a schedule suits itself to a deploy that is indexing."""
    assert holder.stdin is not None
    result, busy = run(site, instance, holder.stdin.close)
    assert result.success
    assert [event.fields["scope"] for event in busy] == ["main"]
    assert f"process {holder.pid} on " in busy[0].fields["owner"]


def test_it_waits_no_longer_than_it_may(
    site: Path, instance: dg.DagsterInstance, holder: "subprocess.Popen[str]"
) -> None:
    result, busy = run(site, instance, lambda: None, lock_timeout_s=0.01)
    assert len(busy) == 1
    assert code_of(result) == "SCOPE_LOCKED"


def test_it_need_not_wait(site: Path, instance: dg.DagsterInstance, holder: "subprocess.Popen[str]") -> None:
    result, busy = run(site, instance, lambda: None, lock_timeout_s=0)
    assert busy == []
    assert code_of(result) == "SCOPE_LOCKED"


def test_it_can_be_told_to_stop_while_it_waits(
    site: Path, instance: dg.DagsterInstance, holder: "subprocess.Popen[str]"
) -> None:
    """Dagster ends a run by SIGINT to its process."""
    result, busy = run(site, instance, lambda: os.kill(os.getpid(), signal.SIGINT))
    assert len(busy) == 1
    assert not result.success
    assert holder.poll() is None  # it did not wait for that
    assert not (site / ".searchsocket" / "index").exists()


def code_of(result: dg.ExecuteInProcessResult) -> object:
    (failure,) = result.get_step_failure_events()
    failure_data = failure.step_failure_data.user_failure_data
    assert failure_data is not None
    return failure_data.metadata["code"].value
