"""Writing a pack: the records that a generation adds, and those of older packs that are written again."""

import hashlib
import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.local.catalogue.packed_texts import PACK, TEXT, Dictionary
from searchsocket.stores.local.catalogue.records import PATH_ORDER, RECORD_NAMES, SCHEMA, connect_writer
from searchsocket.stores.local.layout import NEW_PACK, FileEntry, records_file, vectors_file
from searchsocket.stores.local.numbering import Docs, Rows
from searchsocket.stores.local.reader import LocalReader

_NAME_DIGITS = 32


class Copied(NamedTuple):
    """Records of a live pack that are written again, and their numbers in the new one."""

    pack: str
    docs: Docs
    new_docs: Docs


def write_records(target: Path, staged: Path, first_doc: int, live: LocalReader | None, copied: list[Copied]) -> None:
    """Write the records of a new pack.

    Args:
        target: The generation's folder.
        staged: The file of what is staged; its upserts get the numbers from `first_doc` on, in path order.
        live: Whose packs are copied from.
    """
    with closing(connect_writer(target / records_file(NEW_PACK))) as pack:
        pack.execute("ATTACH ? AS staged", (staged.resolve().as_uri(),))
        pack.executescript(SCHEMA)
        old = [] if live is None else [live.folder / records_file(one.pack) for one in copied]
        dictionary = Dictionary(pack, old, sum(len(one.docs) for one in copied))
        pack.execute("BEGIN")
        dictionary.store()
        pack.execute(f"CREATE INDEX IF NOT EXISTS staged.by_path ON changes ({PATH_ORDER}) WHERE slot IS NOT NULL")
        pack.execute(
            f"INSERT INTO records (doc, {RECORD_NAMES}) "
            f"SELECT {first_doc} - 1 + row_number() OVER (ORDER BY {PATH_ORDER}), {RECORD_NAMES.replace(TEXT, PACK)} "
            f"FROM staged.changes WHERE slot IS NOT NULL ORDER BY {PATH_ORDER}"
        )
        pack.execute("COMMIT")
        for path, one in zip(old, copied, strict=True):
            _copy(pack, path, one, dictionary.text_of(path))


def _copy(pack: sqlite3.Connection, path: Path, copied: Copied, text: str) -> None:
    """Args: text: what a text of the old pack is in the new one, in SQL."""
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


def name_pack(target: Path, entries: Mapping[str, FileEntry]) -> tuple[str, dict[str, FileEntry]]:
    """Name the new pack by what is in it.

    Returns:
        The name, and the entries of its files by their paths.
    """
    records = target / records_file(NEW_PACK)
    with open(records, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    files = {records_file: FileEntry(records.stat().st_size, digest)}
    if vectors := entries.get(vectors_file(NEW_PACK)):
        files[vectors_file] = vectors
    name = hashlib.sha256("".join(entry.sha256 for entry in files.values()).encode()).hexdigest()[:_NAME_DIGITS]
    for path_of in files:
        os.replace(target / path_of(NEW_PACK), target / path_of(name))
    return name, {path_of(name): entry for path_of, entry in files.items()}


def places_of(
    sources: Rows, is_new: NDArray[np.bool_], live: LocalReader | None, stays: Sequence[int]
) -> NDArray[np.uint32]:
    """For each row its pack and the row of its vector there; the new pack is the last.

    Args:
        stays: Numbers of the live packs that stay, in their new order.
    """
    places = np.empty((len(sources), 2), np.uint32)
    places[is_new, 0] = len(stays)
    places[is_new, 1] = np.arange(int(is_new.sum()))
    if live is not None and len(stays):
        old = live.numbering.names.places[sources[~is_new]]
        numbers = np.zeros(len(live.manifest.packs), np.uint32)
        numbers[stays] = np.arange(len(stays))
        places[~is_new] = np.stack([numbers[old[:, 0]], old[:, 1]], axis=1)
    return places
