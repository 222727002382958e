"""Options of one run, defined once; the command line and Dagster both generate their options from here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

from searchsocket.project.settings.source_kinds import source_modes


@dataclass(frozen=True, slots=True)
class Option:
    """Declaration of one option. Without a value, the settings apply."""

    name: str
    help: str
    kind: type  # bool, int, float or str
    minimum: float = 0  # of a number
    unit: str = ""  # of a number, for its placeholder
    choices: Sequence[str] = ()  # of a text
    flag: str = ""  # on the command line, if it differs from the name


def _option(text: str, kind: type, **more: object) -> Mapping[str, object]:
    return {"help": text, "kind": kind, **more}


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of one run; they override the settings."""

    force: bool = field(default=False, metadata=_option("Repeat every step; cached texts cost no embedding.", bool))
    resync: bool = field(
        default=False,
        metadata=_option("Write the rows of a remote vector store again; embeds nothing.", bool),
    )
    max_pages: int | None = field(
        default=None, metadata=_option("Index at most N pages; deletes nothing.", int, minimum=1, unit="N")
    )
    max_chunks: int | None = field(
        default=None, metadata=_option("Index at most N chunks; deletes nothing.", int, minimum=1, unit="N")
    )
    accept_large_deletion: bool = field(
        default=False, metadata=_option("Allow this run to delete more than half of the scope.", bool)
    )
    adopt: bool = field(
        default=False,
        metadata=_option("Continue from the generation that another machine published.", bool),
    )
    accept_quality_drop: bool = field(default=False, metadata=_option("Publish even if golden queries fail.", bool))
    strict_routes: bool = field(default=False, metadata=_option("Fail if a page has no exact route file.", bool))
    max_cost_usd: float | None = field(
        default=None,
        metadata=_option(
            "Stop before the first paid call if the estimate is higher.", float, unit="USD", flag="--max-cost"
        ),
    )
    source: str | None = field(
        default=None,
        metadata=_option("Source of the pages, instead of source.mode.", str, choices=source_modes()),
    )

    def stated(self) -> Mapping[str, object]:
        """The options that are set."""
        values = {option.name: getattr(self, option.name) for option in fields(self)}
        return {name: value for name, value in values.items() if value is not None and value is not False}


OPTIONS = tuple(Option(option.name, **option.metadata) for option in fields(RunOptions))
