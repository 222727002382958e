"""Write a pack: the records that a generation adds, and those copied from older packs, with their words."""

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.local.build.rows import Copied, NewRows, PackPlan
from searchsocket.stores.local.catalogue.packed_texts import PACK, READ, TEXT, Dictionary
from searchsocket.stores.local.catalogue.records import (
    PATH_ORDER,
    RECORD_NAMES,
    SCHEMA,
    connect_records,
    connect_writer,
)
from searchsocket.stores.local.layout import NEW_PACK, FileEntry, PackEntry, records_file, vectors_file, words_file
from searchsocket.stores.local.numbering import Docs, Origins
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.local.staging import Staging
from searchsocket.stores.words.documents import WordRow, words_of
from searchsocket.stores.words.pack_words import PackWords, concatenated, write_words
from searchsocket.stores.words.tables import Slots
from searchsocket.system.files import link_file
from searchsocket.system.memory import return_freed_memory

_NAME_DIGITS = 32
_SPLIT_AT_ONCE = 4_096  # records
_MERGED_AT_ONCE = 64  # batches of staged words: with more, a merge takes more memory and many small steps
Part = tuple[PackWords, Slots]  # words, and the slot of each of their records in the new pack


def write_packs(
    target: Path,
    staging: Staging,
    live: LocalReader | None,
    rows: NewRows,
    plan: PackPlan,
    vectors: Mapping[str, FileEntry],
) -> tuple[tuple[PackEntry, ...], dict[str, FileEntry]]:
    """Link the packs that stay. If there are new records, write them into a new pack, which is the last.

    Args:
        target: The generation's folder.
        vectors: Vector files that are already written; those of the new pack get its name.

    Returns:
        All packs, and the entries of the files that were written.
    """
    packs = [] if live is None else [live.manifest.packs[pack] for pack in plan.stays]
    if live is not None:
        for path in [path_of(pack.name) for pack in packs for path_of in (records_file, words_file, vectors_file)]:
            if path in live.manifest.files:
                link_file(live.folder / path, target / path)
    if not plan.is_new.any():
        return tuple(packs), dict(vectors)
    _write_records(target, staging.database, live, plan)
    return_freed_memory()
    write_pack_words(target / words_file(NEW_PACK), staging.words(), rows, plan, live)
    name, entries = _name_pack(target, vectors)
    packs.append(PackEntry(name, int(plan.is_new.sum())))
    return tuple(packs), entries


def _write_records(target: Path, staged: Path, live: LocalReader | None, plan: PackPlan) -> None:
    with closing(connect_writer(target / records_file(NEW_PACK))) as pack:
        pack.execute("ATTACH ? AS staged", (staged.resolve().as_uri(),))
        pack.executescript(SCHEMA)
        old = [] if live is None else [live.folder / records_file(one.pack) for one in plan.copied]
        dictionary = Dictionary(pack, old, sum(len(one.docs) for one in plan.copied))
        pack.execute("BEGIN")
        dictionary.store()
        pack.execute(f"CREATE INDEX IF NOT EXISTS staged.by_path ON changes ({PATH_ORDER}) WHERE slot IS NOT NULL")
        pack.execute(
            f"INSERT INTO records (doc, {RECORD_NAMES}) "
            f"SELECT {plan.first_doc} - 1 + row_number() OVER (ORDER BY {PATH_ORDER}), "
            f"{RECORD_NAMES.replace(TEXT, PACK)} FROM staged.changes WHERE slot IS NOT NULL ORDER BY {PATH_ORDER}"
        )
        pack.execute("COMMIT")
        for path, one in zip(old, plan.copied, strict=True):
            _copy(pack, path, one, dictionary.text_of(path))


def _copy(pack: sqlite3.Connection, path: Path, copied: Copied, text: str) -> None:
    """Args: text: the SQL expression that converts a text of the old pack for the new one."""
    pack.execute("ATTACH ? AS old", (f"{path.resolve().as_uri()}?mode=ro&immutable=1",))
    pack.execute("BEGIN")
    pack.execute("CREATE TEMP TABLE copied (doc INTEGER PRIMARY KEY, new_doc INTEGER NOT NULL)")
    pairs = zip(copied.docs.tolist(), copied.new_docs.tolist(), strict=True)
    pack.executemany("INSERT INTO copied VALUES (?, ?)", pairs)
    pack.execute(
        f"INSERT INTO main.records (doc, {RECORD_NAMES}) SELECT new_doc, {RECORD_NAMES.replace(TEXT, text)} "
        "FROM copied JOIN old.records ON old.records.doc = copied.doc ORDER BY new_doc"
    )
    pack.execute("DROP TABLE copied")
    pack.execute("COMMIT")
    pack.execute("DETACH old")


