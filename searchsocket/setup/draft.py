"""Plan of `init`: its changes, texts to paste, and notes."""

from collections.abc import Callable
from dataclasses import dataclass, field

from searchsocket.setup.changes import Change
from searchsocket.setup.client_files import is_copy
from searchsocket.setup.site import SiteFacts

ReadText = Callable[[str], str | None]  # returns the text of a project-relative file; None if it does not exist
Ours = Callable[[str, str], bool]  # takes a file's name and text; True if the last `init` wrote it
AT_CORNER = "position: fixed; inset-block-end: 1rem; inset-inline-end: 1rem; z-index: 40"


@dataclass(frozen=True, slots=True)
class Paste:
    """Text that the user must add by hand, because init cannot change the file safely."""

    where: str
    text: str
    why: str


@dataclass(slots=True)
class Plan:
    """Planned changes."""

    facts: SiteFacts
    changes: tuple[Change, ...] = ()
    pastes: list[Paste] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def own(self, name: str, old: str | None, text: str, ours: Ours) -> Change:
        """Return the change of a file that `init` writes whole; an edited file stays, with a note."""
        if old is None or old == text or is_copy(old) or ours(name, old):
            return Change(name, old, text)
        self.notes.append(f"{name} was edited since, so init keeps it")
        return Change(name, old, old)
