"""`searchsocket code serve`: the line protocol over standard input and output, reserved from other code."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from searchsocket.cli.options import load_project, load_scope, scope_options
from searchsocket.extensions.code.chunk_ids import ChunkIds
from searchsocket.extensions.code.home import code_home
from searchsocket.extensions.code.jsonl import LineServer, Opened
from searchsocket.extensions.code.serving.service import open_code
from searchsocket.extensions.code.serving.upkeep import open_upkeep

_IN, _OUT, _ERR = 0, 1, 2


@contextmanager
def protocol_streams() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The streams of requests and responses, until the block ends.

    All other output, here or in a child process, is written to standard error, and a child that reads gets no input.
    A stream that is already closed is empty.
    """
    sys.stdout.flush()
    copies = [_copy(_IN, os.O_RDONLY), _copy(_OUT, os.O_WRONLY)]
    try:
        _point(_IN, os.open(os.devnull, os.O_RDONLY))
        try:
            _point(_OUT, os.dup(_ERR))
        except OSError:  # there is no standard error
            _point(_OUT, os.open(os.devnull, os.O_WRONLY))
        with os.fdopen(os.dup(copies[0]), "rb") as requests, _quiet(os.dup(copies[1])) as answers:
            yield requests, answers
    finally:
        for number, handle in zip((_IN, _OUT), copies, strict=True):
            _point(number, handle)


@contextmanager
def _quiet(handle: int) -> Iterator[BinaryIO]:
    """An unbuffered output stream, so that closing it cannot fail if the reader is gone."""
    stream = os.fdopen(handle, "wb", buffering=0)
    try:
        yield stream
    finally:
        stream.close()


def _copy(number: int, mode: int) -> int:
    try:
        return os.dup(number)
    except OSError:
        return os.open(os.devnull, mode)


def _point(number: int, handle: int) -> None:
    """Redirect a standard stream to another file descriptor, and close that descriptor."""
    if handle != number:
        os.dup2(handle, number)
        os.close(handle)


RULES = """\b
Rules for agents:
  1. Send {"op": "status"}.
  2. If "dirty" is true, send {"op": "sync"}.
  3. Send {"op": "search", "q": "english keywords"}: it returns at most 20
     candidates, two per file. "mode": "hybrid" also finds by meaning.
  4. Send {"op": "fetch", "ids": [...]} for the best of them: at most
     five, with at most 120 lines each ("max_lines").
  Write `q` in English, with words from the code. Translate a question in another
  language, or send English keywords.
"""


@click.command(epilog=RULES)
@click.option("--stdio", is_flag=True, help="Read requests from stdin, write answers to stdout.")
@scope_options
def serve(stdio: bool, root: Path, scope_name: str | None) -> None:
    """Answer requests of agents, one JSON object per line.

    Each request line gets one line: {"ok": true, "op": ..., "data": ...}, or {"ok": false, "op": ..., "error": ...}.
    A line of more than 1 MiB gets an error. Ends when the input ends.

    \b
    Example:
      echo '{"op": "search", "q": "verifyToken"}' | searchsocket code serve --stdio
    """
    if not stdio:
        raise click.UsageError("pass --stdio, the only transport")

    project, scope = load_scope(root, scope_name)

    def open_current() -> Opened:
        current = load_project(root)
        return open_code(current, os.environ, on_error=_report), open_upkeep(current, os.environ)

    server = LineServer(open_current, ChunkIds(code_home(project).state_dir), scope.name, _report)
    with protocol_streams() as (requests, answers):
        server.serve(requests, answers)


def _report(error: BaseException) -> None:
    print(f"warning: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
