"""`searchsocket code`: search the index of the source code, and keep it up to date."""

import click

from searchsocket.cli.commands import LoadedCommands

_PLACES = {
    "init": "init:init",
    "status": "upkeep:status",
    "sync": "sync:sync",
    "search": "requests:search",
    "find": "requests:find",
    "fetch": "requests:fetch",
    "related": "requests:related",
    "invalidate": "upkeep:invalidate",
    "serve": "serve:serve",
}


@click.group(commands=LoadedCommands({name: f"{__name__}.{place}" for name, place in _PLACES.items()}))
def code() -> None:
    """Search the source code and keep its index up to date.

    \b
    Example:
      searchsocket code sync
      searchsocket code search verifyToken
    """
