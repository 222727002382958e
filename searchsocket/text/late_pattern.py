"""Patterns that are compiled when first used: classes of whole scripts take milliseconds, and much text is ASCII."""

import re
from collections.abc import Callable
from typing import Any


class LatePattern:
    """A regular expression with the methods of a compiled one."""

    search: "Callable[[str], re.Match[str] | None]"
    match: "Callable[[str], re.Match[str] | None]"
    fullmatch: "Callable[[str], re.Match[str] | None]"
    findall: "Callable[[str], list[Any]]"

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern

    def __getattr__(self, name: str) -> Any:  # of what is not there yet; then it is an attribute like any other
        method = getattr(re.compile(self._pattern), name)
        setattr(self, name, method)
        return method
