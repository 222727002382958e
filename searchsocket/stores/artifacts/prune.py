"""Remove old generations and unused files from an object store."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from searchsocket.stores.artifacts.documents import BLOBS, blob_name, pointer_name
from searchsocket.stores.artifacts.inventory import StoredGeneration, description_of, stored_generations
from searchsocket.stores.artifacts.objects.base import Objects


@dataclass(frozen=True, slots=True)
class Pruned:
    """Result of a prune or of its dry run."""

    generations: tuple[StoredGeneration, ...]
    files: int
    bytes: int


def prune(
    objects: Objects,
    now: datetime,
    *,
    keep: int,
    min_age: timedelta,
    drop_scopes: Sequence[str] = (),
    dry_run: bool = False,
) -> Pruned:
    """Remove all but the newest generations of each scope, then the files that no remaining generation uses.

    Args:
        now: UTC.
        keep: Number of generations of each scope that stay, including the live one.
        min_age: Generations replaced and files sent within this time stay, because a pull or push may need them.
        drop_scopes: Scopes to remove whole.
        dry_run: Only count.

    Raises:
        ArtifactsUnavailable, ArtifactInvalid: The object store cannot be read.
    """
    before = now - min_age
    # First: a file that is sent later is then no candidate, however late its description is read.
    candidates = [info for info in objects.list(BLOBS) if info.modified < before]
    stored = stored_generations(objects)
    going = [
        generation
        for scope, generations in groupby(stored, key=lambda each: each.scope)
        for generation in (list(generations) if scope in drop_scopes else _superseded(list(generations), keep, before))
    ]
    if not dry_run:
        objects.delete([pointer_name(scope) for scope in drop_scopes])
        objects.delete([generation.object for generation in going])
        stored = stored_generations(objects)  # includes generations pushed since the first listing
    staying = [generation for generation in stored if generation not in going]
    named = {blob_name(entry.sha256) for each in staying for entry in description_of(objects, each).blobs}
    unnamed = [info for info in candidates if info.name not in named]
    if not dry_run:
        objects.delete([info.name for info in unnamed])
    return Pruned(tuple(going), len(unnamed), sum(info.bytes for info in unnamed))


def _superseded(generations: list[StoredGeneration], keep: int, before: datetime) -> list[StoredGeneration]:
    """Generations of one scope, newest first, that exceed `keep` and were not live since `before`."""
    live = [each for each in generations if each.is_live]
    others = [each for each in generations if not each.is_live]
    return [each for each in others[max(keep - len(live), 0) :] if (each.replaced or each.pushed) < before]
