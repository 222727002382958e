"""Decide if a build that a sensor found may be indexed."""

import os
from contextlib import suppress

from searchsocket.backends import Backends
from searchsocket.errors import SearchSocketError
from searchsocket.pipeline.branches.builds import Build
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.watching.whole import Wait, Wholeness


def wait_for(run: ScopeRun, build: Build, now_ns: int) -> Wait | None:
    """The wait that the build needs; None if it is complete.

    Args:
        now_ns: Since the epoch, by the clock of the disk that the build is on.
    """
    settings, live = run.project.settings, None
    with suppress(SearchSocketError):  # a store that cannot be asked now holds up no build
        live = Backends(run.project, os.environ).store.generation(run.scope)
    # What a builder left beside its build tells of the one that it made last, which is that of one scope.
    heeds_builder = not settings.source.differs_by_scope()
    whole = Wholeness(settings.branches.settle_s, live.pages if live else 0, heeds_builder=heeds_builder)
    wait = whole.wait(build.folder, run.project.root)
    return wait if now_ns - build.changed_ns < wait.seconds * 1e9 else None


def described(scope: str, wait: Wait) -> str:
    """The scope, and what its build seems to lack."""
    if not wait.missing:
        return scope
    such = f", such as {wait.example!r}" if wait.example else ""
    return f"{scope} ({wait.missing} pages missing{such})"
