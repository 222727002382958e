"""When what was seen is worth a run: it is new, and it is whole."""

from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from searchsocket.pipeline.watching.look import Look
from searchsocket.pipeline.watching.whole import Wait, Wholeness


class Step(Enum):
    """Next step for a state of the site."""

    INDEX = auto()
    WAIT = auto()  # it is new, and may not be whole yet
    NOTHING = auto()  # it was indexed, or refused
    NO_BUILD = auto()


@dataclass(slots=True)
class Pace:
    """Says of one look after another what is to be done."""

    wholeness: Wholeness
    root: Path  # the project's folder
    tried: str = ""  # digest of what was indexed last, also where that failed
    due_ns: int | None = None  # when to look again though nothing was heard; since the epoch
    seen: str = ""  # digest of the last look
    seen_ns: int = 0  # when it was seen first
    wait: Wait | None = None  # of the last look that was new

    def step(self, look: Look, build: str, now_ns: int) -> Step:
        """The next step now.

        Args:
            build: Absolute path of the build folder; "" = there is none.
            now_ns: By the clock of the files' times.
        """
        self.due_ns = None
        if look.digest != self.seen:
            self.seen, self.seen_ns = look.digest, now_ns
        if not look.digest:
            return Step.NO_BUILD
        if look.digest == self.tried:
            return Step.NOTHING
        self.wait = wait = self.wholeness.wait(build, self.root)
        due_ns = (self.seen_ns if wait.from_now else look.changed_ns) + int(wait.seconds * 1e9)
        if now_ns < due_ns:
            self.due_ns = due_ns
            return Step.WAIT
        self.tried = look.digest
        return Step.INDEX

    def is_due(self, now_ns: int) -> bool:
        """Return True if time alone may have ended the wait."""
        return self.due_ns is not None and now_ns >= self.due_ns
