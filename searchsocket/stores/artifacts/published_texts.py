"""Vectors of texts that published scopes contain, without pulling these scopes.

A merged branch already has the texts of this run, even if another machine paid for them. For a scope that is not on
this disk, only packs that may contain one of the texts are read.
"""

import hashlib
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from searchsocket.errors import (
    ArtifactInvalid,
    IndexCorrupt,
    NewerRelease,
    ProjectMismatch,
    RecordsMissing,
    SearchSocketError,
)
from searchsocket.project.project import Project, index_folder
from searchsocket.stores import make_vectors
from searchsocket.stores.artifacts.documents import (
    MAX_BYTES,
    PROJECT,
    SCOPES,
    BlobEntry,
    Description,
    ProjectDocument,
    named_in,
    parse_document,
    read_document,
)
from searchsocket.stores.artifacts.objects import open_objects
from searchsocket.stores.artifacts.objects.base import ObjectInfo, ObjectMissing, Objects, read
from searchsocket.stores.artifacts.pull import fetch_blob
from searchsocket.stores.base import VectorIndex
from searchsocket.stores.local.catalogue.columns import as_text
from searchsocket.stores.local.catalogue.records import connect_reader
from searchsocket.stores.local.layout import (
    MANIFEST,
    PACKS,
    ROWS,
    Manifest,
    is_records_file,
    read_current,
    read_manifest,
    records_file,
    rows_files,
    vectors_file,
)
from searchsocket.stores.local.row_blocks import read_blocks
from searchsocket.system.batches import batches
from searchsocket.system.files import TEMPORARY
from searchsocket.types import Vectors

_MAX_SCOPES = 100  # the public ones, then the newest
_BYTES_PER_TEXT = 100_000  # of packs that are downloaded to look for texts
_AT_ONCE = 8
_BATCH = 500
_DAMAGE = (
    ArtifactInvalid,
    ObjectMissing,
    ProjectMismatch,
    IndexCorrupt,
    NewerRelease,
    RecordsMissing,
    sqlite3.DatabaseError,
    ValueError,
    LookupError,
)


def find_published_vectors(
    project: Project, environ: Mapping[str, str], missing: set[str], model_id: str
) -> Iterator[tuple[list[str], Vectors]]:
    """Hashes of texts that published scopes contain, with their vectors; in batches.

    It downloads at most 100 kB of records per missing text, and the vectors of packs that have one.

    Args:
        missing: Hashes of texts. The caller removes those it has stored.

    Raises:
        ArtifactsUnavailable, ConfigError, ConfigMissing: The object store cannot be used.
        VectorBackendUnavailable: Vectors are elsewhere, and cannot be read.
        StateUnavailable: The disk cannot be written.
    """
    objects = open_objects(project.settings.artifacts.url)
    index = make_vectors(project.settings.vector, project.id, project.environment(environ))
    with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=project.state_dir) as folder:
        look = _Look(objects, project, Path(folder), index, missing, model_id)
        for description in look.descriptions():
            # Another machine repairs missing or damaged generations.
            with suppress(*_DAMAGE):
                yield from look.vectors_of(description)
            if not missing:
                return


class _Pack(NamedTuple):
    """Missing texts of one pack."""

    name: str
    number: int  # in the manifest
    hashes: Mapping[int, str]  # by `doc`


