"""Decide when to index a new state of the site: once it is complete."""

from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from searchsocket.pipeline.watching.site_state import SiteState
from searchsocket.pipeline.watching.whole import Wait, Wholeness


class Step(Enum):
    """Next step for a state of the site."""

    INDEX = auto()
    WAIT = auto()  # it is new, and may be incomplete
    NOTHING = auto()  # it was already indexed, or refused
    NO_BUILD = auto()


@dataclass(slots=True)
class Pace:
    """Decides the next step for successive states of the site."""

    wholeness: Wholeness
    root: Path  # the project's folder
    tried_digest: str = ""  # of the state that was indexed last, even if that failed
    due_ns: int | None = None  # when to read the site again without an event; since the epoch
    last_digest: str = ""  # of the last read state
    first_seen_ns: int = 0  # when that digest appeared
    wait: Wait | None = None  # of the last new state

    def step(self, state: SiteState, build: str, now_ns: int) -> Step:
        """The next step now.

        Args:
            build: Absolute path of the build folder; "" = there is none.
            now_ns: Current time, by the clock of the files' times.
        """
        self.due_ns = None
        if state.digest != self.last_digest:
            self.last_digest, self.first_seen_ns = state.digest, now_ns
        if not state.digest:
            return Step.NO_BUILD
        if state.digest == self.tried_digest:
            return Step.NOTHING
        self.wait = wait = self.wholeness.wait(build, self.root)
        due_ns = (self.first_seen_ns if wait.from_now else state.changed_ns) + int(wait.seconds * 1e9)
        if now_ns < due_ns:
            self.due_ns = due_ns
            return Step.WAIT
        self.tried_digest = state.digest
        return Step.INDEX

    def is_due(self, now_ns: int) -> bool:
        """Return True if time alone may have ended the wait."""
        return self.due_ns is not None and now_ns >= self.due_ns
