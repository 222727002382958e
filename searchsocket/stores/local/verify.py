"""Verify a generation: before it becomes live, and on request."""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import numpy as np

from searchsocket.errors import SearchSocketError, VectorBackendUnavailable
from searchsocket.stores.base.vector_store import index_digest
from searchsocket.stores.base.vectors import check_vectors
from searchsocket.stores.local.layout import (
    PACKS,
    ROWS,
    FileEntry,
    Manifest,
    NamingDamage,
    PackEntry,
    data_files,
    words_file,
)
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.words.pack_words import PackWords
from searchsocket.system.arrays import has_repeated
from searchsocket.system.errors import system_error
from searchsocket.system.files import share, sync


def hash_files(
    folder: Path, hashed: Mapping[str, FileEntry], live: LocalReader | None, vectors: Collection[str]
) -> dict[str, FileEntry]:
    """Size and hash of every file of a generation.

    Args:
        hashed: Files whose hash is already known.
        live: The previous generation. Files that are linked from it keep their entry in its manifest.
        vectors: The names of its vector files.
    """
    entries = dict(hashed)
    for name in data_files(folder, vectors):
        if name in entries:
            continue
        path = folder / name
        entry = live.manifest.files.get(name) if live is not None else None
        if entry is None or live is None or not _is_linked(path, live.folder / name):
            entry = FileEntry(path.stat().st_size, _sha256(path))
        entries[name] = entry
    return entries


def _is_linked(path: Path, other: Path) -> bool:
    return other.exists() and path.samefile(other)


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def share_files(generation: Path) -> None:
    """Give every file of a generation the same mode: every user with access to the state folder may read them."""
    for path in (generation, *generation.rglob("*")):
        share(path)


def sync_files(folder: Path, names: Iterable[str]) -> None:
    """Make the files and the folders that name them durable.

    A file with other links is skipped: it was synced with the generation that wrote it.
    """
    for name in names:
        if (folder / name).stat().st_nlink == 1:
            sync(folder / name)
    for path in (folder / PACKS, folder / ROWS, folder):
        sync(path)


def record_problems(reader: LocalReader) -> list[str]:
    """Compare the records with the manifest; return the problems."""
    try:
        is_same = reader.numbering.digest() == reader.generation.digest
        bodies = list(reader.catalogue.body_digests())
        expected = (reader.generation.bodies, reader.generation.bodies_digest or index_digest([]))
    except SearchSocketError as error:
        return [f"{reader.folder}: {error}"]
    problems = [] if is_same else [f"{reader.folder}: the records do not match the manifest"]
    if (len(bodies), index_digest(bodies)) != expected:
        problems.append(f"{reader.folder}: the page texts do not match the manifest")
    return problems


def part_problems(reader: LocalReader) -> list[str]:
    """Check that every record has a valid vector and its words; return the problems."""
    return _vector_problems(reader) + word_problems(reader)


def new_problems(reader: LocalReader, *, old_packs: Collection[PackEntry] = (), is_foreign: bool = False) -> list[str]:
    """`part_problems` of a new generation, except that remote vectors are not read back after every change.

    Args:
        old_packs: Packs that an earlier generation has too; their vectors are not checked again.
        is_foreign: Another machine has written it.
    """
    problems = word_problems(reader, contents=is_foreign)
    return problems if reader.vectors.limits.is_remote else _vector_problems(reader, old_packs) + problems


def _vector_problems(reader: LocalReader, old_packs: Collection[PackEntry] = ()) -> list[str]:
    try:
        for block in reader.vector_blocks(old_packs):
            check_vectors(block, len(block), reader.generation.dimensions)
    except SearchSocketError as error:
        return [f"{reader.folder}: {error}"]
    return []


def word_problems(reader: LocalReader, *, contents: bool = True) -> list[str]:
    """Check that every record has its words; return the problems.

    Args:
        contents: Read all words. Those that this process has written need not be read.
    """
    problems: list[str] = []
    places, docs = reader.numbering.names.places, reader.numbering.docs
    if has_repeated(places @ np.array([1 << 32, 1])) or has_repeated(docs):
        problems.append(f"{reader.folder}: one record has two rows")
    for number, pack in enumerate(reader.manifest.packs):
        path = reader.folder / words_file(pack.name)
        try:
            with NamingDamage(path):
                opened = PackWords.open(path)
                if contents:
                    opened.check()
        except SearchSocketError as error:
            problems.append(f"{reader.folder}: {error}")
            continue
        if opened.records != pack.records or (places[places[:, 0] == number, 1] >= opened.records).any():
            problems.append(f"{path}: has the words of {opened.records} records instead of {pack.records}")
    return problems


def file_problems(folder: Path, manifest: Manifest) -> list[str]:
    """Check that the bytes of every file are those that were published; return the problems."""
    problems = []
    for name, entry in manifest.files.items():
        path = folder / name
        try:
            if path.stat().st_size != entry.bytes or _sha256(path) != entry.sha256:
                problems.append(f"{path}: was changed after it was published")
        except FileNotFoundError:
            problems.append(f"{path}: is missing")
        except OSError as error:
            raise system_error("cannot read", path, error, VectorBackendUnavailable) from error
    return problems
