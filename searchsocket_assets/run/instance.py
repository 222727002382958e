"""Opening a Dagster home: its databases are made by whoever opens it first.

Two that do so at once leave databases that say twice which version they are of, and that Dagster never opens again.
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
    """The instance of a home, to be closed by the caller."""
    with _alone(home):
        return _opened(home, _SETTINGS)


def open_for_command(home: Path) -> dg.DagsterInstance:
    """The instance of a home for a run in this process, whose output Dagster leaves alone.

    Capturing it takes four more processes, which Ctrl-C makes complain, and takes the terminal from a progress bar.
    """
    with _alone(home):
        return _opened(home, _settings_of_commands(home))


def _opened(home: Path, settings: str) -> dg.DagsterInstance:
    if set("?%") & set(str(home)):  # Dagster puts the path into a URL as it is
        return dg.DagsterInstance.ephemeral()
    return dg.DagsterInstance.from_config(str(home), settings)


def _settings_of_commands(home: Path) -> str:
    """The name of a file in the home with its settings, but without the capture of output."""
    text = (home / _SETTINGS).read_text(encoding="utf-8") if (home / _SETTINGS).is_file() else ""
    settings = yaml.safe_load(text) or {}
    if not isinstance(settings, dict):
        return _SETTINGS  # Dagster says what it thinks of them
    with dg.DagsterInstance.ephemeral() as without_capture:
        manager = type(without_capture.compute_log_manager)
    settings["compute_logs"] = {"module": manager.__module__, "class": manager.__name__}
    content = yaml.safe_dump(settings).encode()
    path = home / _OF_COMMANDS
    if not path.is_file() or path.read_bytes() != content:
        write_atomic(path, content)
    return _OF_COMMANDS


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    lock = FileLock(home / _LOCK)
    try:
        lock.acquire(timeout=_PATIENCE_S)
    except (Timeout, OSError):  # somebody hangs, or a home that can only be read: its databases are there
        yield
        return
    try:
        yield
    finally:
        lock.release()
