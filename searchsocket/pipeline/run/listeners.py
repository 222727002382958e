"""Tell extensions when a run begins and how it ends; a stage that Dagster starts alone is one run here."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

from searchsocket.errors import CandidateRefused, Interrupted, SearchSocketError
from searchsocket.extensions import extensions
from searchsocket.extensions.base import load
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.project.settings.model import Settings

# `begun`: it has the lock of its scope. `ended`: a stage alone, which published nothing.
Moment = Literal["begun", "published", "ended", "refused", "failed"]
Listener = Callable[[ScopeRun, "RunMoment"], None]


@dataclass(frozen=True, slots=True)
class RunMoment:
    """The begin or the end of a run."""

    what: Moment
    at: datetime
    has_lease: bool = False  # of the object store, if it has begun
    generation: str = ""  # the live one after `published`, which may be the same as before
    code: str = ""  # of the error, if it has failed or was refused


@dataclass(slots=True)
class Telling:
    """A run that extensions hear of."""

    run: ScopeRun
    has_begun: bool = False
    generation: str = ""  # set by the stage that publishes
    problems: list[str] = field(default_factory=list)  # of listeners, which never end a run

    def begin(self, *, has_lease: bool) -> None:
        """Tell that the run has its lock; only the first call counts."""
        if not self.has_begun:
            self.has_begun = True
            self.tell("begun", has_lease=has_lease)

    def tell(self, what: Moment, *, has_lease: bool = False, code: str = "") -> None:
        """Call all listeners."""
        moment = RunMoment(what, self.run.clock(), has_lease, self.generation, code)
        for listener in listeners_of(self.run.project.settings):
            try:
                listener(self.run, moment)
            except (SearchSocketError, OSError) as error:
                if str(error) not in self.problems:
                    self.problems.append(str(error))


_tellings: dict[tuple[Path, str], Telling] = {}


def listeners_of(settings: Settings) -> list[Listener]:
    """The listeners of the extensions that are on."""
    return [load(each.run_listener) for each in extensions() if each.run_listener and each.is_on(settings)]


@contextmanager
def telling(run: ScopeRun) -> Iterator[Telling]:
    """Tell extensions of the run in this block; nested blocks are part of the outermost one. Dry runs are not told."""
    key = run.project.state_dir, run.scope.name
    if outer := _tellings.get(key):
        yield outer
        return
    own = Telling(run)
    if run.workspace is not None:
        yield own
        return
    _tellings[key] = own
    try:
        yield own
    except BaseException as error:
        code = getattr(error, "code", Interrupted.code if isinstance(error, KeyboardInterrupt) else "")
        what: Moment = "refused" if isinstance(error, CandidateRefused) else "failed"
        own.tell(what, code=str(code or SearchSocketError.code))
        raise
    else:
        own.tell("published" if own.generation else "ended")
    finally:
        del _tellings[key]
