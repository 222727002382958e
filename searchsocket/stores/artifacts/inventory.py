"""Contents of an object store: scopes, their generations, and unused files."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from searchsocket.stores.artifacts.documents import (
    SCOPES,
    Description,
    Pointer,
    description_name,
    named_in,
    pointer_name,
    read_document,
    scope_of_pointer,
)
from searchsocket.stores.artifacts.objects.base import ObjectInfo, ObjectMissing, Objects


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
