"""Maintain an index: find damage, take damaged generations out of service, and write remote rows again."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from searchsocket.errors import IndexCorrupt, PermissionDenied, SearchSocketError
from searchsocket.stores.base import Health
from searchsocket.stores.base.naming import generation_number
from searchsocket.stores.base.upkeep import RecordVectors, ResyncReport
from searchsocket.stores.base.vectors import NOT_KEPT
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
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.local.verify import (
    file_problems,
    part_problems,
    record_problems,
    word_problems,
)
from searchsocket.system.batches import batches
from searchsocket.system.locks import scope_lock
from searchsocket.types import Generation, Record, Scope, Vector

_BATCH = 500


def verify(live: LiveGenerations, scope: Scope) -> list[str]:
    """Read the live generation in full, and return its damage; empty if it is intact."""
    folder = live.folder(scope)
    problems: list[str] = []
    for _ in range(MAX_OPEN_TRIES):
        current = read_current(folder)
        problems = _problems(live, folder / current.live) if current else []
        # Files that another publish removes during the check are not damage.
        if not problems or read_current(folder) == current:
            break
    return problems


def repair(live: LiveGenerations, scope: Scope) -> list[str]:
    """Take a damaged live generation out of service, and return its damage; empty if there was none."""
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


def resync(live: LiveGenerations, scope: Scope, vectors: RecordVectors) -> ResyncReport:
    """Delete all remote rows of a scope and write those of its kept generations again; embeds nothing."""
    if live.vectors.upkeep is None:
        return ResyncReport()
    names = sorted(generation.name for generation in live.generations(scope))
    readers = [live.open(live.folder(scope) / name) for name in names]
    pairs = list(zip(readers, [None, *readers], strict=False))
    rows = missing = 0
    for reader, before in pairs:
        for records in _new_records(reader, before):
            rows += len(records)
            missing += vectors.missing(records)
    if missing:
        return ResyncReport(missing_vectors=missing)
    live.vectors.retain(scope, [])
    for reader, before in pairs:
        live.vectors.stage(reader.generation, _upserts(reader, before, vectors), _removed_ids(reader, before))
    return ResyncReport(rows)


def _new_records(reader: LocalReader, before: LocalReader | None) -> Iterator[Sequence[Record]]:
    """The records with remote rows written after the generation `before`, in batches; all if it is None."""
    newest = generation_number(before.generation.name) if before else -1
    for ids in batches((id_ for id_, _ in reader.numbering.all_fingerprints()), _BATCH):
        numbers = reader.written(ids)
        if new := [id_ for id_, number in zip(ids, numbers, strict=True) if number > newest]:
            yield reader.catalogue.records(new)


def _upserts(
    reader: LocalReader, before: LocalReader | None, vectors: RecordVectors
) -> Iterator[tuple[Record, Vector]]:
    for records in _new_records(reader, before):
        yield from zip(records, vectors.get(records), strict=True)


def _removed_ids(reader: LocalReader, before: LocalReader | None) -> Iterator[str]:
    """The ids that the generation `before` has and this one does not have."""
    for ids in batches((id_ for id_, _ in before.numbering.all_fingerprints()) if before else (), _BATCH):
        yield from (id_ for id_, number in zip(ids, reader.written(ids), strict=True) if number == NOT_KEPT)


def health(live: LiveGenerations, max_records: int) -> Health:
    """Check that the store and its folder can be read and written."""
    problems: list[str] = []
    notes: list[str] = []
    try:
        for name, generation in live.scopes():
            if not isinstance(generation, Generation):
                problems.append(f"scope {name!r}: {generation}")
            elif generation.records > max_records:
                notes.append(
                    f"scope {name!r} has {generation.records} records, more than vector.local.max_records "
                    f"({max_records}), so exact search is slow"
                )
    except PermissionDenied:
        raise
    except SearchSocketError as error:
        problems.append(str(error))
    if os.access(live.root, os.F_OK) and not os.access(live.root, os.W_OK):
        notes.append(f"{live.root} is read-only")
    return Health(not problems, "; ".join(problems + notes))


def _damage(live: LiveGenerations, generation: Path) -> str:
    """The reason why a generation cannot be opened."""
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
        if generation in live.verified:
            return []
        problems = file_problems(generation, manifest)
        reader = live.open(generation, trusted=True)
        problems += record_problems(reader) + (word_problems(reader) if live.vectors.upkeep else part_problems(reader))
        if not problems:
            live.verified.add(generation)
    except FileNotFoundError as error:
        problems.append(str(corrupt(Path(error.filename or generation), "is missing")))
    except IndexCorrupt as error:
        problems.append(str(error))
    return problems
