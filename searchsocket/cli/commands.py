"""The commands by name; each is loaded at its use, so that overview and completion load none."""

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import NoReturn

import click

from searchsocket.extensions import built_in, installed
from searchsocket.extensions.base import Command, Extension, load
from searchsocket.system.this_process import without_collector

# Those of the core in the order of use, with the first sentence of each command's help. One without a file of its name
# is made from its capability.
_CORE = {
    "init": "Add search to this site.",
    "index": "Build or update the index of the site and its source code.",
    "backfill": "Index several branches in parallel, one run per branch.",
    "search": "Search the site from the command line.",
    "find": "List every occurrence of words or a phrase.",
    "ask": "Answer a question with passages of pages and code.",
    "serve": "Serve the search API until Ctrl-C.",
    "mcp": "Run the MCP server for coding agents.",
    "dev": "Watch the site, and keep index and service up to date.",
    "status": "Show the index of each scope: age, size, model and cost.",
    "scopes": "List every scope with its branch, size and age.",
    "doctor": "Check the setup and suggest fixes.",
    "test": "Run the golden queries and show what changed.",
    "diff": "Compare two scopes or two generations.",
    "upgrade": "Rewrite indexes of an older release in the format of this one.",
    "rollback": "Make the previous generation of a scope live again.",
    "clean": "Delete the index, mirror and state of one scope or of all.",
    "prune": "Delete the scopes of branches that no longer exist.",
    "cache": "Show and shrink the embedding cache.",
    "config": "Show the settings.",
    "dagster": "Open Dagster's UI for this project.",
    "completion": "Print the completion script for a shell.",
}


class LoadedCommands(MutableMapping[str, click.Command]):
    """Mapping of command names to commands, each imported at its use."""

    def __init__(self, places: Mapping[str, str]) -> None:
        """
        Args:
            places: Name of a command -> its `module:object`.
        """
        self._places = places

    def places(self) -> Mapping[str, str]:
        """Return the place of each command, in the order of the overview."""
        return self._places

    def __getitem__(self, name: str) -> click.Command:
        places = self._places if name in self._places else self.places()
        with without_collector():
            command: click.Command = load(places[name])
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(self.places())

    def __len__(self) -> int:
        return len(self.places())

    def __setitem__(self, name: str, command: click.Command) -> NoReturn:
        raise TypeError("commands are modules; add the name of one")

    def __delitem__(self, name: str) -> NoReturn:
        raise TypeError("commands are modules; remove the name of one")


class _AllCommands(LoadedCommands):
    """The commands of ours, and those of other distributions, which are looked for if none of ours has the name."""

    def __init__(self, ours: Mapping[str, Command]) -> None:
        super().__init__(_places(ours))
        self._ours = ours

    def described(self) -> Mapping[str, Command]:
        """Return what each command is; a name of ours stays ours.

        Raises:
            ConfigError: An extension of another distribution is broken.
        """
        others = {name: command for extension in installed() for name, command in extension.commands.items()}
        return {**self._ours, **{name: each for name, each in others.items() if name not in self._ours}}

    def places(self) -> Mapping[str, str]:
        return _places(self.described())

    def __getitem__(self, name: str) -> click.Command:
        command = super().__getitem__(name)
        for place in (each.options[name] for each in built_in() if name in each.options):
            command = load(place)(command)
        return command


def _places(commands: Mapping[str, Command]) -> Mapping[str, str]:
    return {name: command.place or f"searchsocket.cli.capability_commands:{name}" for name, command in commands.items()}


def _ordered(core: Mapping[str, str], extensions: Iterable[Extension]) -> Iterator[tuple[str, Command]]:
    """The commands of the core, with those of extensions before the command that they name, or at the end."""
    added = [item for extension in extensions for item in extension.commands.items()]
    for name, summary in core.items():
        yield from ((added_name, command) for added_name, command in added if command.before == name)
        has_file = Path(__file__).with_name(f"{name}.py").exists()
        yield name, Command(f"{__package__}.{name}:{name}" if has_file else "", summary)
    yield from ((added_name, command) for added_name, command in added if command.before not in core)


COMMANDS = _AllCommands(dict(_ordered(_CORE, built_in())))
