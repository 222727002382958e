"""Work goes over all cores in order, and a worker that dies costs a retry."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from searchsocket.system.processes import default_workers, map_batches


def double(batch: int) -> int:
    return batch * 2


def die_once(batch: tuple[int, Path]) -> int:
    """Kills its own process the first time that it sees number 5."""
    number, marker = batch
    if number == 5 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die_always(batch: int) -> int:
    if batch == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return batch


@pytest.mark.parametrize("error", [OSError(38, "Function not implemented"), ImportError("no sem_open")])
def test_a_system_without_semaphores_does_the_work_in_this_process(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """AWS Lambda and some containers have no `/dev/shm`; the run ended with an internal error."""

    def refuse(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("multiprocessing.synchronize.SemLock.__init__", refuse)
    assert list(map_batches(double, range(5), workers=2, lost=lambda _: -1)) == [0, 2, 4, 6, 8]


def test_results_come_in_the_order_of_the_batches() -> None:
    assert list(map_batches(double, range(50), workers=2, lost=lambda _: -1)) == [n * 2 for n in range(50)]
    assert list(map_batches(double, range(5), workers=1, lost=lambda _: -1)) == [0, 2, 4, 6, 8]
    assert list(map_batches(double, range(5), workers=0, lost=lambda _: -1)) == [0, 2, 4, 6, 8]


@pytest.mark.parametrize(
    ("load", "workers"),
    [
        ("0.20 1 1 1/80 4711", 8),
        ("3.40 1 1 4/80 4711", 6),
        ("90.00 1 1 60/80 4711", 1),
        ("8.00 1 1 1/80 4711", 8),  # what built the site has ended
        ("0.30 1 1 9/80 4711", 8),  # a moment
        ("", 8),
    ],
)
@pytest.mark.parametrize("share", [1, 2])
def test_workers_start_on_cores_that_nobody_else_keeps_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, load: str, workers: int, share: int
) -> None:
    """This process is one of those that the load counts; the load is the machine's, of which some cores may be ours."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8 // share)), raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    (tmp_path / "loadavg").write_text(load)
    assert default_workers(tmp_path / "loadavg") == -(-workers // share)
    assert default_workers(tmp_path / "absent") == 8 // share


def test_a_worker_that_dies_costs_a_retry(tmp_path: Path) -> None:
    batches = [(number, tmp_path / "died") for number in range(12)]
    assert list(map_batches(die_once, batches, workers=2, lost=lambda _: -1)) == list(range(12))
    assert (tmp_path / "died").exists()


def test_a_batch_that_kills_every_worker_is_given_up_alone() -> None:
    results = list(map_batches(die_always, range(12), workers=2, lost=lambda batch: -batch))
    assert results == [-5 if number == 5 else number for number in range(12)]


def die_of_seven(batch: list[int]) -> list[int]:
    if 7 in batch:
        os.kill(os.getpid(), signal.SIGKILL)
    return batch


def test_only_the_part_that_kills_its_worker_is_given_up() -> None:
    """A batch was given up whole, with all that was innocent in it."""
    batches = [list(range(start, start + 4)) for start in range(0, 40, 4)]
    results = map_batches(
        die_of_seven,
        batches,
        workers=2,
        lost=lambda batch: [-n for n in batch],
        split=lambda batch: [[n] for n in batch],
    )
    assert [n for part in results for n in part] == [-n if n == 7 else n for n in range(40)]


def test_batches_are_taken_only_as_workers_need_them() -> None:
    batches: list[int] = []

    def source():  # type: ignore[no-untyped-def]
        for number in range(100):
            batches.append(number)
            yield number

    results = map_batches(double, source(), workers=2, lost=lambda _: -1)
    next(results)
    assert len(batches) <= 5
    results.close()  # type: ignore[attr-defined]


def test_workers_take_no_module_from_the_folder_that_a_command_is_run_in(tmp_path: Path) -> None:
    module_folder = tmp_path / "taken"
    for package in ("searchsocket", "concurrent"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text(f"open({str(module_folder)!r}, 'w').close()")
    script = tmp_path / "elsewhere" / "script.py"
    script.parent.mkdir()
    script.write_text(
        "from searchsocket.system.processes import map_batches\n"
        "if __name__ == '__main__':\n"
        "    print(list(map_batches(abs, [-1, 2], workers=1, lost=abs)))\n"
    )
    result = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert result.stdout == "[1, 2]\n"
    assert not module_folder.exists()
