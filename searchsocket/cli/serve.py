"""`searchsocket serve`: the search API of this project (spec 14)."""

import os
from dataclasses import replace
from pathlib import Path

import click

from searchsocket.cli import exits
from searchsocket.cli.options import load_project, project_option
from searchsocket.cli.output import safe

DEFAULT_PORT = 8181


@click.command(epilog=exits.HELP)
@project_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=DEFAULT_PORT, show_default=True, help="0 = any free one."
)
@click.option(
    "--scope", "scopes", multiple=True, metavar="NAME", help="Scope that anyone may read; repeat for several."
)
def serve(root: Path, host: str, port: int, scopes: tuple[str, ...]) -> None:
    """Serve the search API until Ctrl-C; a new generation is picked up without a restart.

    \b
    Example:
      searchsocket serve --port 8181
      curl "http://127.0.0.1:8181/api/search?q=install"
    """
    project = load_project(root)
    if scopes:
        names = tuple(project.scope(os.environ, name).name for name in scopes)
        api = project.settings.api.model_copy(update={"scopes": names})
        project = replace(project, settings=project.settings.model_copy(update={"api": api}))
    from search_api.server import serve as serve_api

    def told(url: str) -> None:
        click.echo(f"Searching at {url}{project.settings.api.path}?q=...   (Ctrl-C stops)")

    def failed(error: BaseException) -> None:
        click.echo(f"error [INTERNAL_ERROR]: {safe(repr(error))}", err=True)

    serve_api(project, host=host, port=port, environ=os.environ, on_start=told, on_error=failed)