def _name_pack(target: Path, vectors: Mapping[str, FileEntry]) -> tuple[str, dict[str, FileEntry]]:
    """Name the new pack by its contents; return the name, and all entries with the new paths of the pack's files."""
    entries = dict(vectors)
    files = {path_of: _entry(target / path_of(NEW_PACK)) for path_of in (records_file, words_file)}
    if own := entries.pop(vectors_file(NEW_PACK), None):
        files[vectors_file] = own
    name = hashlib.sha256("".join(entry.sha256 for entry in files.values()).encode()).hexdigest()[:_NAME_DIGITS]
    for path_of, entry in files.items():
        os.replace(target / path_of(NEW_PACK), target / path_of(name))
        entries[path_of(name)] = entry
    return name, entries


def _entry(path: Path) -> FileEntry:
    with open(path, "rb") as file:
        return FileEntry(path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest())


def places_of(sources: Origins, plan: PackPlan, live: LocalReader | None) -> NDArray[np.uint32]:
    """For each row, its pack and the row of its vector in that pack; the new pack is the last."""
    is_new, stays = plan.is_new, plan.stays
    places = np.empty((len(sources), 2), np.uint32)
    places[is_new, 0] = len(stays)
    places[is_new, 1] = np.arange(int(is_new.sum()))
    if live is not None and stays:
        old = live.numbering.names.places[sources.rows[~is_new]]
        numbers = np.zeros(len(live.manifest.packs), np.uint32)
        numbers[stays] = np.arange(len(stays))
        places[~is_new] = np.stack([numbers[old[:, 0]], old[:, 1]], axis=1)
    return places


def write_pack_words(
    path: Path, staged: Sequence[PackWords], rows: NewRows, plan: PackPlan, live: LocalReader | None
) -> None:
    """Write the words of a new pack.

    Args:
        path: The file to write, beside the pack's records.
        staged: The words of the staged records, in the order of their slots in the staging area.

    Raises:
        OSError, ValueError, LookupError, TypeError: A file cannot be written, or the words of a live pack are damaged.
    """
    new = np.flatnonzero(plan.is_new)
    sources = rows.sources[new]
    copied: Iterator[Part] = iter(())
    if live is not None:
        copied = (
            _words_again(path, rows.docs[new], sources)
            if live.manifest.is_older
            else _copied_words(live, sources, plan)
        )
    write_words(path, [*_staged_words(path, staged, rows.vectors[new]), *copied], len(new))


def _staged_words(path: Path, staged: Sequence[PackWords], vectors: Origins) -> Iterator[Part]:
    """The words of the staged records, in few parts; the slot of one that was replaced or dropped since is -1.

    Args:
        vectors: See `NewRows`, of the records in the pack.
    """
    ends = np.cumsum([0, *(words.records for words in staged)])
    slots = np.full(ends[-1], -1, np.int64)
    slots[vectors.staged] = np.flatnonzero(vectors.is_staged)
    at_once = 1 if len(staged) <= _MERGED_AT_ONCE else _MERGED_AT_ONCE
    for number in range(0, len(staged), at_once):
        some = staged[number : number + at_once]
        own = slots[ends[number] : ends[number + len(some)]]
        if (own >= 0).any():
            yield some[0] if len(some) == 1 else concatenated(path.with_name(f"{path.name}-{number}"), some), own


def _words_again(path: Path, docs: Docs, sources: Origins) -> Iterator[Part]:
    """The words of the copied records, as this release splits their texts."""
    columns = ", ".join(WordRow._fields).replace(TEXT, READ)
    sql = f"SELECT {columns} FROM records WHERE doc IN (SELECT value FROM json_each(?)) ORDER BY doc"
    old = np.flatnonzero(~sources.is_staged)
    old = old[np.argsort(docs[old])]
    with closing(connect_records(path.with_name(Path(records_file(NEW_PACK)).name))) as records:
        for start in range(0, len(old), _SPLIT_AT_ONCE):
            own = old[start : start + _SPLIT_AT_ONCE]
            rows = records.execute(sql, (json.dumps(docs[own].tolist()),))
            # Mapped, because the words of a large site do not fit in memory.
            yield concatenated(path.with_name(f"{path.name}-again"), [words_of(map(WordRow._make, rows))]), own


def _copied_words(live: LocalReader, sources: Origins, plan: PackPlan) -> Iterator[Part]:
    """The words of the copied records of each live pack."""
    old = np.flatnonzero(~sources.is_staged)
    packs, old_slots = live.numbering.names.places[sources.live].T
    for number, pack in enumerate(live.manifest.packs):
        if number not in plan.stays and (packs == number).any():
            words = PackWords.open(live.folder / words_file(pack.name))
            slots = np.full(words.records, -1, np.int64)
            slots[old_slots[packs == number]] = old[packs == number]
            yield words, slots
