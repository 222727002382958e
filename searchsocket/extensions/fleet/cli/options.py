"""Options and subcommands that the fleet adds to `serve` and `mcp`."""

import click

from searchsocket.cli.numbers import WholeNumber
from searchsocket.cli.sites import insert_options
from searchsocket.extensions.fleet.cli.mcp_projects import add, list_, remove, sync


def extend_serve(command: click.Command) -> None:
    """Add the options for pushed indexes and for many projects."""
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
    insert_options(command, "scopes", options)


def extend_mcp(group: click.Group) -> None:
    """Add the option for pushed indexes, and the commands for the user's list of projects."""
    urls = click.Option(
        ["--artifacts", "urls"],
        multiple=True,
        metavar="URL",
        help="Serve a pushed index from this URL; repeat for several.",
    )
    insert_options(group, "roots", [urls])
    for command in (add, sync, remove, list_):
        group.add_command(command)
