"""Worker processes end when their owner does, also by kill -9, whatever they are doing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.crashes.processes import gone, session_members
from searchsocket.system.processes import map_batches

OWNER = """
import sys
sys.path[:0] = sys.argv[1:]
import test_lifetime
test_lifetime.own(test_lifetime.{work})
"""


def hold_the_interpreter(number: int) -> None:
    """Like a parser that never comes back from C: no other thread of the process runs again."""
    _say_pid()
    from re import match

    match(r"(a+)+$", "a" * 60 + "b")


def wait_for_ever(number: int) -> None:
    _say_pid()
    import threading

    threading.Event().wait()


def _say_pid() -> None:
    os.write(1, f"{os.getpid()}\n".encode())


def own(work: object) -> None:
    """Run the pool as its owner: two batches are in progress when it is killed."""
    list(map_batches(work, range(8), workers=2, lost=lambda _: None))  # type: ignore[arg-type]


@pytest.mark.parametrize("work", [hold_the_interpreter, wait_for_ever])
def test_no_process_outlives_an_owner_that_was_killed(work: object) -> None:
    here = Path(__file__).parent
    code = OWNER.format(work=work.__name__)  # type: ignore[attr-defined]
    command = [sys.executable, "-c", code, str(here), str(here.parents[1])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True) as owner:
        assert owner.stdout is not None
        workers = {int(owner.stdout.readline()) for _ in range(2)}
        members = session_members(owner.pid)
        assert workers <= set(members)
        assert len(members) >= 4  # with what started them and what looks after their semaphores
        owner.kill()
    assert gone(owner.pid)
