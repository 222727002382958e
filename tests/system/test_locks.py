"""One run a scope at a time (spec 8.1)."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from searchsocket.errors import ScopeLocked, StateUnavailable
from searchsocket.system.locks import scope_lock

HOLDER = """
import sys
from pathlib import Path
from searchsocket.system.locks import scope_lock
with scope_lock(Path(sys.argv[1]), "main"):
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(state_dir: Path) -> subprocess.Popen[str]:
    """Another process that holds the lock of `main` until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(state_dir)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_another_process_is_refused_and_told_who_holds_it(tmp_path: Path) -> None:
    with holder(tmp_path) as other:
        with pytest.raises(ScopeLocked, match=f"process {other.pid} on "), scope_lock(tmp_path, "main"):
            pass
        with pytest.raises(ScopeLocked, match=f"process {other.pid} on "), scope_lock(tmp_path, "main"):
            pass
        with scope_lock(tmp_path, "other"):
            pass
        other.communicate("")
    with scope_lock(tmp_path, "main"):
        pass


def test_a_dead_owner_holds_nothing(tmp_path: Path) -> None:
    """The lock is the operating system's, so kill -9 releases it; the file that stays behind means nothing."""
    with holder(tmp_path) as other:
        os.kill(other.pid, signal.SIGKILL)
        other.wait()
        assert (tmp_path / ".locks" / "main.owner").exists()
        with scope_lock(tmp_path, "main"):
            pass


def test_waiting_ends_when_the_owner_does(tmp_path: Path) -> None:
    with holder(tmp_path) as other:
        threading.Timer(0.1, other.kill).start()
        with scope_lock(tmp_path, "main", timeout_s=20.0):
            assert other.wait() == -signal.SIGKILL


def test_the_same_thread_may_enter_again(tmp_path: Path) -> None:
    with scope_lock(tmp_path, "main"):
        with scope_lock(tmp_path, "main"):
            pass
        assert other_thread_is_refused(tmp_path)
    assert not other_thread_is_refused(tmp_path)
    with holder(tmp_path) as other:
        other.communicate("")


def other_thread_is_refused(state_dir: Path) -> bool:
    """Return True if another thread of this process cannot take the lock."""
    errors: list[BaseException] = []

    def enter() -> None:
        try:
            with scope_lock(state_dir, "main"):
                pass
        except ScopeLocked as error:
            errors.append(error)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    return bool(errors)


def test_an_error_inside_releases_the_lock(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), scope_lock(tmp_path, "main"):
        raise RuntimeError
    with holder(tmp_path) as other:
        other.communicate("")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / ".locks").write_text("not a folder")
    with pytest.raises(StateUnavailable, match=r"\.locks"), scope_lock(tmp_path, "main"):
        pass
