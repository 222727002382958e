"""Progress and log events that the steps report; entry points print, plot or drop them (spec 22)."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, e.g. `page_extracted`; `fields` hold only plain JSON values, never keys or secrets."""

    name: str
    fields: dict[str, object] = field(default_factory=dict)


OnEvent = Callable[[Event], None]


def ignore(_: Event) -> None:
    """The listener of callers that want no events."""
