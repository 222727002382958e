"""Convert errors of Dagster and its databases about their home to errors that name it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from typing import Any, TextIO

import dagster as dg
import yaml
from sqlalchemy.exc import SQLAlchemyError

from searchsocket.errors import StateUnavailable
from searchsocket.system.errors import client_error, is_full

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
