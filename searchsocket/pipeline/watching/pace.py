"""Decide when to index a new state of the site: once it is complete."""

import hashlib
import os
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from searchsocket.pipeline.branches.builds import Build, below, build_of
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.unchanged.snapshot import bytes_of
from searchsocket.pipeline.watching.watcher import Targets
from searchsocket.pipeline.watching.whole import Wait, Wholeness

_CRAWLED = Build("crawled", 0)  # only a run reads pages from another host


@dataclass(frozen=True, slots=True)
class SiteState:
    """State of the site at one moment."""

    digest: str  # of all inputs of the index; "" = there is no build, or it was just deleted
    settings_digest: str  # of the configuration only
    changed_ns: int  # when the youngest file or folder changed
    build: str = ""  # digest of the build alone


def scan_site(run: ScopeRun, targets: Targets, settings: str) -> SiteState:
    """Read the state of the site once; of large inputs, only names, sizes and times.

    Args:
        settings: Digest of the settings files, taken before the project was read from them. If they changed since, the
            next scan has another digest.
    """
    try:
        build = _CRAWLED if run.source_kind.is_remote else build_of(run) or Build("", 0)
        others, youngest = hashlib.sha256(), build.changed_ns
        for folder in targets.folders:
            if folder == targets.build or not os.path.isdir(folder):
                continue
            for path, info in below(folder):
                youngest = max(youngest, info.st_ctime_ns)
                stamp = f"{path}\0{info.st_size}\0{info.st_mtime_ns}\0{info.st_ctime_ns}\n"
                others.update(stamp.encode("utf-8", "replace"))
        files = bytes_of(targets.files)
    except OSError:  # files are changing right now
        return SiteState("", settings, 0)
    digest = f"{build.digest}:{others.hexdigest()}:{files}:{settings}" if build.digest else ""
    return SiteState(digest, settings, youngest, build.digest)


class Step(Enum):
    """Next step for a state of the site."""

    INDEX = auto()
    WAIT = auto()  # it is new, and may be incomplete
    NOTHING = auto()  # it was already indexed, or refused
    NO_BUILD = auto()


@dataclass(slots=True)
class IndexScheduler:
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
