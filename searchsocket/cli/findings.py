"""What `searchsocket doctor` tells of each thing that it looked at."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str
    fix: str = ""
