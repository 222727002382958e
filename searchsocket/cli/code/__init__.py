"""`searchsocket code`: ask the index of the source code, and keep it up to date."""

import click

from searchsocket.cli.code.fetch import fetch
from searchsocket.cli.code.find import find
from searchsocket.cli.code.init import init
from searchsocket.cli.code.related import related
from searchsocket.cli.code.search import search
from searchsocket.cli.code.serve import serve
from searchsocket.cli.code.upkeep import invalidate, status, sync


@click.group()
def code() -> None:
    """Search the source code and keep its index up to date.

    \b
    Example:
      searchsocket code sync
      searchsocket code search verifyToken
    """


for command in (init, status, sync, search, find, fetch, related, invalidate, serve):
    code.add_command(command)
