"""`--log-format json`: a command's whole stderr, as one JSON object per line."""

import json
import os
import re
import sys
import threading
from collections.abc import Mapping
from io import TextIOBase
from typing import TextIO

import click

from searchsocket.system.json_text import json_line

_META = "searchsocket.log_lines"
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_MIN_SECRET_CHARS = 8
_USER_IN_URL = re.compile(r"(?<=://)[^\s/@]+@")
_LEVEL = re.compile(r"\b(DEBUG|INFO|WARNING|ERROR|CRITICAL)\b")  # of lines of other loggers
_STYLE = re.compile(r"\x1b\[[0-9;]*m")


class LogLines(TextIOBase):
    """A stream that writes each line as a JSON object with `time` and `level`.

    Args:
        stream: Target of the objects.
        environ: Values of its secret variables are replaced by `***`, like users and passwords in URLs.
    """

    def __init__(self, stream: TextIO, environ: Mapping[str, str]) -> None:
        self._stream = stream
        self._secrets: list[str] = []
        self.hide(environ)
        self._facts: dict[str, object] = {}
        self._partial_line = ""
        self._lock = threading.RLock()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    @property
    def errors(self) -> str:  # type: ignore[override]
        return "backslashreplace"

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        """The number of the stream, for child processes: their own lines do not pass here."""
        return self._stream.fileno()

    def hide(self, environ: Mapping[str, str]) -> None:
        """Replace the secret values of these variables too."""
        secrets = (value for name, value in environ.items() if _SECRET_NAME.search(name))
        new = {value for value in secrets if len(value) >= _MIN_SECRET_CHARS}
        self._secrets = sorted(new.union(self._secrets), key=len, reverse=True)

    def add_facts(self, **facts: object) -> None:
        """Add fields to all later lines, such as `project`, `scope` and `run`."""
        self._facts |= facts

    def log(self, level: str, **fields: object) -> None:
        """Write one line."""
        text = json_line(level, self._facts | fields)
        with self._lock:
            self._stream.write(f"{self._scrub(text)}\n")
            self._stream.flush()

    def write(self, text: str) -> int:
        """Write plain text, each line as a `message`."""
        with self._lock:
            *lines, self._partial_line = (self._partial_line + text).split("\n")
            for line in filter(str.strip, lines):
                self._log_text(_STYLE.sub("", line.rstrip()))
        return len(text)

    def flush(self) -> None:
        """Flush the stream; a line without an end stays buffered."""
        self._stream.flush()

    def end(self) -> None:
        """Write a last line without an end."""
        if self._partial_line.strip():
            self.write("\n")

    def _log_text(self, text: str) -> None:
        if text.startswith("{"):
            try:
                fields = json.loads(text)
            except ValueError:
                fields = None
            if isinstance(fields, dict) and fields:
                self.log(**{"level": "info", **fields})
                return
        level = _LEVEL.search(text)
        self.log(level[0].lower() if level else "warning", message=text)

    def _scrub(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***").replace(json.dumps(secret)[1:-1], "***")
        return _USER_IN_URL.sub("***@", text)


def begin(ctx: click.Context) -> None:
    """Turn stderr into log lines until the command ends."""
    stream = sys.stderr
    lines = LogLines(stream, os.environ)
    ctx.meta[_META] = lines
    sys.stderr = lines

    def restore() -> None:
        lines.end()
        sys.stderr = stream

    # The outermost context ends after errors were printed.
    ctx.find_root().call_on_close(restore)


def log_lines() -> LogLines | None:
    """Return the log lines of the running command; None without `--log-format json`."""
    ctx = click.get_current_context(silent=True)
    return ctx.meta.get(_META) if ctx else None
