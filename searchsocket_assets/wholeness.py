"""Decide if a detected build may be indexed."""

import os
from contextlib import suppress

from searchsocket.backends import Backends
from searchsocket.errors import SearchSocketError
from searchsocket.pipeline.branches.builds import Build
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.watching.whole import Wait, Wholeness


def wait_for(run: ScopeRun, build: Build, now_ns: int) -> Wait | None:
    """Return the wait that the build needs; None if it is complete.

    Args:
        now_ns: Time since the epoch, by the clock of the build's disk.
    """
    settings, live = run.project.settings, None
    with suppress(SearchSocketError):  # an unavailable store must not delay a build
        live = Backends(run.project, os.environ).store.generation(run.scope)
    # A builder's own files describe its last build, which belongs to one scope only.
    heeds_builder = not settings.source.differs_by_scope()
    whole = Wholeness(settings.branches.settle_s, live.pages if live else 0, heeds_builder=heeds_builder)
    wait = whole.wait(build.folder, run.project.root)
    return wait if now_ns - build.changed_ns < wait.seconds * 1e9 else None


def described(scope: str, wait: Wait) -> str:
    """The scope, and the missing pages of its build."""
    if not wait.missing:
        return scope
    example = f", such as {wait.example!r}" if wait.example else ""
    return f"{scope} ({wait.missing} pages missing{example})"
