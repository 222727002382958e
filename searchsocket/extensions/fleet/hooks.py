"""Hooks of a run over an object store: take the lease, continue from what is published, check the lease, push."""

import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from searchsocket.errors import ArtifactInvalid
from searchsocket.events import Event
from searchsocket.extensions.fleet.live import is_published_here, local_generations, push_live
from searchsocket.extensions.fleet.run_lease import check_lease, current_lease, run_lease
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.hooks import RunHooks
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.system.git import ask_git

_DIRTY = "-dirty"


class FleetHooks(RunHooks):
    """Publish a scope under its lease, from the generation that is published."""

    @contextmanager
    def hold(self, run: ScopeRun, on_wait: Callable[[str], None]) -> Iterator[bool]:
        """Acquire the lease of a scope; raises as `run_lease`."""
        with run_lease(
            run.project, run.scope, run.run_id, clock=run.clock, timeout_s=run.lock_timeout_s, on_wait=on_wait
        ) as lease:
            yield lease is not None

    def before_run(self, run: ScopeRun) -> None:
        """Make the published generation the base of this run.

        A machine adopts it if its source contains the published commit. A machine without an index also adopts it if
        git cannot tell. Any other machine would drop published content, so it needs `--adopt`.

        Raises:
            PublishedElsewhere: The index of this machine is not based on the published generation.
            ArtifactsUnavailable, StateUnavailable: It cannot be downloaded.
        """
        lease = current_lease(run.project, run.scope)
        if lease is None:
            return
        is_first = not lease.pointer.generation and not local_generations(run.project, run.scope)
        if not is_first and is_published_here(run.project, run.scope, lease.pointer):
            return
        from searchsocket.extensions.fleet.adoption import adopt, start_from_default_scope  # heavy: loads the engine

        if is_first:
            if name := start_from_default_scope(run.project, run.scope, lease):
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

    def before_change(self, run: ScopeRun) -> None:
        """Refuse an index that is not based on the published generation.

        Raises:
            PublishedElsewhere: Another machine published the scope after this one.
        """
        lease = current_lease(run.project, run.scope)
        if lease and not is_published_here(run.project, run.scope, lease.pointer):
            raise lease.elsewhere()

    def before_switch(self, run: ScopeRun, candidate: IndexReader) -> Sequence[str]:
        """Refuse to switch without the lease; raises as `check_lease`."""
        check_lease(run.project, run.scope)
        return ()

    def after_publish(self, run: ScopeRun) -> None:
        """Push the live generation; raises as `push_live`."""
        if pushed := push_live(run.project, run.scope, run.environ, run.clock(), run.run_id):
            run.on_event(Event("artifacts_pushed", {"files": pushed.sent_files, "bytes": pushed.sent_bytes}))


HOOKS = FleetHooks()


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
