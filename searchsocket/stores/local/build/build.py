"""Build a generation: merge the live one and the staged changes into a new folder, in path order."""

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.base.vector_store import PublishInfo, check_model
from searchsocket.stores.local.build.rows import Copied, NewRows, PackPlan, new_rows, plan_packs
from searchsocket.stores.local.catalogue.bodies import TextSources, WrittenBodies, drop_unchanged_bodies, write_bodies
from searchsocket.stores.local.catalogue.facts import write_facts
from searchsocket.stores.local.catalogue.packed_texts import PACK, READ, TEXT, Dictionary
from searchsocket.stores.local.catalogue.records import (
    PATH_ORDER,
    RECORD_NAMES,
    SCHEMA,
    connect_records,
    connect_writer,
    path_key,
)
from searchsocket.stores.local.catalogue.snapshot import Packs
from searchsocket.stores.local.layout import (
    FACTS,
    NEW_PACK,
    PACKS,
    ROWS,
    FileEntry,
    PackEntry,
    corrupt,
    records_file,
    rows_file,
    rows_files,
    vectors_file,
    words_file,
)
from searchsocket.stores.local.numbering import Docs, Numbering, Origins, RowNames, Rows, row_blocks
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.local.staging import Staging
from searchsocket.stores.local.vectors.matrix import forget_pages
from searchsocket.stores.local.vectors.parts import BATCH, VectorPart
from searchsocket.stores.words.documents import WordRow, words_of
from searchsocket.stores.words.pack_words import PackWords, concatenated, write_words
from searchsocket.stores.words.tables import Slots
from searchsocket.system.batches import batches
from searchsocket.system.errors import client_error
from searchsocket.system.files import link_file
from searchsocket.system.this_process import return_freed_memory
from searchsocket.types import Spread, Vectors

_MAX_CHANGED_SHARE = 0.3  # above it, an update costs more than writing everything again
_SPARE_DOCS = 100_000  # `doc` numbers start again once they exceed four times the records by this
_SCATTERED_ROWS = 32  # read at once: the system may map 2 MB of a large file for each
MAX_SAMPLED = 400  # texts, so at most 79,800 pairs: 10 ms, whatever the size of the site
MIN_SAMPLED = 20  # fewer do not characterise a model
_SPREAD_LEVELS = (0.05, 0.5)  # of `Spread`
_SPREAD_DIGITS = 4
_NAME_DIGITS = 32
_SPLIT_AT_ONCE = 4_096  # records
_MERGED_AT_ONCE = 64  # batches of staged words: with more, a merge takes more memory and many small steps
Part = tuple[PackWords, Slots]  # words, and the slot of each of their records in the new pack


@dataclass(frozen=True, slots=True)
class Built:
    """Contents of a new folder."""

    records: int
    pages: int
    routes: dict[str, int]
    digest: str
    max_doc: int
    packs: tuple[PackEntry, ...]
    bodies: WrittenBodies
    spread: Spread | None = None
    hashed: Mapping[str, FileEntry] = field(default_factory=dict)  # files that were hashed while they were written


def drop_unchanged(staging: Staging, live: LocalReader, part: VectorPart) -> None:
    """Drop staged changes without effect: unknown deletions, and records that are live with the same vector."""
    drop_unchanged_bodies(staging.database, live.folder)
    deletions = staging.deletions()
    unknown = np.flatnonzero(live.numbering.rows_or_none(deletions) < 0)
    staging.forget([deletions[i] for i in unknown.tolist()])
    if staging.model() != (live.generation.model_id, live.generation.dimensions):
        return
    staged = staging.matrix(live.generation.dimensions)
    unchanged: list[str] = []
    for upserts in batches(staging.upserted(), BATCH):
        hashes = live.numbering.hashes([id_ for id_, _, _ in upserts])
        equal = [(id_, slot) for id_, record_hash, slot in upserts if hashes.get(id_) == record_hash]
        if equal:
            same = part.are_same(live.vectors, [id_ for id_, _ in equal], staged[[slot for _, slot in equal]])
            forget_pages(staged)
            unchanged += [id_ for (id_, _), is_same in zip(equal, same, strict=True) if is_same]
    staging.forget(unchanged)


def drop_remaining(staging: Staging, origin: LocalReader) -> None:
    """Stage the deletion of records that were not reused from the other scope, and drop texts that equal its texts."""
    drop_unchanged_bodies(staging.database, origin.folder)
    staging.delete(origin.numbering.ids_of(np.flatnonzero(staging.new_ids == b"")))


def refuse_two_models(staging: Staging, live: LocalReader | None, info: PublishInfo) -> None:
    """Refuse a second embedding model, see `check_model`."""
    generation = live.generation if live else None
    stays = False
    if live and (live.generation.model_id, live.generation.dimensions) != (info.model_id, info.dimensions):
        rows = live.numbering.rows_or_none(staging.changed_ids())
        stays = len(np.unique(rows[rows >= 0])) < len(live.numbering)
    check_model(staging.scope, info, staging.model() if staging.counts()[0] else None, generation, stays=stays)


