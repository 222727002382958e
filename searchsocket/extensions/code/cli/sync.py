"""`searchsocket code sync`. Loads little if nothing changed."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import click

from searchsocket.cli.options import log_options, scope_options
from searchsocket.cli.output import code_up_to_date, not_searched, say
from searchsocket.pipeline.unchanged.record import unchanged_since

FOLDER = "code"  # in the state folder


@click.command()
@scope_options
@log_options
def sync(root: Path, scope_name: str | None, as_json: bool) -> None:
    """Index the source files that changed.

    Works without Dagster; `searchsocket index --only code` does the same as a Dagster run.

    \b
    Example:
      searchsocket code sync
    """
    now = datetime.now(UTC)
    stamp, words = int(now.timestamp() * 1e9), now.isoformat(timespec="seconds").replace("+00:00", "Z")
    if last := unchanged_since(str(root), scope_name, os.environ, now_ns=stamp, checked_at=words, corpus=FOLDER):
        if as_json:
            click.echo(json.dumps(last.summary, separators=(",", ":"), ensure_ascii=False))
        else:
            say(code_up_to_date(last.summary["files"], last.summary["chunks"]))
            skipped = [(each["page"], each["reason"]) for each in last.summary["skipped"]]
            for line in not_searched(skipped, last.summary["skipReasons"]):
                say(line)
        return
    from searchsocket.extensions.code.cli.upkeep import sync_now  # loads the code that indexes

    sync_now(root, scope_name, as_json=as_json)
