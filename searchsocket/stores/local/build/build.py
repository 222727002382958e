"""Build a generation: merge the live one and the staged changes into a new folder, in path order."""

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.base import PublishInfo, index_digest
from searchsocket.stores.base.checks import check_model
from searchsocket.stores.local.build.pack import places_of, write_packs
from searchsocket.stores.local.build.rows import NewRows, new_rows, plan_packs
from searchsocket.stores.local.catalogue.bodies import TextSources, WrittenBodies, drop_unchanged_bodies, write_bodies
from searchsocket.stores.local.catalogue.facts import write_facts
from searchsocket.stores.local.catalogue.packed_texts import READ
from searchsocket.stores.local.catalogue.packs import Packs
from searchsocket.stores.local.catalogue.records import path_key
from searchsocket.stores.local.layout import (
    FACTS,
    PACKS,
    ROWS,
    FileEntry,
    PackEntry,
    corrupt,
    rows_file,
    rows_files,
)
from searchsocket.stores.local.numbering import Numbering, Origins, RowNames
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.local.row_blocks import row_blocks
from searchsocket.stores.local.staging import Staging
from searchsocket.stores.local.vectors.matrix import forget_pages
from searchsocket.stores.local.vectors.part import BATCH, VectorPart
from searchsocket.system.batches import batches
from searchsocket.system.errors import client_error
from searchsocket.system.files import link_file
from searchsocket.types import Spread, Vectors

_MAX_CHANGED_SHARE = 0.3  # above it, an update costs more than writing everything again
_SPARE_DOCS = 100_000  # `doc` numbers start again once they exceed four times the records by this
_SCATTERED_ROWS = 32  # read at once: the system may map 2 MB of a large file for each
MAX_SAMPLED = 400  # texts, so at most 79,800 pairs: 10 ms, whatever the size of the site
MIN_SAMPLED = 20  # fewer do not characterise a model
_SPREAD_LEVELS = (0.05, 0.5)  # of `Spread`
_SPREAD_DIGITS = 4


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
        digest=index_digest(numbering.all_fingerprints()),
        max_doc=rows.max_doc,
        packs=packs,
        bodies=bodies,
        spread=spread_of(_sampled_vectors(live, rows.vectors, staged_vectors, rows.ids, vectors)),
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
    live: LocalReader | None, sources: Origins, staged: Vectors, ids: NDArray[np.bytes_], part: VectorPart
) -> Vectors:
    """The sampled vectors, live and staged, by which the spread is measured."""
    rows = sampled(ids)
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


def sampled(ids: NDArray[np.bytes_]) -> NDArray[np.int64]:
    """The rows of the texts to compare: ids are hashes, so the first ones by id are a random sample. The sample is the
    same for the same records in any order.
    """
    return np.sort(np.argsort(ids, kind="stable")[:MAX_SAMPLED])


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
