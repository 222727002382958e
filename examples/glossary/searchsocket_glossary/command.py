"""`searchsocket glossary`."""

from pathlib import Path

import click

from searchsocket.cli.options import json_option, load_project, project_option
from searchsocket.cli.output import safe
from searchsocket.serving.answers import to_json
from searchsocket_glossary.terms import define


@click.command()
@click.argument("term")
@project_option
@json_option
def glossary(term: str, root: Path, as_json: bool) -> None:
    """Show the definition of a term.

    \b
    Example:
      searchsocket glossary mooring
    """
    found = define(load_project(root), term)
    click.echo(to_json(found, sources=True).decode() if as_json else f"{safe(found.term)}: {safe(found.definition)}")
