"""Open a Dagster home under a lock, since the first open creates its databases.

Two concurrent first opens would write two versions into the databases, which Dagster could then never open again.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
import yaml
from filelock import FileLock, Timeout

from searchsocket.system.files import write_atomic

_LOCK = ".opening.lock"
_PATIENCE_S = 60.0
_SETTINGS = "dagster.yaml"
_OF_COMMANDS = ".searchsocket-command.yaml"


def open_instance(home: Path) -> dg.DagsterInstance:
    """Open the instance of a home; the caller closes it."""
    with _locked_home(home):
        return _open(home, _SETTINGS)


def open_for_command(home: Path) -> dg.DagsterInstance:
    """Open the instance of a home for a run in this process, without Dagster's capture of output.

    The capture takes four more processes, which complain on Ctrl-C, and takes the terminal away from a progress bar.
    """
    with _locked_home(home):
        return _open(home, _settings_of_commands(home))


def _open(home: Path, settings: str) -> dg.DagsterInstance:
    if set("?%") & set(str(home)):  # Dagster puts the path into a URL as it is
        return dg.DagsterInstance.ephemeral()
    return dg.DagsterInstance.from_config(str(home), settings)


def _settings_of_commands(home: Path) -> str:
    """The name of a settings file in the home that turns off the capture of output."""
    text = (home / _SETTINGS).read_text(encoding="utf-8") if (home / _SETTINGS).is_file() else ""
    settings = yaml.safe_load(text) or {}
    if not isinstance(settings, dict):
        return _SETTINGS  # Dagster will report the problem
    with dg.DagsterInstance.ephemeral() as without_capture:
        manager = type(without_capture.compute_log_manager)
    settings["compute_logs"] = {"module": manager.__module__, "class": manager.__name__}
    content = yaml.safe_dump(settings).encode()
    path = home / _OF_COMMANDS
    if not path.is_file() or path.read_bytes() != content:
        write_atomic(path, content)
    return _OF_COMMANDS


@contextmanager
def _locked_home(home: Path) -> Iterator[None]:
    lock = FileLock(home / _LOCK)
    try:
        lock.acquire(timeout=_PATIENCE_S)
    except (Timeout, OSError):  # another process hangs, or the home is read-only and has its databases
        yield
        return
    try:
        yield
    finally:
        lock.release()
