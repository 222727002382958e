"""Hooks of extensions around the work on a scope: before it, before the switch, and after the publish.

Listeners only learn when a run begins and how it ends; a stage that Dagster starts alone is one run here.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol

from searchsocket.errors import CandidateRefused, Interrupted, SearchSocketError
from searchsocket.extensions import extensions
from searchsocket.extensions.base import load
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.project.settings.model import Settings
from searchsocket.stores.base.index_reader import IndexReader

# `begun`: it has the lock of its scope. `ended`: a stage alone, which published nothing.
Moment = Literal["begun", "published", "ended", "refused", "failed"]
Listener = Callable[[ScopeRun, "RunMoment"], None]


class RunHooks:
    """The hooks of an extension; each does nothing unless a subclass overrides it. Their errors end the run.

    Dry runs have no hooks. A hook of a stage that Dagster starts alone is called as one of a run.
    """

    def hold(self, run: ScopeRun, on_wait: Callable[[str], None]) -> AbstractContextManager[bool]:
        """Keep other machines from the scope for a block, which has the scope's lock; nested blocks are allowed.

        Args:
            on_wait: Called before a wait, with the owner that the run waits for.

        Returns:
            True if it keeps them away.
        """
        return nullcontext(False)

    def before_run(self, run: ScopeRun) -> None:
        """Prepare the index for a run, in the block of `hold`; called for the run and for each of its stages."""

    def before_change(self, run: ScopeRun) -> None:
        """Refuse to change the live index by a command, such as a rollback, in the block of `hold`."""

    def before_switch(self, run: ScopeRun, candidate: IndexReader) -> Sequence[str]:
        """Refuse the switch to a generation that is verified, or return warnings for the report."""
        return ()

    def after_publish(self, run: ScopeRun) -> None:
        """Use the live generation, which may be the same as before, since this may have failed for it."""


class SharedVectors(Protocol):
    """Vectors of one model that machines share; what fails is reported as a warning, and the run continues."""

    @property
    def is_new(self) -> bool:
        """True until the first use on this disk."""

    def fill(self, cache: EmbeddingCache, tokens: Mapping[str, int]) -> int:
        """Copy vectors that the local cache lacks, and count them.

        Args:
            tokens: Tokens of each needed text, by its hash.
        """

    def send(self, cache: EmbeddingCache, hashes: Iterable[str]) -> int:
        """Store vectors that others lack, and count them."""


def shared_vectors_of(run: ScopeRun, on_problem: Callable[[str], object]) -> SharedVectors | None:
    """The vectors that an extension shares; None without any."""
    makers = (load(each.shared_vectors) for each in extensions() if each.shared_vectors)
    return next(filter(None, (make(run, on_problem) for make in makers)), None)


def hooks_of(run: ScopeRun) -> list[RunHooks]:
    """The hooks of the extensions that are on."""
    return [load(each.run_hooks) for each in extensions() if each.run_hooks and each.is_on(run.project.settings)]


def delete_former_output(run: ScopeRun) -> None:
    """Let extensions that are off delete what their stages wrote; raises what they do."""
    for extension in extensions():
        if extension.when_off and not extension.is_on(run.project.settings):
            load(extension.when_off)(run)


@contextmanager
def holding(run: ScopeRun, on_wait: Callable[[str], None] = lambda owner: None) -> Iterator[bool]:
    """Enter `hold` of all hooks; True if one of them keeps other machines away."""
    with ExitStack() as stack:
        holds = [stack.enter_context(hooks.hold(run, on_wait)) for hooks in hooks_of(run)]
        yield any(holds)


@contextmanager
def changing(run: ScopeRun) -> Iterator[None]:
    """Change the live index of a scope in a block, which has the scope's lock; raises what the hooks do."""
    with holding(run):
        for hooks in hooks_of(run):
            hooks.before_change(run)
        yield
        for hooks in hooks_of(run):
            hooks.after_publish(run)


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
