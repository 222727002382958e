"""The kinds of run that are killed: the start, the steps and the required result of each."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.forget import forget_scope
from searchsocket.pipeline.run.index import index_scope
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.project.project import open_project
from searchsocket.stores import make_store
from searchsocket.system.locks import scope_lock

Step = Callable[[Path], None]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of run."""

    name: str
    before: tuple[tuple[str, str], ...]  # (version of the site, step) that make the state that it starts from
    version: str  # of the site during the run and after it
    step: str
    then: tuple[str, ...]  # the next runs, which must complete and lead to the state of a run that was never killed
    scopes: tuple[str, ...]  # that are compared in the end


def index(root: Path, scope: str, *, force: bool = False) -> None:
    project = open_project(root, os.environ)
    options = RunOptions(force=force)
    index_scope(ScopeRun(project, project.scope_named(scope), f"run-{os.getpid()}-{os.urandom(4).hex()}", options))


def rollback(root: Path) -> None:
    project = open_project(root, os.environ)
    scope = project.scope_named("main")
    with scope_lock(project.state_dir, scope.name):
        make_store(project.settings.vector, project.state_dir, project.id).rollback(scope)


def clean(root: Path) -> None:
    project = open_project(root, os.environ)
    forget_scope(project, project.scope_named("preview"), {})


STEPS: Mapping[str, Step] = {
    "index": lambda root: index(root, "main"),
    "force": lambda root: index(root, "main", force=True),
    "preview": lambda root: index(root, "preview"),
    "rollback": rollback,
    "clean": clean,
}

KINDS = (
    Kind("cold", (), "A", "index", ("index",), ("main",)),
    Kind("incremental", (("A", "index"),), "B", "index", ("index",), ("main",)),
    Kind("forced", (("A", "index"),), "B", "force", ("index",), ("main",)),
    Kind("rollback", (("A", "index"), ("B", "index")), "B", "rollback", ("index",), ("main",)),
    Kind("second scope", (("A", "index"),), "A", "preview", ("preview",), ("main", "preview")),
    Kind("clean", (("A", "index"), ("A", "preview")), "A", "clean", ("clean",), ("main", "preview")),
    Kind("clean, index", (("A", "index"), ("A", "preview")), "A", "clean", ("preview",), ("main", "preview")),
)
