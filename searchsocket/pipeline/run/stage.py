"""Frame of every stage: the scope's lock and state, the clock, and the recorded result."""

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from inspect import cleandoc
from time import perf_counter
from typing import Any, Generic, TypeVar

from searchsocket.events import Event
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.corpora import SITE, Corpus
from searchsocket.pipeline.run.numbers import Numbers
from searchsocket.pipeline.run.published import continue_published
from searchsocket.pipeline.run.results import StageResult
from searchsocket.pipeline.run.stopping import stop_if_told
from searchsocket.project.access import make_private_folders
from searchsocket.state import ScopeState
from searchsocket.stores.artifacts.live import scope_lease
from searchsocket.system.errors import system_error

N = TypeVar("N", bound=Numbers)
StageBody = Callable[[ScopeRun, ScopeState], StageResult[N]]
MAX_RUNS = 200


@dataclass(frozen=True, slots=True)
class Stage(Generic[N]):
    """One step of a run, which can run with the others or alone in its own process: all that anyone knows of it."""

    name: str
    label: str  # what it is doing, for people who wait
    body: StageBody[N]
    dry: StageBody[N]  # what a dry run does instead: the same, or only count
    numbers: type[N]
    reads: tuple[str, ...]  # the stages whose output is its input
    version: str  # of the code: another one may give another output for the same input
    kinds: frozenset[str]  # what the output is made of, for people
    corpus: Corpus = SITE  # that it works on

    @property
    def description(self) -> str:
        """The output of the stage, for people."""
        return cleandoc(self.body.__doc__ or "").partition("\n\nRaises:")[0]

    def __call__(self, run: ScopeRun) -> StageResult[N]:
        started = perf_counter()
        run = run.of(self.corpus)
        damage: list[str] = []
        with exclusive(run), run.state.open(run.scope.name, damage.append) as state:
            stop_if_told(run)
            try:
                result = (self.dry if run.workspace else self.body)(run, state)
            finally:
                _leave_no_empty_folder(run)
            warnings, seconds = (*damage, *result.warnings), perf_counter() - started
            result = replace(result, stage=self.name, warnings=warnings, seconds=seconds)
            state.history.save(run.run_id, self.name, run.clock().isoformat(), asdict(result))
            state.history.keep_newest(MAX_RUNS)
        return result

    def progress(self, run: ScopeRun, done: int, total: int | None) -> None:
        """Tell how far it is."""
        run.on_event(Event("progress", {"stage": self.name, "done": done, "total": total}))


def stage(
    label: str,
    numbers: type[N],
    *,
    reads: Sequence[Stage[Any]] = (),
    version: str = "1",
    kinds: Iterable[str],
    dry: StageBody[N] | None = None,
    corpus: Corpus = SITE,
) -> Callable[[StageBody[N]], Stage[N]]:
    """Make a stage of a function, whose name and docstring are the stage's."""

    def made(body: StageBody[N]) -> Stage[N]:
        inputs = tuple(each.name for each in reads)
        return Stage(body.__name__, label, body, dry or body, numbers, inputs, version, frozenset(kinds), corpus)

    return made


@contextmanager
def exclusive(run: ScopeRun) -> Iterator[None]:
    """Keep other runs off the scope, here and on other machines that publish to the same `artifacts.url`.

    Re-entrant, so that a whole run can hold what its stages take again.

    Raises:
        ScopeLocked: Another process works on the scope, and did all the time that the run may wait.
        PublishedElsewhere: See `continue_published`.
        ArtifactsUnavailable, ConfigError, ConfigMissing, ProjectMismatch: See `scope_lease`.
    """
    if run.workspace is not None:  # a dry run writes nowhere that another run looks
        yield
        return
    make_private_folders(run.project)

    def on_wait(owner: str) -> None:
        run.on_event(Event("scope_busy", {"scope": run.scope.name, "owner": owner}))

    timeout_s = run.lock_timeout_s
    with (
        run.state.lock(run.scope.name, timeout_s=timeout_s, on_wait=on_wait),
        scope_lease(run.project, run.scope, run.run_id, clock=run.clock, timeout_s=timeout_s, on_wait=on_wait) as lease,
    ):
        if lease:
            continue_published(run, lease)
        yield


def empty_temporary_dir(run: ScopeRun) -> None:
    """Remove what a run that died was writing."""
    try:
        if run.temporary_dir.exists():
            shutil.rmtree(run.temporary_dir)
    except OSError as error:
        raise system_error("cannot empty", run.temporary_dir, error) from error


def _leave_no_empty_folder(run: ScopeRun) -> None:
    """A stage that failed renames no last file out of the temporary folder, but removes what it was writing."""
    with suppress(OSError):  # not there, or not empty
        run.temporary_dir.rmdir()
