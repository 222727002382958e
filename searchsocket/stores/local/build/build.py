"""Building a generation: the live one and the staged changes, merged into a new folder in path order."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.base import PublishInfo, index_digest
from searchsocket.stores.base.models import check_model
from searchsocket.stores.base.spread import sampled, spread_of
from searchsocket.stores.local.build.origin import DELETE_THE_REST, rename_copied
from searchsocket.stores.local.build.sayings import sayings
from searchsocket.stores.local.build.word_source import MergedRecords
from searchsocket.stores.local.catalogue.bodies import WrittenBodies, drop_unchanged_bodies, write_bodies
from searchsocket.stores.local.catalogue.facts import SELECTED, FactTable, write_facts
from searchsocket.stores.local.catalogue.hashes import as_text
from searchsocket.stores.local.catalogue.packed_texts import PACK, TEXT, begin_packed, write_packed
from searchsocket.stores.local.catalogue.records import INDEXES, PATH_ORDER, RECORD_NAMES, TABLES, connect_writer
from searchsocket.stores.local.hashed_file import HashedFile
from searchsocket.stores.local.layout import BODIES, FACTS, IDS, ORDER, RECORDS, FileEntry, corrupt
from searchsocket.stores.local.numbering import Rows
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.local.staging import Staging
from searchsocket.stores.local.vectors.matrix import forget_pages
from searchsocket.stores.local.vectors.part import BATCH, VectorPart
from searchsocket.stores.words.segments import write_words
from searchsocket.system.copying import copy_file, link_file
from searchsocket.system.errors import client_error
from searchsocket.system.memory import return_freed_memory
from searchsocket.types import Spread, Vectors

_MAX_CHANGED_SHARE = 0.3  # beyond it, copying the live files and changing them costs more than new ones
_READING_CACHE_KIB = 8_192  # of SQLite, once all records are written: they are read one after the other
_SPARE_DOCS = 100_000  # how far `doc` numbers may run ahead of four times the records before they start again


@dataclass(frozen=True, slots=True)
class Built:
    """Contents of a new folder."""

    records: int
    pages: int
    routes: dict[str, int]
    digest: str
    max_doc: int
    id_bytes: int
    bodies: WrittenBodies
    spread: Spread | None = None
    hashed: Mapping[str, FileEntry] = field(default_factory=dict)  # files whose hash was made while they were written


def drop_unchanged(staging: Staging, live: LocalReader, part: VectorPart) -> None:
    """Forget staged changes that change nothing: unknown deletions, and records that are live with the same vector."""
    drop_unchanged_bodies(staging.database, live.folder / BODIES)
    with closing(_open_merge(staging.database, live=live)) as merge:
        merge.execute("DELETE FROM changes WHERE slot IS NULL AND id NOT IN (SELECT id FROM live.records)")
        if staging.model() != (live.generation.model_id, live.generation.dimensions):
            return
        staged = staging.matrix(live.generation.dimensions)
        equal = merge.execute(
            "SELECT c.id, c.slot FROM changes c JOIN live.records r "
            "ON r.id = c.id AND r.record_hash = c.record_hash WHERE c.slot IS NOT NULL ORDER BY c.id"
        )
        unchanged: list[tuple[str]] = []
        while rows := equal.fetchmany(BATCH):
            same = part.are_same(live.vectors, [id_ for id_, _ in rows], staged[[slot for _, slot in rows]])
            forget_pages(staged)
            unchanged += [(id_,) for (id_, _), is_same in zip(rows, same, strict=True) if is_same]
        merge.execute("BEGIN")
        merge.executemany("DELETE FROM changes WHERE id = ?", unchanged)
        merge.execute("COMMIT")


def drop_remaining(staging: Staging, origin: LocalReader) -> None:
    """Stage the deletion of what was not taken over from another scope, and forget texts that say what it does."""
    drop_unchanged_bodies(staging.database, origin.folder / BODIES)
    with closing(_open_merge(staging.database, live=origin)) as merge:
        merge.execute(DELETE_THE_REST)


def refuse_two_models(staging: Staging, live: LocalReader | None, info: PublishInfo) -> None:
    """See `check_model`."""
    generation = live.generation if live else None
    stays = False
    if live and (live.generation.model_id, live.generation.dimensions) != (info.model_id, info.dimensions):
        with closing(_open_merge(staging.database, live=live)) as merge:
            (models,) = merge.execute(
                "SELECT EXISTS (SELECT 1 FROM live.records WHERE id NOT IN (SELECT id FROM changes))"
            ).fetchone()
        stays = bool(models)
    check_model(staging.scope, info, staging.model() if staging.counts()[0] else None, generation, stays=stays)


def build(
    target: Path, staging: Staging, live: LocalReader | None, info: PublishInfo, vectors: VectorPart, number: int
) -> Built:
    """Write all files of a generation but its manifest into the new folder `target`, and sync them.

    A small change is made on copies of the live files (segments of words are linked); a large one writes new files.

    Args:
        live: The generation before; for the first one of a scope, that of another scope where it was taken over.
        number: See `generation_number`.

    Raises:
        OSError, StateUnavailable: The disk is full or refuses.
        IndexCorrupt: The live generation is damaged.
    """
    target.mkdir()
    is_taken = live is not None and live is staging.origin
    copied = live if live is not None and (is_taken or _is_small(staging, live)) else None
    if copied is not None:
        copy_file(copied.folder / RECORDS, target / RECORDS)
    with _client_errors(target), closing(_open_merge(target / RECORDS, live=live, staging=staging)) as merge:
        origin, first_new = _merge_records(merge, live, copied, rename=is_taken)
        docs, ids = _path_order(merge)
        urls = _write_facts(target / FACTS, _facts(merge, live, origin, first_new, docs))
        merge.execute(f"PRAGMA cache_size = -{_READING_CACHE_KIB}")
        return_freed_memory()  # words take the most memory of all
        words = MergedRecords(merge, first_new, is_copy=copied is not None)
        write_words(target, words, None if copied is None else copied.folder)
        old_bodies = None if live is None else live.folder / BODIES
        bodies = write_bodies(
            target / BODIES, old_bodies, staging.database, urls, sayings(merge, live, words.touched())
        )
        built = _summary(merge, len(docs), len(origin) - 1, ids.itemsize, bodies)
    old_vectors = None if live is None else live.vectors
    sources, staged = origin[docs], staging.matrix(info.dimensions)
    hashed: dict[str, FileEntry] = {}
    if live is not None and np.array_equal(sources, np.arange(live.generation.records)):
        for name in vectors.files:
            link_file(live.folder / name, target / name)
    else:
        hashed |= vectors.write(target, sources, old_vectors, staged, number)
    for name, array in ((ORDER, docs), (IDS, ids)):
        with HashedFile(target / name) as file:
            file.write(memoryview(array.tobytes()))
            hashed[name] = file.entry
    return replace(built, hashed=hashed, spread=spread_of(_sampled_vectors(live, sources, staged, ids)))


def _sampled_vectors(live: LocalReader | None, sources: Rows, staged: Vectors, ids: NDArray[np.bytes_]) -> Vectors:
    """The vectors by which the spread is measured, wherever they lie."""
    rows = sampled(ids)
    chosen, vectors = sources[rows], np.empty((len(rows), staged.shape[1]), np.float32)
    is_new = chosen < 0
    vectors[is_new] = staged[~chosen[is_new]]
    forget_pages(staged)
    if live is not None and not is_new.all():
        vectors[~is_new] = live.vectors.vectors_of(live.numbering.ids_of(chosen[~is_new]))
    return vectors


def _is_small(staging: Staging, live: LocalReader) -> bool:
    """Return True if changing copies of the live files is cheaper than writing new ones, and wastes little space."""
    records = live.generation.records
    return sum(staging.counts()) <= _MAX_CHANGED_SHARE * records and live.manifest.max_doc <= 4 * records + _SPARE_DOCS


def _merge_records(
    merge: sqlite3.Connection, live: LocalReader | None, copied: LocalReader | None, *, rename: bool
) -> tuple[Rows, int]:
    """Bring the records of the new file up to date.

    Returns:
        For each `doc` number where its vector is: a row of the live matrix, or `~slot` of a staged one; and the
        number below which all records are old.
    """
    merge.execute("BEGIN")
    old_rows: Rows = np.empty(0, np.int64)  # live rows of the old records
    old_docs: Rows = old_rows  # their numbers in the new file
    if copied is not None:
        write_packed(merge)
        merge.execute("DELETE FROM tags WHERE doc IN (SELECT doc FROM records WHERE id IN (SELECT id FROM changes))")
        merge.execute("DELETE FROM records WHERE id IN (SELECT id FROM changes)")
        if rename:
            rename_copied(merge)
        first_new = copied.manifest.max_doc
        old_rows, old_docs = np.arange(len(copied.numbering)), copied.numbering.docs.astype(np.int64)
    else:
        _execute_all(merge, TABLES)
        text = begin_packed(merge, live_records=0 if live is None else live.generation.records)
        if live is not None:
            old_rows = _copy_live(merge, live, text)
            old_docs = np.arange(1, len(old_rows) + 1)
        first_new = len(old_rows)
    slots = _add_staged(merge)
    _execute_all(merge, INDEXES)
    merge.execute("COMMIT")
    origin = np.zeros(first_new + len(slots) + 1, np.int64)
    origin[old_docs] = old_rows
    origin[first_new + 1 :] = ~slots
    return origin, first_new


def _copy_live(merge: sqlite3.Connection, live: LocalReader, text: str) -> Rows:
    """Take over what stays, numbered from 1 in path order; returns the live rows.

    Args:
        text: What a text of the live file is in the new one, in SQL.
    """
    stays = f"FROM live.records WHERE id NOT IN (SELECT id FROM changes) ORDER BY {PATH_ORDER}"
    docs = np.fromiter((row[0] for row in merge.execute(f"SELECT doc {stays}")), np.int64)
    merge.execute(f"INSERT INTO records (sort, {RECORD_NAMES}) SELECT sort, {RECORD_NAMES.replace(TEXT, text)} {stays}")
    _add_tags(merge, 0)
    return live.numbering.rows_of_docs(docs)


def _add_staged(merge: sqlite3.Connection) -> Rows:
    """Add what was upserted, in path order; returns the slots in that order."""
    merge.execute(f"CREATE INDEX IF NOT EXISTS staged.by_path ON changes ({PATH_ORDER}) WHERE slot IS NOT NULL")
    upserts = f"FROM staged.changes WHERE slot IS NOT NULL ORDER BY {PATH_ORDER}"
    (last,) = merge.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence").fetchone()
    merge.execute(
        f"INSERT INTO records (sort, {RECORD_NAMES}) SELECT sort, {RECORD_NAMES.replace(TEXT, PACK)} {upserts}"
    )
    _add_tags(merge, last)
    return np.fromiter((row[0] for row in merge.execute(f"SELECT slot {upserts}")), np.int64)


def _add_tags(merge: sqlite3.Connection, after_doc: int) -> None:
    merge.execute(
        "INSERT OR IGNORE INTO tags SELECT tag.value, r.doc FROM records r, json_each(r.tags) tag "
        "WHERE r.doc > ? AND r.tags <> '[]'",
        (after_doc,),
    )


def _path_order(merge: sqlite3.Connection) -> tuple[NDArray[np.uint32], NDArray[np.bytes_]]:
    """The `doc` number and the id of every row of the matrix to come."""
    cursor = merge.execute(f"SELECT doc, id FROM records ORDER BY {PATH_ORDER}")
    docs: list[NDArray[np.uint32]] = []
    ids: list[NDArray[np.bytes_]] = []
    while rows := cursor.fetchmany(BATCH):
        docs.append(np.array([doc for doc, _ in rows], np.uint32))
        ids.append(np.array([id_.encode() for _, id_ in rows], np.bytes_))
    if not docs:
        return np.empty(0, np.uint32), np.empty(0, "S1")
    return np.concatenate(docs), np.concatenate(ids)


def _write_facts(path: Path, facts: FactTable) -> set[str]:
    """Write the facts of all rows, so that nothing holds them any more; the URLs of the pages."""
    with open(path, "xb") as file:
        write_facts(file, facts)
    return set(facts.texts["url"].distinct())


def _facts(
    merge: sqlite3.Connection, live: LocalReader | None, origin: Rows, first_new: int, docs: NDArray[np.uint32]
) -> FactTable:
    """The facts of every row: those of the live generation, and those of the new records."""
    new = merge.execute(f"SELECT {SELECTED} FROM records WHERE doc > ? ORDER BY doc", (first_new,))
    old = FactTable.of([]) if live is None else live.facts
    first = len(old.weights) - first_new - 1
    rows = np.where(docs > first_new, first + docs.astype(np.int64), origin[docs])
    return old.merged(FactTable.of(new), rows)


def _summary(merge: sqlite3.Connection, records: int, max_doc: int, id_bytes: int, bodies: WrittenBodies) -> Built:
    counts = merge.execute("SELECT route_resolution, count(DISTINCT sort) FROM records GROUP BY 1 ORDER BY 1")
    routes = {str(resolution): int(pages) for resolution, pages in counts}
    (pages,) = merge.execute("SELECT count(DISTINCT sort) FROM records").fetchone()
    hashes = merge.execute("SELECT id, record_hash FROM records ORDER BY id")
    digest = index_digest((id_, as_text(stored)) for id_, stored in hashes)
    return Built(records, int(pages), routes, digest, max_doc, id_bytes, bodies)


def _open_merge(database: Path, *, live: LocalReader | None, staging: Staging | None = None) -> sqlite3.Connection:
    merge = connect_writer(database)
    if live is not None:
        uri = f"{(live.folder / RECORDS).resolve().as_uri()}?mode=ro&immutable=1"
        merge.execute("ATTACH ? AS live", (uri,))
    if staging is not None:
        merge.execute("ATTACH ? AS staged", (staging.database.resolve().as_uri(),))
    return merge


def _execute_all(merge: sqlite3.Connection, script: str) -> None:
    """Like `executescript`, inside the transaction."""
    for statement in filter(None, map(str.strip, script.split(";"))):
        merge.execute(statement)


@contextmanager
def _client_errors(target: Path) -> Iterator[None]:
    """Say in our words what SQLite and tantivy say about a disk, and about damage."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise client_error("cannot write the index in", target, error) from error
    except sqlite3.DatabaseError as error:
        raise corrupt(target.parent, f"holds a damaged {RECORDS} ({error})") from error
    except BaseException as error:
        # tantivy says ValueError for every failure, and a panic is not even an Exception.
        if not isinstance(error, ValueError) and type(error).__name__ != "PanicException":
            raise
        raise client_error("cannot write the words of the index in", target, error) from error
