"""Words for people on a terminal or in a pipe, and JSON for machines."""

import json
import shutil
import sys
import textwrap
import unicodedata
from dataclasses import dataclass
from typing import Any

import click

from searchsocket.cli.log_lines import log_lines
from searchsocket.cli.options import is_quiet, wants_json
from searchsocket.text.amounts import ago as ago
from searchsocket.text.amounts import count as count


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One line of a report on a check, with the fix."""

    name: str
    ok: bool
    detail: str
    fix: str = ""


_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
_JOINERS = "\u200c\u200d"  # they hold the letters of some scripts, and emoji, together


def print_json(value: Any) -> None:
    """One object on one line of stdout."""
    click.echo(json.dumps(value, ensure_ascii=False))


def say(text: str) -> None:
    """Print a result for people to stdout, or as a log line; nothing with `--quiet`."""
    if is_quiet():
        return
    if lines := log_lines():
        lines.log("info", message=click.unstyle(text))
    else:
        click.echo(text)


def print_error(code: str, message: str) -> None:
    """`error [CODE]: message` on stderr, or with `--json` an object on stdout."""
    if lines := log_lines():
        lines.log("error", code=code, message=message)
    if wants_json():
        print_json({"error": {"code": code, "message": message}})
    elif not lines:
        click.echo(error_line(code, message), err=True)


def error_line(code: str, message: str) -> str:
    """`error [CODE]: message`."""
    return f"{click.style(f'error [{code}]', fg='red', bold=True)}: {safe(message)}"


def safe(text: str) -> str:
    """`text` without what would steer a terminal: escape sequences, controls, directional overrides."""
    return "".join(_printable(char) for char in text)


def _printable(char: str) -> str:
    if char in "\n\t" or char in _JOINERS or unicodedata.category(char) not in _INVISIBLE:
        return char
    return " " if char.isspace() else ""


def line_width() -> int:
    """Columns that a line on stdout may take: lines are wrapped for eyes, not for other programs."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 10_000


def hanging(line: str, width: int, indent: int) -> str:
    """`line`, wrapped at words; what goes on stands `indent` columns in."""
    wrapped = textwrap.wrap(line, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(wrapped)


def size(bytes_: int) -> str:
    """`12 kB`, `3.4 MB`, `1.2 GB`."""
    for unit, name, digits in ((1e9, "GB", 1), (1e6, "MB", 1)):
        if bytes_ >= unit:
            return f"{bytes_ / unit:.{digits}f} {name}"
    return f"{bytes_ / 1e3:.0f} kB"
