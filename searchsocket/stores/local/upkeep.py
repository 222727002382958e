"""Looking after an index: what is damaged in it, and taking that out of service."""

import os
from dataclasses import replace
from pathlib import Path

from searchsocket.errors import IndexCorrupt, PermissionDenied, SearchSocketError
from searchsocket.stores.base import Health
from searchsocket.stores.base.drift import KnownVectors, Resynced, resynced
from searchsocket.stores.local.layout import (
    Current,
    corrupt,
    damage_of,
    read_current,
    read_manifest,
    unpublish,
    write_current,
    writing,
)
from searchsocket.stores.local.live import LiveGenerations
from searchsocket.stores.local.open_readers import MAX_OPEN_TRIES
from searchsocket.stores.local.verify import file_problems, part_problems, record_problems, word_problems
from searchsocket.system.locks import scope_lock
from searchsocket.types import Generation, Scope


def verify(live: LiveGenerations, scope: Scope) -> list[str]:
    """See `VectorStore.verify`."""
    folder = live.folder(scope)
    problems: list[str] = []
    for _ in range(MAX_OPEN_TRIES):
        current = read_current(folder)
        problems = _problems(live, folder / current.live) if current else []
        # What is removed while it is read is not damaged: another publish went by.
        if not problems or read_current(folder) == current:
            break
    return problems


def repair(live: LiveGenerations, scope: Scope) -> list[str]:
    """See `VectorStore.repair`."""
    damages = live.ownership.repair()
    folder = live.folder(scope)
    with scope_lock(live.root, scope.name), writing(folder):
        try:
            current = read_current(folder)
        except IndexCorrupt as error:
            damages.append(damage_of(error))
            current = None
            unpublish(folder)
        if current and (damage := _damage(live, folder / current.live)):
            damages.append(damage)
            if current.previous and not _damage(live, folder / current.previous):
                write_current(folder, Current(current.previous))
            else:
                unpublish(folder)
    return damages


def resync(live: LiveGenerations, scope: Scope, known: KnownVectors) -> Resynced:
    """See `VectorStore.resync`."""
    if (index := live.vectors.upkeep) is None:
        return Resynced()
    kept = sorted(live.kept(scope), key=lambda generation: generation.name)
    problems = [problem for generation in kept for problem in index.mend(generation)]
    live.vectors.retain(scope, kept)
    readers = [live.open(live.folder(scope) / generation.name) for generation in kept]
    return replace(resynced(readers, index, known), problems=tuple(dict.fromkeys(problems)))


def health(live: LiveGenerations, max_records: int) -> Health:
    """See `VectorStore.health`."""
    problems: list[str] = []
    notes: list[str] = []
    try:
        for name, generation in live.scopes():
            if not isinstance(generation, Generation):
                problems.append(f"scope {name!r}: {generation}")
            elif generation.records > max_records:
                notes.append(
                    f"scope {name!r} holds {generation.records} records; beyond vector.local.max_records "
                    f"({max_records}) brute force is slow"
                )
    except PermissionDenied:
        raise
    except SearchSocketError as error:
        problems.append(str(error))
    if os.access(live.root, os.F_OK) and not os.access(live.root, os.W_OK):
        notes.append(f"{live.root} is read-only")
    return Health(not problems, "; ".join(problems + notes))


def _damage(live: LiveGenerations, generation: Path) -> str:
    """What keeps a generation from being opened."""
    try:
        live.open(generation)
    except FileNotFoundError as error:
        return f"{error.filename or generation} is missing"
    except IndexCorrupt as error:
        return damage_of(error)
    return ""


def _problems(live: LiveGenerations, generation: Path) -> list[str]:
    problems: list[str] = []
    try:
        manifest = live.ownership.checked(read_manifest(generation))
        problems = file_problems(generation, manifest)
        reader = live.open(generation, trusted=True)
        problems += record_problems(reader) + (word_problems(reader) if live.vectors.upkeep else part_problems(reader))
    except FileNotFoundError as error:
        problems.append(str(corrupt(Path(error.filename or generation), "is missing")))
    except IndexCorrupt as error:
        problems.append(str(error))
    return problems
