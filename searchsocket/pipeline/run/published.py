"""Continue from the published generation, no matter which machine published it."""

import subprocess

from searchsocket.errors import ArtifactInvalid
from searchsocket.events import Event
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.stores.artifacts.live import is_published_here, local_generations
from searchsocket.stores.artifacts.scope_lease import ScopeLease
from searchsocket.system.git import ask_git

_DIRTY = "-dirty"


def continue_published(run: ScopeRun, lease: ScopeLease) -> None:
    """Make the published generation the base of this run.

    A machine adopts it if its source contains the published commit. A machine without an index also adopts it if git
    cannot tell. Any other machine would drop published content, so it needs `--adopt`.

    Raises:
        PublishedElsewhere: The index of this machine is not based on the published generation.
        ArtifactsUnavailable, StateUnavailable: It cannot be downloaded.
    """
    is_first = not lease.pointer.generation and not local_generations(run.project, run.scope)
    if not is_first and is_published_here(run.project, run.scope, lease.pointer):
        return
    from searchsocket.stores.artifacts.adoption import adopt, begin_near  # heavy: loads the search engine

    if is_first:
        if name := begin_near(run.project, run.scope, lease):
            run.on_event(Event("generation_adopted", {"scope": name}))
        return
    if not run.options.adopt:
        contains = _contains(run, lease.pointer.revision)
        if contains is False or (contains is None and local_generations(run.project, run.scope)):
            raise lease.elsewhere()
    try:
        pulled = adopt(run.project, run.scope, lease)
        run.on_event(Event("generation_adopted", {"generation": pulled.generation, "bytes": pulled.fetched_bytes}))
    except ArtifactInvalid as error:  # a damaged artefact is ignored: the index is built from scratch
        run.on_event(Event("generation_not_adopted", {"error": str(error)}))


def _contains(run: ScopeRun, published: str) -> bool | None:
    """Return True if the commit of this run contains the published one; None if git cannot tell."""
    own = run.source_revision().removesuffix(_DIRTY)
    if not own or not published or published.endswith(_DIRTY):
        return None
    try:
        ask_git(run.project.root, "merge-base", "--is-ancestor", published, own)
    except subprocess.CalledProcessError as error:
        return False if error.returncode == 1 else None
    except (OSError, subprocess.SubprocessError):
        return None
    return True
