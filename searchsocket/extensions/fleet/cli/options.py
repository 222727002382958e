"""Options and subcommands that the fleet adds to `serve` and `mcp`."""

import click

from searchsocket.cli.options import WholeNumber, with_options
from searchsocket.extensions.fleet.cli.mcp_projects import add, list_, remove, sync


def for_serve(command: click.Command) -> click.Command:
    """Return `searchsocket serve` with the options for pushed indexes and for many projects."""
    options = [
        click.Option(
            ["--artifacts", "url"],
            default="",
            metavar="URL",
            help="Serve a pushed index from this URL; needs no local index.",
        ),
        click.Option(
            ["--projects", "location"],
            default="",
            metavar="DIR|URL",
            help="Serve every project in this folder, or below this URL of an object store, each opened by its first "
            "request.",
        ),
        click.Option(
            ["--memory-mb"],
            type=WholeNumber(16, 1_000_000),
            default=600,
            show_default=True,
            help="With --projects: memory of each process for open projects; the least recently used are closed.",
        ),
        click.Option(
            ["--disk-mb"],
            type=WholeNumber(1, 100_000_000),
            default=20_000,
            show_default=True,
            help="With --projects: disk for pulled indexes; the least recently used are removed.",
        ),
    ]
    return with_options(command, options, after="scopes")


def for_mcp(group: click.Group) -> click.Group:
    """Return `searchsocket mcp` with an option for pushed indexes, and commands for the user's list."""
    urls = click.Option(
        ["--artifacts", "urls"],
        multiple=True,
        metavar="URL",
        help="Serve a pushed index from this URL; repeat for several.",
    )
    changed = with_options(group, [urls], after="roots")
    added = {str(command.name): command for command in (add, sync, remove, list_)}
    changed.commands = {**group.commands, **added}
    return changed
