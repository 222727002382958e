"""Check downloaded files before use. Their hashes match, but their content may still be hostile."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import cast

from searchsocket.errors import ArtifactFormat, ArtifactInvalid, IndexCorrupt, IndexFormat
from searchsocket.extensions.fleet.documents import BlobEntry, Description
from searchsocket.stores.base.vectors import VectorIndex, VectorLimits, VectorSnapshot, Written, whenever
from searchsocket.stores.local.catalogue import bodies, records
from searchsocket.stores.local.catalogue.records import connect_reader
from searchsocket.stores.local.layout import (
    BODIES,
    BORN,
    EDITED_BODIES,
    MANIFEST,
    damage_of,
    read_manifest,
    records_file,
    rows_files,
)
from searchsocket.stores.local.numbering import MIN_ROW_BYTES
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.local.vectors.parts import IndexPart, MatrixPart
from searchsocket.stores.local.verify import new_problems
from searchsocket.types import Generation

_MAX_DOCS_A_RECORD, _SPARE_DOCS = 16, 1_000_000  # numbers of records run ahead of their count, but not so far
_DAMAGE = (sqlite3.Error, ValueError, TypeError, LookupError, OverflowError, RecursionError, MemoryError)
_LIST_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name LIMIT 100"
_MAX_STEPS = 100_000  # of SQLite's machine, to read the list
_SchemaRows = list[tuple[str, str, str, str | None]]


def refuse_another(folder: Path, description: Description, name: str) -> None:
    """Check the manifest, which is fetched first, so that no file is fetched that it does not list.

    Args:
        name: Start of an error message.

    Raises:
        ArtifactInvalid: It does not match the description, or is damaged or of another format.
    """
    with _refusing(folder, name):
        manifest = read_manifest(folder)
        generation = manifest.generation
        names = (generation.name, generation.scope, generation.project_id)
        listed = {name: BlobEntry(sha256=entry.sha256, bytes=entry.bytes) for name, entry in manifest.files.items()}
        described = {name: entry for name, entry in description.files.items() if name != MANIFEST}
        if names != (description.generation, description.scope, description.project_id) or listed != described:
            raise ArtifactInvalid(f"{name} does not match its description")
        if manifest.max_doc > _MAX_DOCS_A_RECORD * _most_rows(listed) + _SPARE_DOCS:
            raise ArtifactInvalid(f"{name} claims {manifest.max_doc:,} records, more than its files can contain")


def _most_rows(files: Mapping[str, BlobEntry]) -> int:
    return sum(files[name].bytes for name in rows_files(files)) // MIN_ROW_BYTES


def refuse_unsound(folder: Path, name: str) -> None:
    """Open the whole generation, and check every vector that it contains.

    Raises:
        ArtifactInvalid: It is damaged.
    """
    with _refusing(folder, name):
        if foreign := foreign_schema(folder):
            raise ArtifactInvalid(f"{name} cannot be used: {foreign} contains unknown tables, views or triggers")
        lies_here = BORN not in read_manifest(folder).files
        vectors = MatrixPart() if lies_here else IndexPart(cast(VectorIndex, _Unasked()))
        reader = LocalReader(folder, vectors, trusted=True)
        if problems := new_problems(reader, is_foreign=True):
            raise ArtifactInvalid(f"{name} cannot be used: {'; '.join(problems)}")


class _Unasked:
    """Placeholder for a remote index, because only fetched files are checked."""

    limits = VectorLimits(is_remote=True)

    def open(self, generation: Generation, written: Written = whenever) -> VectorSnapshot:
        return cast(VectorSnapshot, self)


@contextmanager
def _refusing(folder: Path, name: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise ArtifactInvalid(f"{name} lacks {Path(error.filename or folder).name}") from error
    except IndexFormat as error:
        raise ArtifactFormat(
            f"{name} was written by an older release, in a format that this one does not read; publish the scope again "
            "with this release, or read it with the release that wrote it"
        ) from error
    except IndexCorrupt as error:
        raise ArtifactInvalid(f"{name} cannot be used: {damage_of(error)}") from error
    except _DAMAGE as error:
        raise ArtifactInvalid(f"{name} cannot be used: {type(error).__name__}") from error


def foreign_schema(folder: Path) -> str:
    """The first database file of a generation with tables or indexes that are not ours; "" = no such file.

    Raises:
        sqlite3.Error: A file is damaged, or its schema takes too long to read.
    """
    manifest = read_manifest(folder)
    files = {records_file(pack.name): records.SCHEMA for pack in manifest.packs}
    files |= {name: bodies.SCHEMA for name in (BODIES, EDITED_BODIES) if name in manifest.files}
    for name, schema in files.items():
        with closing(connect_reader(folder / name)) as connection:
            connection.set_progress_handler(lambda: 1, _MAX_STEPS)
            if connection.execute(_LIST_SCHEMA).fetchall() != _own_schema(schema):
                return name
    return ""


@cache
def _own_schema(schema: str) -> _SchemaRows:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema)
        rows: _SchemaRows = connection.execute(_LIST_SCHEMA).fetchall()
        return rows
