"""What surrounds every stage: the scope's lock and state, the clock, and the result on record."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from functools import wraps
from time import perf_counter

from searchsocket.events import Event
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.results import StageResult
from searchsocket.pipeline.run.stopping import stop_if_told
from searchsocket.project.access import make_private_folders
from searchsocket.state import ScopeState
from searchsocket.system.errors import system_error

Stage = Callable[[ScopeRun], StageResult]
StageBody = Callable[[ScopeRun, ScopeState], StageResult]
KEPT_RUNS = 200


def stage(body: StageBody) -> Stage:
    """Make a stage of a function: it can then run with the others or alone in its own process."""

    @wraps(body)
    def run_stage(run: ScopeRun) -> StageResult:
        started = perf_counter()
        damage: list[str] = []
        with exclusive(run), run.state.open(run.scope.name, damage.append) as state:
            stop_if_told(run)
            try:
                result = body(run, state)
            finally:
                _leave_no_empty_folder(run)
            result = replace(result, warnings=(*damage, *result.warnings), seconds=perf_counter() - started)
            state.history.save(run.run_id, result.stage, run.clock().isoformat(), asdict(result))
            state.history.keep_newest(KEPT_RUNS)
        return result

    return run_stage


@contextmanager
def exclusive(run: ScopeRun) -> Iterator[None]:
    """Keep other runs off the scope; re-entrant, so that a whole run can hold what its stages take again.

    Raises:
        ScopeLocked: Another process works on the scope, and did all the time that the run may wait.
    """
    if run.workspace is not None:  # a dry run writes nowhere that another run looks
        yield
        return
    make_private_folders(run.project)
    with run.state.lock(
        run.scope.name,
        timeout_s=run.lock_timeout_s,
        on_wait=lambda owner: run.on_event(Event("scope_busy", {"scope": run.scope.name, "owner": owner})),
    ):
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
