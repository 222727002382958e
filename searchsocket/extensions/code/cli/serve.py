"""`searchsocket code serve`."""

import os
import sys
from pathlib import Path

import click

from searchsocket.cli.options import load_project, load_scope, scope_options
from searchsocket.extensions.code.chunk_ids import ChunkIds
from searchsocket.extensions.code.home import code_home
from searchsocket.extensions.code.jsonl import LineServer, Opened
from searchsocket.extensions.code.serving.service import open_code
from searchsocket.extensions.code.serving.upkeep import open_upkeep
from searchsocket.system.stdio import protocol_streams

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
