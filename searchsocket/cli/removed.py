"""Commands and options of an earlier release: they are refused by name, with what replaces them, for one release."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

REMOVED = {
    "plan": "docs/scaling.md in the repository has the table and its formula",
    "cache info": "use `searchsocket cache status`",
    "cache prune": "use `searchsocket cache clear`",
    "cache export": "copy the file that `searchsocket cache status` names, or set embeddings.cache_url",
    "cache import": "set SEARCHSOCKET_CACHE to the folder of the copied file",
}


class Group(click.Group):
    """A group that names the replacement of a removed command."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        path = f"{ctx.command_path} {args[0]}".split()[1:]  # without `searchsocket`
        if replacement := REMOVED.get(" ".join(path)):
            ctx.fail(f"`searchsocket {' '.join(path)}` was removed: {replacement}.")
        return super().resolve_command(ctx, args)


def removed_option(name: str, replacement: str) -> Callable[[F], F]:
    """Return a decorator for a command that names the replacement of a removed option."""

    def refuse(ctx: click.Context, param: click.Parameter, value: object) -> None:
        if value:
            raise click.UsageError(f"{name} was removed: {replacement}.")

    return click.option(name, hidden=True, expose_value=False, callback=refuse)
