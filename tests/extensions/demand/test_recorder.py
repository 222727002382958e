"""The recorder writes what may be stored to a file that survives restarts and is shared by processes."""

import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from searchsocket.errors import StateUnavailable
from searchsocket.extensions.demand import log as log_module
from searchsocket.extensions.demand.log import DemandLog, DemandRecorder
from searchsocket.extensions.demand.tally import DemandCounts, DemandRow, SearchEvent


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 26, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


Make = Callable[..., DemandRecorder]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make(tmp_path: Path, clock: Clock) -> Make:
    return lambda **more: DemandRecorder(DemandLog(tmp_path / "state"), 2, 30, clock=clock, **more)


def search(recorder: DemandRecorder, query: str, visitors: int) -> None:
    for number in range(visitors):
        recorder.note(SearchEvent(f"198.51.100.{number}", "main", query, "answered"))


def stored(tmp_path: Path) -> dict[str, DemandCounts]:
    return {row.query: row.counts for row in DemandLog(tmp_path / "state").rows("main", "2026-01-01") if row.query}


def test_counts_survive_a_restart_and_add_up(tmp_path: Path, make: Make) -> None:
    for _ in range(2):
        recorder = make()
        search(recorder, "tides", 3)
        recorder.note(SearchEvent("203.0.113.1", "main", "one visitor"))
        recorder.close()
    assert stored(tmp_path) == {"tides": DemandCounts(6, 6)}
    assert b"one visitor" not in b"".join(path.read_bytes() for path in (tmp_path / "state").iterdir())


def test_a_new_day_starts_at_zero(tmp_path: Path, make: Make, clock: Clock) -> None:
    """One visitor on two days is not two visitors of a query."""
    recorder = make()
    search(recorder, "tides", 1)
    recorder.close()
    clock.now = datetime(2026, 11, 27, tzinfo=UTC)
    search(recorder, "tides", 1)
    recorder.close()
    assert stored(tmp_path) == {}


def test_old_days_and_the_oldest_of_too_many_rows_are_deleted(
    tmp_path: Path, make: Make, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = make()
    search(recorder, "tides", 2)
    recorder.close()
    clock.now = datetime(2026, 12, 26, tzinfo=UTC)
    search(recorder, "moon", 2)
    recorder.close()
    assert set(stored(tmp_path)) == {"moon"}
    log = DemandLog(tmp_path / "state")
    log.add([DemandRow("2026-12-27", "main", DemandCounts(5), f"word {n}") for n in range(5)])
    monkeypatch.setattr(log_module, "MAX_ROWS", 6)
    log.delete_old(date(2026, 12, 27), 30)
    assert set(stored(tmp_path)) == {f"word {n}" for n in range(5)}


def test_a_file_that_cannot_be_used_stops_nothing_and_loses_nothing(tmp_path: Path, make: Make) -> None:
    errors: list[BaseException] = []
    file = tmp_path / "state" / "demand.db"
    file.parent.mkdir()
    file.write_text("no database, but long enough that it could be one" * 100)
    recorder = make(on_error=errors.append)
    search(recorder, "tides", 2)
    recorder.close()
    assert errors
    assert all(isinstance(error, StateUnavailable) for error in errors)
    assert "rename it" in str(errors[0])
    file.unlink()
    recorder.note(SearchEvent("198.51.100.9", "main", "tides"))
    recorder.close()
    assert stored(tmp_path) == {"tides": DemandCounts(3, 3)}


WRITER = """
import sys
from pathlib import Path
from searchsocket.extensions.demand.log import DemandLog
from searchsocket.extensions.demand.tally import DemandCounts, DemandRow
for _ in range(50):
    DemandLog(Path(sys.argv[1])).add([DemandRow("2026-11-26", "main", DemandCounts(1, 1), "tides")])
"""


def test_processes_add_to_one_file(tmp_path: Path) -> None:
    processes = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path / "state")]) for _ in range(3)]
    assert [process.wait(60) for process in processes] == [0, 0, 0]
    assert stored(tmp_path) == {"tides": DemandCounts(150, 150)}
