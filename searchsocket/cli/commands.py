"""The commands by name; each is loaded at its use, so that overview and completion load none."""

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import NoReturn

import click

from searchsocket.system.memory import without_collector

# In the order of use, with the first sentence of each command's help.
SUMMARIES = {
    "init": "Add search to this site.",
    "index": "Build or update the index of the site and its source code.",
    "backfill": "Index several branches in parallel, one run per branch.",
    "search": "Search the site from the command line.",
    "code": "Search the source code and keep its index up to date.",
    "find": "List every occurrence of words or a phrase.",
    "ask": "Answer a question with passages of pages and code.",
    "serve": "Serve the search API until Ctrl-C.",
    "export": "Write the index as files for search without a server.",
    "mcp": "Run the MCP server for coding agents.",
    "dev": "Watch the site, and keep index and service up to date.",
    "status": "Show the index of each scope: age, size, model and cost.",
    "scopes": "List every scope with its branch, size and age.",
    "doctor": "Check the setup and suggest fixes.",
    "test": "Run the golden queries and show what changed.",
    "demand": "Show what visitors search for and do not find.",
    "diff": "Compare two scopes or two generations.",
    "rollback": "Make the previous generation of a scope live again.",
    "clean": "Delete the index, mirror and state of one scope or of all.",
    "prune": "Delete the scopes of branches that no longer exist.",
    "cache": "Show and shrink the embedding cache.",
    "artifacts": "Push indexes to an object store, and pull them elsewhere.",
    "config": "Show the settings.",
    "dagster": "Open Dagster's UI for this project.",
    "completion": "Print the completion script for a shell.",
}


class LoadedCommands(MutableMapping[str, click.Command]):
    """Mapping of command names to commands; each is the object of its name in a module."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        """
        Args:
            modules: Name of a command -> its module.
        """
        self._modules = modules

    def __getitem__(self, name: str) -> click.Command:
        with without_collector():
            command: click.Command = getattr(import_module(self._modules[name]), name)
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)

    def __contains__(self, name: object) -> bool:
        return name in self._modules

    def __setitem__(self, name: str, command: click.Command) -> NoReturn:
        raise TypeError("commands are modules; add the name of one")

    def __delitem__(self, name: str) -> NoReturn:
        raise TypeError("commands are modules; remove the name of one")


COMMANDS = LoadedCommands({name: f"searchsocket.cli.{name}" for name in SUMMARIES})