def build(
    target: Path, staging: Staging, live: LocalReader | None, info: PublishInfo, vectors: VectorPart, number: int
) -> Built:
    """Write all files of a generation except its manifest into the new folder `target`, and sync them.

    Unchanged packs are linked. A large change, and the first one of a new format, writes all records into one new pack.

    Args:
        live: The previous generation. For the first one of a scope, the reused generation of another scope or None.
        number: See `generation_number`.

    Raises:
        OSError, StateUnavailable: The disk is full or cannot be written.
        IndexCorrupt: The live generation is damaged.
    """
    target.mkdir()
    (target / PACKS).mkdir()
    is_continued = live is not None and not live.manifest.is_older
    continued = live if live and is_continued and (live is staging.origin or _is_small(staging, live)) else None
    with _client_errors(target):
        rows = new_rows(staging, live, renumbers=continued is None)
        plan = plan_packs(live, rows, keeps=continued is not None)
        staged_vectors = staging.matrix(info.dimensions)
        vector_files = vectors.write(
            target, rows.vectors, plan.is_new, None if live is None else live.vectors, staged_vectors, number
        )
        packs, hashed = write_packs(target, staging, live, rows, plan, vector_files)
        names = RowNames(rows.ids, rows.hashes, rows.docs, places_of(rows.sources, plan, live))
        with open(target / FACTS, "xb") as fact_file:
            write_facts(fact_file, rows.facts)
        hashed |= _write_rows(target, names, packs, live)
        numbering = Numbering(names, rows.max_doc)
        bodies = _written_bodies(target, staging, live, rows, Packs(target, [pack.name for pack in packs], numbering))
    return Built(
        records=len(rows.docs),
        pages=len(rows.facts.texts["url"].distinct()),
        routes=rows.facts.routes(),
        digest=numbering.digest(),
        max_doc=rows.max_doc,
        packs=packs,
        bodies=bodies,
        spread=spread_of(_sampled_vectors(live, rows.vectors, staged_vectors, sampled(numbering), vectors)),
        hashed=hashed,
    )


def _write_rows(
    target: Path, names: RowNames, packs: Sequence[PackEntry], live: LocalReader | None
) -> dict[str, FileEntry]:
    """Write the blocks of rows of the generation; blocks that the live one has too are linked."""
    (target / ROWS).mkdir()
    old = {} if live is None else {live.manifest.files[name].sha256: name for name in rows_files(live.manifest.files)}
    entries = {}
    for number, block in enumerate(row_blocks(names, packs)):
        name, entry = rows_file(number), FileEntry(len(block), hashlib.sha256(block).hexdigest())
        if live is not None and entry.sha256 in old:
            link_file(live.folder / old[entry.sha256], target / name)
        else:
            (target / name).write_bytes(block)
        entries[name] = entry
    return entries


def _written_bodies(
    target: Path, staging: Staging, live: LocalReader | None, rows: NewRows, packs: Packs
) -> WrittenBodies:
    def now(url: str) -> str:
        docs: list[int] = rows.docs[rows.facts.rows_of_page(path_key(url))].tolist()
        texts = packs.select(READ, docs)
        return "\n".join(texts[doc][0] for doc in docs)

    def before(url: str) -> str | None:
        return None if live is None else live.catalogue.page_body(url)

    pages = TextSources(now, lambda url: path_key(url) in rows.touched, before)
    old = None if live is None else live.folder
    return write_bodies(target, old, staging.database, set(rows.facts.texts["url"].distinct()), pages)


def _sampled_vectors(
    live: LocalReader | None, sources: Origins, staged: Vectors, rows: Rows, part: VectorPart
) -> Vectors:
    """The vectors of the sampled rows, live and staged, by which the spread is measured."""
    vectors = np.empty((len(rows), staged.shape[1]), np.float32)
    for start in range(0, len(rows), _SCATTERED_ROWS):
        own = slice(start, start + _SCATTERED_ROWS)
        chosen, taken = sources[rows[own]], vectors[own]
        is_new = chosen.is_staged
        taken[is_new] = staged[chosen.staged]
        forget_pages(staged)
        if live is not None and not is_new.all():
            taken[~is_new] = np.concatenate(list(part.blocks(live.vectors, live.numbering, chosen.live)))
    return vectors


def _is_small(staging: Staging, live: LocalReader) -> bool:
    """Return True if an update is cheaper than writing everything again, and wastes little space."""
    records = live.generation.records
    return sum(staging.counts()) <= _MAX_CHANGED_SHARE * records and live.manifest.max_doc <= 4 * records + _SPARE_DOCS


@contextmanager
def _client_errors(target: Path) -> Iterator[None]:
    """Turn disk and damage errors of SQLite and of words into typed errors."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise client_error("cannot write the index in", target, error) from error
    except sqlite3.DatabaseError as error:
        raise corrupt(target.parent, f"contains damaged {PACKS} ({error})") from error
    except (ValueError, LookupError, TypeError) as error:
        raise corrupt(target.parent, f"contains damaged {PACKS} ({error})") from error


def sampled(numbering: Numbering) -> Rows:
    """The rows of the texts to compare: ids are hashes, so the first ones by id are a random sample. The sample is the
    same for the same records in any order.
    """
    return np.sort(numbering.rows_by_id[:MAX_SAMPLED])


def spread_of(vectors: Vectors) -> Spread | None:
    """The quantiles of the cosines of all pairs of these unit vectors; None if there are too few.

    Args:
        vectors: Shape (n, dim), float32.
    """
    if len(vectors) < MIN_SAMPLED:
        return None
    wide = vectors.astype(np.float64)
    cosines = (wide @ wide.T)[np.triu_indices(len(wide), 1)]
    return Spread(*np.quantile(cosines, _SPREAD_LEVELS).round(_SPREAD_DIGITS).tolist())


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
