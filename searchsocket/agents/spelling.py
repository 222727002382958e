"""Names of the arguments of all tools, and other names that are accepted for them.

Arguments are named in snake_case; camelCase is accepted too. Clients and models also send other names, which this table
lists. An alias counts only for a tool that has no argument of that name.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from searchsocket.errors import InvalidRequest

ALIASES: Mapping[str, tuple[str, ...]] = {
    "query": ("q", "question", "text"),
    "question": ("query", "q"),
    "url": ("path_or_url", "href", "page"),
    "file": ("file_path",),
    "file_path": ("file",),
    "limit": ("top_k", "max_results"),
    "path_prefix": ("path",),
    "path": ("path_prefix",),
    "folder_id": ("base_folder_path", "folder"),
    "continuation_token": ("continuation",),
}
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def snake_case(name: str) -> str:
    """`pathPrefix` as `path_prefix`."""
    return _HUMP.sub("_", name).lower() if name.isidentifier() else name


def meant(name: str, arguments: Collection[str]) -> str:
    """The argument that a name stands for; the name itself if it stands for none."""
    snake = snake_case(name)
    if snake in arguments:
        return snake
    return next((each for each in arguments if snake in ALIASES.get(each, ())), name)


def spelled(sent: Mapping[str, Any], arguments: Collection[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the arguments by their names, and each name as it was sent.

    Raises:
        InvalidRequest: One argument was sent by two names.
    """
    values: dict[str, Any] = {}
    typed: dict[str, str] = {}
    for name, value in sent.items():
        argument = meant(name, arguments)
        if argument in values:
            raise InvalidRequest(f"{typed[argument][:60]} and {name[:60]} are the same argument; send one of them")
        values[argument], typed[argument] = value, name
    return values, typed


def names_for(arguments: Collection[str]) -> Iterator[tuple[str, str]]:
    """Each accepted name, with its argument."""
    for argument in arguments:
        yield argument, argument
        yield from ((alias, argument) for alias in ALIASES.get(argument, ()) if alias not in arguments)
