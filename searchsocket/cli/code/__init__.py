"""`searchsocket code`: ask the index of the source code, and keep it up to date."""

import click

from searchsocket.cli.code.fetch import fetch
from searchsocket.cli.code.find import find
from searchsocket.cli.code.related import related
from searchsocket.cli.code.search import search


@click.group()
def code() -> None:
    """Ask the index of the source code.

    \b
    Example:
      searchsocket index --only code
      searchsocket code search verifyToken
    """


for command in (search, find, fetch, related):
    code.add_command(command)
