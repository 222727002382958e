"""Open a Dagster home: under a lock, and with errors that name it.

The first open creates the databases of the home. Two concurrent first opens would write two versions into them, which
Dagster could then never open again.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
import yaml
from filelock import FileLock, Timeout
from sqlalchemy.exc import SQLAlchemyError

from searchsocket.errors import StateUnavailable
from searchsocket.system.errors import client_error, is_full

_LOCK = ".opening.lock"
_PATIENCE_S = 60.0


@contextmanager
def open_instance(home: Path) -> Iterator[dg.DagsterInstance]:
    """Open the instance of a home.

    Raises:
        StateUnavailable: The Dagster home cannot be used.
    """
    with _home_errors(home):
        with _locked_home(home):
            instance = dg.DagsterInstance.from_config(str(home))
        with instance:
            yield instance


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


@contextmanager
def _home_errors(home: Path) -> Iterator[None]:
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
