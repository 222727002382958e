"""Open a Dagster home: under a lock, and with errors that name it.

The first open creates the databases of the home. Two concurrent first opens would write two versions into them, which
Dagster could then never open again.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from typing import Any, TextIO

import dagster as dg
import yaml
from filelock import FileLock, Timeout
from sqlalchemy.exc import SQLAlchemyError

from searchsocket.errors import StateUnavailable
from searchsocket.system.errors import client_error, is_full
from searchsocket.system.files import write_atomic

_LOCK = ".opening.lock"
_PATIENCE_S = 60.0
_SETTINGS = "dagster.yaml"
_OF_COMMANDS = ".searchsocket-command.yaml"


@contextmanager
def open_instance(home: Path) -> Iterator[dg.DagsterInstance]:
    """Open the instance of a home.

    Raises:
        StateUnavailable: The Dagster home cannot be used.
    """
    with home_errors(home):
        with _locked_home(home):
            instance = _open(home, _SETTINGS)
        with instance:
            yield instance


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


_NOISE = "Exception while writing logger call to event log"  # followed by the whole statement in SQL


@contextmanager
def home_errors(home: Path) -> Iterator[None]:
    """Convert an error of Dagster or its databases about their home to an error that names it.

    Raises:
        StateUnavailable: A file of the home is damaged, or the disk is full.
    """
    try:
        yield
    except (dg.DagsterError, SQLAlchemyError, yaml.YAMLError, OSError, ValueError) as error:
        if is_full(home, error):
            raise client_error("cannot write the Dagster home", home, error) from error
        reason = str(error).strip().split("\n")[0]
        raise StateUnavailable(
            f"the Dagster home {home} cannot be used ({reason}); free space, or rename the folder and run again: "
            "it contains only the history of runs"
        ) from error


@contextmanager
def without_storage_noise() -> Iterator[None]:
    """Suppress Dagster's messages about log lines that it could not store; the relevant error ends the run."""
    with redirect_stderr(_Filter(sys.stderr)):
        yield


class _Filter:
    """A text stream without these messages."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return len(text) if text.startswith(_NOISE) else self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
