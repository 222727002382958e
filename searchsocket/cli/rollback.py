"""`searchsocket rollback`: switch back to the previous generation."""

import os
from pathlib import Path

import click

from searchsocket.cli.options import load_scope, log_options, scope_options
from searchsocket.cli.output import count, print_json, say
from searchsocket.pipeline.run.rollback import roll_back


@click.command()
@scope_options
@log_options
def rollback(root: Path, scope_name: str | None, as_json: bool) -> None:
    """Make the previous generation of a scope live again.

    The next `searchsocket index` publishes a new generation.

    \b
    Example:
      searchsocket rollback --scope main
    """

    project, scope = load_scope(root, scope_name)
    live, replaced = roll_back(project, scope, os.environ)
    if as_json:
        print_json({"scope": scope.name, "generation": live.name, "replaced": replaced})
        return
    say(
        f"{click.style(scope.name, bold=True)}: generation {live.name} is live again "
        f"({count(live.pages, 'page')}, {count(live.records, 'record')}, published {live.published_at})"
    )
