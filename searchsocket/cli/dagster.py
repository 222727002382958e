"""`searchsocket dagster`: Dagster's UI and daemon over this project's runs."""

import os
import sys
from importlib import resources
from pathlib import Path

import click

from searchsocket.cli import exits
from searchsocket.cli.options import load_project, project_option


@click.command(epilog=exits.HELP)
@project_option
@click.option("--host", default="127.0.0.1", show_default=True, help="The UI has no login: keep it on this machine.")
@click.option("--port", type=click.IntRange(1, 65535), default=3000, show_default=True)
def dagster(root: Path, host: str, port: int) -> None:
    """Start `dagster dev` with this project's home, so that its runs and those of `index` are in one place.

    \b
    Example:
      searchsocket dagster --port 3000
    """
    from searchsocket.access import make_private_folders
    from searchsocket_assets.home import HOME_VARIABLE, dagster_home, prepare_home

    project = load_project(root)
    home = dagster_home(project, os.environ)
    make_private_folders(project)
    prepare_home(home)
    workspace = resources.files("searchsocket_assets").joinpath("workspace.yaml")
    arguments = [sys.executable, "-m", "dagster", "dev", "-w", str(workspace), "-h", host, "-p", str(port)]
    click.echo(f"{HOME_VARIABLE}={home}\n{' '.join(arguments)}")
    environ = {**os.environ, HOME_VARIABLE: str(home), "SEARCHSOCKET_PROJECT": str(project.root)}
    # Replaced rather than supervised: signals go to Dagster itself.
    os.execve(sys.executable, arguments, environ)  # noqa: S606
