"""Output of commands: text for people, JSON for programs."""

import json
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from searchsocket.cli.log_lines import log_lines
from searchsocket.cli.options import is_quiet, wants_json
from searchsocket.system.json_text import JsonObject
from searchsocket.text.amounts import ago as ago
from searchsocket.text.amounts import count as count
from searchsocket.text.hidden import visible_in, without_hidden
from searchsocket.text.skipped import Skipped, skipped_words

if TYPE_CHECKING:
    from searchsocket.project.project import Project

_SPACES = re.compile("[\x0b-\x0d\x1c-\x1f\x85\u2028\u2029]")  # controls that separate words


@dataclass(frozen=True, slots=True)
class CheckLine:
    """One line of a report on a check, with the fix."""

    name: str
    ok: bool
    detail: str
    fix: str = ""


def print_json(value: object) -> None:
    """Print one object on one line of stdout."""
    click.echo(json.dumps(visible_in(value), ensure_ascii=False))


def say(text: str) -> None:
    """Print a result for people to stdout, or as a log line; nothing with `--quiet`."""
    if is_quiet():
        return
    if lines := log_lines():
        lines.log("info", message=click.unstyle(text))
    else:
        click.echo(text)


def print_error(code: str, message: str) -> None:
    """Print `error [CODE]: message` to stderr, or with `--json` an object to stdout."""
    if lines := log_lines():
        lines.log("error", code=code, message=message)
    if wants_json():
        try:
            print_json({"error": {"code": code, "message": message}})
        except OSError:  # stdout itself fails
            click.echo(error_line(code, message), err=True)
    elif not lines:
        click.echo(error_line(code, message), err=True)


def warn(error: BaseException) -> None:
    """Print an error that the command survives to stderr."""
    click.echo(f"warning: {error}", err=True)


def error_line(code: str, message: str) -> str:
    """`error [CODE]: message`."""
    return f"{click.style(f'error [{code}]', fg='red', bold=True)}: {safe(message)}"


def safe(text: str) -> str:
    """Remove all characters that control a terminal, such as escape sequences, and other hidden ones."""
    return without_hidden(_SPACES.sub(" ", text))


def line_width() -> int:
    """Return the maximum columns of a line on stdout; lines are wrapped for people only, not for programs."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 10_000


def hanging(line: str, width: int, indent: int) -> str:
    """Wrap a line at words; further lines are indented by `indent` columns."""
    wrapped = textwrap.wrap(line, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(wrapped)


def size(bytes_: int) -> str:
    """Format a size, such as `12 kB`, `3.4 MB` or `1.2 GB`."""
    for unit, name, digits in ((1e9, "GB", 1), (1e6, "MB", 1)):
        if bytes_ >= unit:
            return f"{bytes_ / unit:.{digits}f} {name}"
    return f"{bytes_ / 1e3:.0f} kB"


def not_searched(skipped: Iterable[tuple[str, str]], reasons: Mapping[str, int]) -> Iterator[str]:
    """Yield a line about files that are not searched, if there are any."""
    if words := skipped_words([Skipped(*each) for each in skipped], reasons):
        yield f"not searched: {safe(words)}"


def code_up_to_date(files: int, chunks: int) -> str:
    """The line for an index of source code in which nothing changed."""
    return f"up to date: {count(files, 'file')}, {count(chunks, 'chunk')}"


@dataclass(frozen=True, slots=True)
class PartStatus:
    """The status of what an extension keeps in a project."""

    json: Sequence[JsonObject]
    lines: Sequence[str]  # for people
    is_broken: bool = False


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """A check of an extension."""

    run: Callable[["Project"], Iterator[CheckLine]]
    fix: str  # of an error that names none
