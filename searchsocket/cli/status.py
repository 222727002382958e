"""`searchsocket status`: the index of each scope with its age, size, model and cost (spec 17, 21)."""

import os
from pathlib import Path

import click

from searchsocket.cli.options import json_option, load_project, project_option
from searchsocket.cli.output import print_json
from searchsocket.cli.status_report import StatusReport


@click.command()
@project_option
@json_option
def status(root: Path, as_json: bool) -> None:
    """Show the index of each scope: age, size, model and cost.

    \b
    Example:
      searchsocket status --json
    """

    report = StatusReport.of(load_project(root), os.environ)
    if as_json:
        print_json(report.to_json())
        return
    for line in report.lines():
        click.echo(line)