class _Look:
    """One search through the published scopes."""

    def __init__(
        self,
        objects: Objects,
        project: Project,
        folder: Path,
        index: VectorIndex | None,
        missing: set[str],
        model_id: str,
    ) -> None:
        self._objects = objects
        self._project = project
        self._folder = folder
        self._index = index
        self._missing = missing
        self._model_id = model_id
        self._max_bytes = project.settings.artifacts.max_mb * 1_000_000
        self._budget = _BYTES_PER_TEXT * len(missing)
        root = index_folder(project.settings.vector, project.state_dir)
        local = list(_local_manifests(root))
        self._local = {(manifest.generation.scope, manifest.generation.name) for manifest in local}
        # By the digest of a pack's records: the missing texts in it. Those of local packs were taken before.
        self._packs: dict[str, Mapping[int, str]] = {
            entry.sha256: {} for manifest in local for entry in manifest.files.values()
        }

    def descriptions(self) -> list[Description]:
        """The newest description of each scope that is not on this disk."""
        newest: dict[str, tuple[ObjectInfo, str]] = {}
        for info in self._objects.list(SCOPES):
            named = named_in(info.name)
            if named and (named[0] not in newest or info.modified >= newest[named[0]][0].modified):
                newest[named[0]] = info, named[1]
        public: Sequence[str] = ()
        with suppress(ArtifactInvalid, NewerRelease, ObjectMissing):
            public = read_document(self._objects, PROJECT, ProjectDocument, self._project.id).scopes
        names = [info.name for scope, (info, name) in newest.items() if (scope, name) not in self._local]
        age = {info.name: (scope not in public, -info.modified.timestamp()) for scope, (info, _) in newest.items()}
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            described = list(pool.map(self._description, sorted(names, key=lambda name: age[name])[:_MAX_SCOPES]))
        return [description for description in described if description]

    def _description(self, name: str) -> Description | None:
        with suppress(ArtifactInvalid, NewerRelease, ObjectMissing, ProjectMismatch):
            data = read(self._objects, name, MAX_BYTES)
            if (named := named_in(name)) and hashlib.sha256(data).hexdigest() == named[2]:
                return parse_document(data, Description, f"{self._objects.address}: {name}", self._project.id)
        return None

    def vectors_of(self, description: Description) -> Iterator[tuple[list[str], Vectors]]:
        """Hashes of missing texts in a generation, with their vectors.

        Raises:
            One of `_DAMAGE`.
        """
        files = description.files
        if all(self._packs.get(entry.sha256) == {} for name, entry in files.items() if is_records_file(name)):
            return
        fetch_blob(self._objects, self._folder / MANIFEST, files[MANIFEST])
        manifest = read_manifest(self._folder)
        if manifest.generation.model_id != self._model_id:
            return
        for number, pack in enumerate(manifest.packs):
            if hashes := self._texts_of(files[records_file(pack.name)]):
                yield from self._vectors_in(_Pack(pack.name, number, hashes), manifest, files)

    def _texts_of(self, entry: BlobEntry) -> Mapping[int, str]:
        """The missing texts of a pack, by `doc`."""
        if entry.sha256 not in self._packs:
            if entry.bytes > self._budget:
                return {}
            self._budget -= entry.bytes
            path = self._fetch(entry)
            with closing(connect_reader(path)) as pack:
                rows = ((doc, as_text(stored)) for doc, stored in pack.execute("SELECT doc, content_hash FROM records"))
                self._packs[entry.sha256] = {doc: text for doc, text in rows if text in self._missing}
            path.unlink()
        return {doc: text for doc, text in self._packs[entry.sha256].items() if text in self._missing}

    def _vectors_in(
        self, pack: _Pack, manifest: Manifest, files: Mapping[str, BlobEntry]
    ) -> Iterator[tuple[list[str], Vectors]]:
        blocks = [self._fetch(files[name]).read_bytes() for name in rows_files(files)]
        names = read_blocks(blocks, manifest.packs)
        recorded = np.flatnonzero(np.isin(names.docs, list(pack.hashes)))
        row_of = {pack.hashes[int(names.docs[row])]: int(row) for row in recorded}
        for hashes in batches(row_of, _BATCH):
            rows = [row_of[each] for each in hashes]
            if self._index is None:
                yield hashes, self._packed_vectors(pack, names.places[rows], manifest, files)
            else:
                snapshot = self._index.open(manifest.generation)
                yield hashes, snapshot.vectors_of([id_.decode() for id_ in names.ids[rows].tolist()])

    def _packed_vectors(
        self, pack: _Pack, places: NDArray[np.uint32], manifest: Manifest, files: Mapping[str, BlobEntry]
    ) -> Vectors:
        if (places[:, 0] != pack.number).any():
            raise ArtifactInvalid(f"{self._objects.address}: {ROWS} and {PACKS} of a generation do not match")
        path = self._fetch(files[vectors_file(pack.name)])
        vectors = np.memmap(path, np.dtype("<f4"), "r").reshape(-1, manifest.generation.dimensions)
        return np.array(vectors[places[:, 1]], np.float32)

    def _fetch(self, entry: BlobEntry) -> Path:
        if entry.bytes > self._max_bytes:
            raise ArtifactInvalid(f"{self._objects.address}: a file has more than `artifacts.max_mb`")
        path = self._folder / entry.sha256
        if not path.exists():
            fetch_blob(self._objects, path, entry)
        return path


def _local_manifests(root: Path) -> Iterator[Manifest]:
    """The manifests of the live generations of this machine."""
    for folder in root.iterdir() if root.is_dir() else ():
        with suppress(SearchSocketError, OSError):
            if current := read_current(folder):
                yield read_manifest(folder / current.live)
