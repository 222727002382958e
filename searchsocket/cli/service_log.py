"""Log of the running service on stderr."""

import os
import time
import traceback
from pathlib import Path

import click

from searchsocket.cli.output import safe
from searchsocket.errors import ScopeNotIndexed, SearchSocketError
from searchsocket.system.errors import system_error
from searchsocket.system.json_text import json_line

_REPEAT_S = 600.0  # a repeated warning is written again after so long
_MAX_LINES = 1_000


class ServiceLog:
    """Writes errors of the running service to stderr; can be sent to a worker.

    Args:
        json_lines: Write JSON objects, one per line.
    """

    def __init__(self, *, json_lines: bool = False) -> None:
        self._json_lines = json_lines
        self._written_at: dict[str, float] = {}

    def __call__(self, error: BaseException) -> None:
        line = trouble_line(error)
        now = time.monotonic()
        if now - self._written_at.get(line, -_REPEAT_S) < _REPEAT_S:
            return
        if len(self._written_at) >= _MAX_LINES:
            self._written_at.clear()
        self._written_at[line] = now
        if self._json_lines:
            code, message = _code_and_message(error)
            line = json_line(_level(code), {"code": code, "message": message})
        click.echo(line, err=True)


def trouble_line(error: BaseException) -> str:
    """Return the line for an error that the running service survives."""
    code, message = _code_and_message(error)
    level = _level(code)
    return f"{click.style(f'{level} [{code}]', fg='red' if level == 'error' else 'yellow')}: {safe(message)}"


def _level(code: str) -> str:
    return "error" if code == SearchSocketError.code else "warning"


def _code_and_message(error: BaseException) -> tuple[str, str]:
    """Return the public code and the message of an error; for a bug, with its place in the code."""
    if isinstance(error, OSError):
        error = system_error("cannot use", Path(os.fsdecode(error.filename or "this system")), error)
    if isinstance(error, ScopeNotIndexed):
        return error.code, f"{error}; waiting for the first index"
    if isinstance(error, SearchSocketError):
        return error.code, str(error)
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return SearchSocketError.code, f"{error or 'an unexpected error'}{where}; this is a bug, please report it"
