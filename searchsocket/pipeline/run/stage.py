"""Frame of every stage: the scope's lock and state, the clock, interruption, and the recorded result."""

import shutil
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from inspect import cleandoc
from time import perf_counter
from typing import Any, Generic, TypeAlias, TypeVar

from searchsocket.errors import Interrupted
from searchsocket.events import Event
from searchsocket.pipeline.run.context import SITE, Corpus, ScopeRun
from searchsocket.pipeline.run.hooks import holding, hooks_of, telling
from searchsocket.pipeline.run.results import Numbers, StageResult
from searchsocket.project.access import make_private_folders
from searchsocket.state.scope import ScopeState
from searchsocket.system.errors import system_errors

N = TypeVar("N", bound=Numbers)
StageBody = Callable[[ScopeRun, ScopeState], StageResult[N]]
Column: TypeAlias = tuple[str, str, str]  # name, type and description
MAX_RUNS = 200
_ENDING = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class Stage(Generic[N]):
    """One step of a run, with all its metadata; it can run with the others or alone in its own process."""

    name: str
    label: str  # its activity, for progress output
    body: StageBody[N]
    dry: StageBody[N]  # the body for a dry run: the same, or one that only counts
    numbers: type[N]
    reads: tuple[str, ...]  # names of the stages that it depends on
    version: str  # of the code: a new version may change the output for the same input
    kinds: frozenset[str]  # kinds of output, for people
    columns: tuple[Column, ...]  # of the output, for people
    corpus: Corpus = SITE  # the corpus that it works on

    @property
    def description(self) -> str:
        """The output of the stage, for people."""
        return cleandoc(self.body.__doc__ or "").partition("\n\nRaises:")[0]

    def __call__(self, run: ScopeRun) -> StageResult[N]:
        started = perf_counter()
        run = run.of(self.corpus)
        damage: list[str] = []
        with telling(run) as told, exclusive(run), run.state.open(run.scope.name, damage.append) as state:
            raise_if_stopped(run)
            try:
                result = (self.dry if run.workspace else self.body)(run, state)
            finally:
                _leave_no_empty_folder(run)
            told.generation = result.generation or told.generation
            warnings, seconds = (*damage, *result.warnings, *told.problems), perf_counter() - started
            told.problems.clear()
            result = replace(result, stage=self.name, warnings=warnings, seconds=seconds)
            state.history.save(run.run_id, self.name, run.clock().isoformat(), asdict(result))
            state.history.keep_newest(MAX_RUNS)
        return result

    def progress(self, run: ScopeRun, done: int, total: int | None) -> None:
        """Report the progress of the stage."""
        run.on_event(Event("progress", {"stage": self.name, "done": done, "total": total}))


AnyStage: TypeAlias = Stage[Any]


def only_count(numbers: Callable[[int], N]) -> StageBody[N]:
    """Return the body for a dry run of a stage that writes files from the index: it only counts the pages.

    Args:
        numbers: Makes the figures of the report from the number of pages.
    """

    def body(_: ScopeRun, state: ScopeState) -> StageResult[N]:
        pages = state.chunks.count().pages
        return StageResult(total=pages, numbers=numbers(pages), version="")

    return body


def stage(
    label: str,
    numbers: type[N],
    *,
    reads: Sequence[AnyStage] = (),
    version: str = "1",
    kinds: Iterable[str],
    columns: Sequence[Column] = (),
    dry: StageBody[N] | None = None,
    corpus: Corpus = SITE,
) -> Callable[[StageBody[N]], Stage[N]]:
    """Make a stage from a function; its name and docstring become those of the stage."""

    def make_stage(body: StageBody[N]) -> Stage[N]:
        inputs = tuple(input_stage.name for input_stage in reads)
        shown = frozenset(kinds), tuple(columns)
        return Stage(body.__name__, label, body, dry or body, numbers, inputs, version, *shown, corpus)

    return make_stage


@contextmanager
def exclusive(run: ScopeRun) -> Iterator[None]:
    """Lock the scope against other runs, here and, with the hooks of extensions, on other machines.

    Re-entrant: a whole run takes the lock, and each of its stages takes it again.

    Raises:
        ScopeLocked: Another process works on the scope and did not finish within the timeout.
        SearchSocketError: A hook of an extension refuses the run, see `RunHooks`.
    """
    if run.workspace is not None:  # a dry run writes only to its own folder
        yield
        return
    make_private_folders(run.project)

    def on_wait(owner: str) -> None:
        run.on_event(Event("scope_busy", {"scope": run.scope.name, "owner": owner}))

    with (
        run.state.lock(run.scope.name, timeout_s=run.lock_timeout_s, on_wait=on_wait),
        holding(run, on_wait) as has_lease,
        telling(run) as told,
    ):
        told.begin(has_lease=has_lease)
        for hooks in hooks_of(run):
            hooks.before_run(run)
        yield


def empty_temporary_dir(run: ScopeRun) -> None:
    """Delete the temporary files of an interrupted run."""
    with system_errors("cannot empty", run.temporary_dir):
        if run.temporary_dir.exists():
            shutil.rmtree(run.temporary_dir)


def _leave_no_empty_folder(run: ScopeRun) -> None:
    """Remove the temporary folder if it is empty; a failed stage deletes its own temporary file."""
    with suppress(OSError):  # not there, or not empty
        run.temporary_dir.rmdir()


def raise_if_stopped(run: ScopeRun) -> None:
    """Raise `Interrupted` if the owner of the run asked to stop it.

    Raises:
        Interrupted: The run was stopped.
    """
    if run.should_stop():
        raise Interrupted(f"the run of scope {run.scope.name!r} was stopped before it published anything")


@contextmanager
def uninterrupted(run: ScopeRun) -> Iterator[None]:
    """Defer signals for the duration of the block; a half-finished publication would be reported as failed.

    Raises:
        Interrupted: The run was stopped before the block.
    """
    if threading.current_thread() is not threading.main_thread():  # only the main thread handles signals
        raise_if_stopped(run)
        yield
        return
    before = {number: signal.signal(number, _wait) for number in _ENDING}
    try:
        raise_if_stopped(run)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)  # None: the handler was not installed by Python


def _wait(number: int, _: object) -> None:
    """Ignore the signal: the run has already published, and its result tells the sender."""
