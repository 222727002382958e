"""The parts of an extension in `searchsocket status` and `searchsocket doctor`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from searchsocket.cli.output import CheckLine
from searchsocket.project.project import Project
from searchsocket.system.json_text import JsonObject


@dataclass(frozen=True, slots=True)
class PartStatus:
    """The status of what an extension keeps in a project."""

    json: Sequence[JsonObject]
    lines: Sequence[str]  # for people
    is_broken: bool = False


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """A check of an extension."""

    run: Callable[[Project], Iterator[CheckLine]]
    fix: str  # of an error that names none
