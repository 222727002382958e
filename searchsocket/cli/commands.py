"""The commands by name, each loaded when it is asked for: the overview and completion load none."""

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import NoReturn

import click

from searchsocket.system.garbage import loading

# In the order of use; what each says of itself first.
SUMMARIES = {
    "init": "Put search into this site.",
    "index": "Index the site, and its source code where that is enabled.",
    "backfill": "Index several branches, a run for each.",
    "search": "Ask the live index of a scope, or another generation of it.",
    "code": "Ask the index of the source code, and keep it up to date.",
    "find": "List every occurrence of words or a phrase, page by page.",
    "ask": "Answer a question with passages of pages and code.",
    "serve": "Serve the search API until Ctrl-C.",
    "mcp": "Answer a coding agent by the Model Context Protocol.",
    "dev": "Keep index and service up to date while you work.",
    "status": "Show what is indexed: generations, ages, models, last cost.",
    "scopes": "Show every scope, its branch, and what it holds.",
    "doctor": "Say what is broken, and how to mend it.",
    "test": "Ask the golden queries, and say what moved and why.",
    "diff": "Say how two scopes, or two generations, differ.",
    "rollback": "Switch a scope back to the generation before the live one.",
    "clean": "Delete index, mirror and state of a scope, or of all.",
    "prune": "Delete the scopes of branches that are gone.",
    "cache": "Look at the embedding cache, carry it, make it smaller.",
    "artifacts": "Carry indexes to other machines through an object store.",
    "config": "Look at the settings.",
    "dagster": "Open Dagster's UI over this project.",
    "completion": "Print the completion script of a shell.",
}


class LoadedCommands(MutableMapping[str, click.Command]):
    """Each command is the object of its name in the module of its name."""

    def __getitem__(self, name: str) -> click.Command:
        if name not in SUMMARIES:
            raise KeyError(name)
        with loading():
            command: click.Command = getattr(import_module(f"searchsocket.cli.{name}"), name)
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(SUMMARIES)

    def __len__(self) -> int:
        return len(SUMMARIES)

    def __contains__(self, name: object) -> bool:
        return name in SUMMARIES

    def __setitem__(self, name: str, command: click.Command) -> NoReturn:
        raise TypeError("a command is a module of its name, and a line of SUMMARIES")

    def __delitem__(self, name: str) -> NoReturn:
        raise TypeError("a command is a module of its name, and a line of SUMMARIES")
