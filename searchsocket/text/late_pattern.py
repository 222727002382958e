"""Patterns that are compiled at first use: character classes of whole scripts take milliseconds."""

import re
from collections.abc import Callable
from typing import Any


class LatePattern:
    """A regular expression with the methods of a compiled one, compiled at first use."""

    search: "Callable[[str], re.Match[str] | None]"
    match: "Callable[[str], re.Match[str] | None]"
    fullmatch: "Callable[[str], re.Match[str] | None]"
    findall: "Callable[[str], list[str]]"

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern

    def __getattr__(self, name: str) -> Any:  # called once per method; then it is a normal attribute
        method = getattr(re.compile(self._pattern), name)
        setattr(self, name, method)
        return method
