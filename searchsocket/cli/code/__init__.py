"""`searchsocket code`: search the index of the source code, and keep it up to date."""

import click

from searchsocket.cli.commands import LoadedCommands

_MODULES = {
    "init": "init",
    "status": "upkeep",
    "sync": "sync",
    "search": "search",
    "find": "find",
    "fetch": "fetch",
    "related": "related",
    "invalidate": "upkeep",
    "serve": "serve",
}


@click.group(commands=LoadedCommands({name: f"searchsocket.cli.code.{module}" for name, module in _MODULES.items()}))
def code() -> None:
    """Search the source code and keep its index up to date.

    \b
    Example:
      searchsocket code sync
      searchsocket code search verifyToken
    """
