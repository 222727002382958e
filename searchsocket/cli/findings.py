"""Result lines of `searchsocket doctor`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str
    fix: str = ""
