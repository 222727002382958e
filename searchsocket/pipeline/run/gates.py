"""Checks that stop a run before anything is called or built: what the stages made must be worth publishing."""

from searchsocket.errors import EmbeddingModelMismatch, IndexCorrupt
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.outcome import CheckOutcome
from searchsocket.pipeline.stages.search_index import nothing_to_index
from searchsocket.types import Generation

_NAMED = 5


def mirror_not_empty(run: ScopeRun) -> CheckOutcome:
    """The mirror holds pages at all."""
    with run.state.open(run.scope.name) as state:
        pages = state.chunks.count_mirrored()
    if not pages:
        return CheckOutcome(False, nothing_to_index(run), numbers={"pages": 0})
    return CheckOutcome(True, f"{pages:,} pages", numbers={"pages": pages})


def page_count_not_collapsed(run: ScopeRun) -> CheckOutcome:
    """The mirror holds no less than half of the pages that are live, unless the run accepts that."""
    live = live_generation(run)
    with run.state.open(run.scope.name) as state:
        pages, may_delete = state.chunks.count_mirrored(), state.published.may_delete()
    before = live.pages if live else 0
    numbers = {"pages": pages, "live_pages": before}
    if pages * 2 < before and may_delete and not run.options.accept_large_deletion:
        gone = before - pages
        message = f"this run would delete {gone:,} of the {before:,} pages of scope {run.scope.name!r}"
        return CheckOutcome(False, message, numbers=numbers)
    return CheckOutcome(True, f"{pages:,} pages; {before:,} are live", numbers=numbers)


def keys_unique(run: ScopeRun) -> CheckOutcome:
    """No two chunks have one key, by which one would silently replace the other."""
    with run.state.open(run.scope.name) as state:
        repeated, chunks = state.chunks.repeated_ids(_NAMED), state.chunks.count().chunks
    numbers = {"chunks": chunks, "repeated": len(repeated)}
    if repeated:
        return CheckOutcome(False, f"chunks share the keys {', '.join(repeated)}", numbers=numbers)
    return CheckOutcome(True, f"{chunks:,} chunks, each with its own key", numbers=numbers)


def model_matches_manifest(run: ScopeRun) -> CheckOutcome:
    """The vectors are of the model that the live index says it is of, unless the run is forced to migrate it."""
    live, model_id = live_generation(run), run.embedder.model_id
    if live is None or live.model_id == model_id:
        return CheckOutcome(True, f"every vector is of {model_id}")
    if run.options.force:
        return CheckOutcome(True, f"the run migrates from {live.model_id} to {model_id}", severity="warn")
    return CheckOutcome(False, str(EmbeddingModelMismatch(run.scope.name, live.model_id, model_id)))


def live_generation(run: ScopeRun) -> Generation | None:
    """The live generation; None also if it is damaged, so that the run builds it again."""
    try:
        return run.backends.store.generation(run.scope)
    except IndexCorrupt:
        return None
