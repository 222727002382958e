"""Contents of an object store; remove old generations and unused files."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from searchsocket.extensions.fleet.documents import (
    BLOBS,
    SCOPES,
    Description,
    Pointer,
    blob_name,
    description_name,
    named_in,
    pointer_name,
    read_document,
    scope_of_pointer,
)
from searchsocket.extensions.fleet.objects.base import ObjectInfo, ObjectMissing, Objects
from searchsocket.system.files import TEMPORARY

_LEFTOVER = re.compile(rf"(?:.*/)?{re.escape(TEMPORARY)}[0-9a-f]{{12}}")


@dataclass(frozen=True, slots=True)
class StoredGeneration:
    """One generation with a description, live or not."""

    scope: str
    name: str
    description: str  # sha256
    is_live: bool
    pushed: datetime  # when it was made live last, UTC
    replaced: datetime | None  # since when another one is live; None while it is

    @property
    def object(self) -> str:
        """The name of its description."""
        return description_name(self.scope, self.name, self.description)


def stored_generations(objects: Objects) -> list[StoredGeneration]:
    """Every generation with a description, by scope, newest first; reads each pointer but no description.

    Raises:
        ArtifactsUnavailable, ArtifactInvalid: The object store cannot be read, or a pointer is damaged.
    """
    described: dict[str, list[tuple[ObjectInfo, str, str]]] = defaultdict(list)
    scopes = set()
    for info in objects.list(SCOPES):
        if named := named_in(info.name):
            described[named[0]].append((info, named[1], named[2]))
        elif scope := scope_of_pointer(info.name):
            scopes.add(scope)
    live = {scope: _live(objects, scope) for scope in scopes}
    return [
        generation
        for scope in sorted(described)
        for generation in _of_scope(scope, described[scope], live.get(scope, ""))
    ]


def description_of(objects: Objects, generation: StoredGeneration) -> Description:
    """The description of a generation's files."""
    return read_document(objects, generation.object, Description)


def _live(objects: Objects, scope: str) -> str:
    try:
        return read_document(objects, pointer_name(scope), Pointer).description
    except ObjectMissing:  # deleted since the listing
        return ""


def _of_scope(scope: str, described: list[tuple[ObjectInfo, str, str]], live: str) -> Iterator[StoredGeneration]:
    newest_first = sorted(described, key=lambda entry: (entry[0].modified, entry[1]), reverse=True)
    replaced: datetime | None = None
    for info, name, digest in newest_first:
        yield StoredGeneration(scope, name, digest, digest == live, info.modified, None if digest == live else replaced)
        replaced = info.modified


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
    candidates = [info for info in objects.list("") if _may_be_unused(info.name) and info.modified < before]
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


def _may_be_unused(name: str) -> bool:
    """Return True for files of generations, and for what an interrupted write left anywhere."""
    return name.startswith(BLOBS) or _LEFTOVER.fullmatch(name) is not None


def _superseded(generations: list[StoredGeneration], keep: int, before: datetime) -> list[StoredGeneration]:
    """Generations of one scope, newest first, that exceed `keep` and were not live since `before`."""
    live = [each for each in generations if each.is_live]
    others = [each for each in generations if not each.is_live]
    return [each for each in others[max(keep - len(live), 0) :] if (each.replaced or each.pushed) < before]
