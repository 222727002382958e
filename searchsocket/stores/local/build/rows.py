"""The rows of a generation that is being built: live rows that stay and staged rows, in path order."""

import sqlite3
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.local.catalogue.columns import SqlRow, as_text
from searchsocket.stores.local.catalogue.facts import SELECTED, FactTable
from searchsocket.stores.local.catalogue.records import PATH_ORDER, connect_writer, path_key
from searchsocket.stores.local.numbering import HASH_BYTES, Docs, Ids, Origins, Rows
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.local.staging import Staging
from searchsocket.system.arrays import has_repeated
from searchsocket.system.batches import batches

MAX_PACKS = 8  # each one adds a query to reading records
_BATCH = 4_096  # staged records
_MIN_USED = 0.5  # share of a pack's records that a generation uses; below it they are written again

Hashes = NDArray[np.uint8]  # shape (records, 32)


class StagedRows(NamedTuple):
    """Staged records, in path order."""

    slots: Rows
    ids: Ids
    hashes: Hashes
    facts: FactTable


class NewRows(NamedTuple):
    """Every row of the new generation."""

    sources: Origins  # staged ones by their path order
    vectors: Origins  # of its vector; staged ones by their slot
    ids: Ids
    hashes: Hashes
    facts: FactTable
    docs: NDArray[np.uint32]
    last_old: int  # higher `docs` belong to staged records
    max_doc: int
    touched: frozenset[bytes]  # sort keys of changed, added and deleted pages; of all pages if numbers begin again


class Copied(NamedTuple):
    """Records of a live pack that are written again, and their numbers in the new one."""

    pack: str
    docs: Docs
    new_docs: Docs


class PackPlan(NamedTuple):
    """Packs of the new generation."""

    stays: list[int]  # numbers of the live packs that are linked
    copied: list[Copied]  # to the new pack
    is_new: NDArray[np.bool_]  # for each row, True if its record is in the new pack
    first_doc: int  # of the staged records


def new_rows(staging: Staging, live: LocalReader | None, *, renumbers: bool) -> NewRows:
    """Merge the remaining records of the live generation, or of another scope's, with the staged ones.

    Args:
        renumbers: `doc` numbers begin again; staged records get the first ones.

    Raises:
        ValueError: The hash of a record is not a SHA-256.
    """
    staged = _staged_rows(staging.database)
    if live is None:
        sources = Origins(np.ones(len(staged.ids), np.bool_), np.arange(len(staged.ids)))
        ids, hashes, facts, changed_urls = staged.ids, staged.hashes, staged.facts, set[str]()
    else:
        stays, old_ids, old_hashes, changed_urls = _staying(staging, staged, live)
        candidates = np.concatenate([stays, len(old_ids) + np.arange(len(staged.ids))])
        all_ids = np.concatenate([old_ids, staged.ids])
        rows = candidates[_path_order(live.facts, staged.facts, candidates, all_ids[candidates])]
        is_staged = rows >= len(old_ids)
        sources = Origins(is_staged, np.where(is_staged, rows - len(old_ids), rows))
        ids, hashes = _trimmed(all_ids[rows]), np.concatenate([old_hashes, staged.hashes])[rows]
        facts = live.facts.merged(staged.facts, rows)
    touched = frozenset(map(path_key, facts.texts["url"].distinct() if renumbers else changed_urls))
    vectors = Origins(sources.is_staged, sources.rows.copy())
    vectors.rows[sources.is_staged] = staged.slots[sources.staged]
    last_old = 0 if live is None or renumbers else live.manifest.max_doc
    docs = _docs_of(sources, live, last_old, renumbers=renumbers)
    max_doc = len(docs) if renumbers else last_old + len(staged.ids)
    return NewRows(sources, vectors, ids, hashes, facts, docs, last_old, max_doc, touched)


def _staged_rows(database: Path) -> StagedRows:
    slots = array("q")
    ids = [_ids([])]  # in blocks: an object for each id would take twice as much
    hashes = bytearray()

    def facts(changes: sqlite3.Connection) -> Iterator[SqlRow]:
        columns = f"slot, id, record_hash, {SELECTED}"
        sql = f"SELECT {columns} FROM changes WHERE slot IS NOT NULL ORDER BY {PATH_ORDER}"
        for batch in batches(changes.execute(sql), _BATCH):
            slots.extend([slot for slot, *_ in batch])
            ids.append(_ids([id_.encode() for _, id_, *_ in batch]))
            for _, _, record_hash, *rest in batch:
                hashes.extend(_hash_bytes(record_hash))
                yield rest

    with closing(connect_writer(database)) as changes:
        table = FactTable.of(facts(changes))
    return StagedRows(
        np.asarray(slots), np.concatenate(ids), np.frombuffer(hashes, np.uint8).reshape(-1, HASH_BYTES), table
    )


def _staying(staging: Staging, staged: StagedRows, live: LocalReader) -> tuple[Rows, Ids, Hashes, set[str]]:
    """The live rows that stay, the ids and hashes of all live rows, and the URLs of the pages that change."""
    is_gone = np.zeros(len(live.numbering), np.bool_)
    changed = live.numbering.rows_or_none(staging.changed_ids())
    is_gone[changed[changed >= 0]] = True
    ids = staging.new_ids if live is staging.origin else live.numbering.ids
    urls = {*live.facts.texts["url"].take(np.flatnonzero(is_gone)), *staged.facts.texts["url"].distinct()}
    return np.flatnonzero(~is_gone), ids, live.numbering.names.hashes, urls


def _docs_of(sources: Origins, live: LocalReader | None, last_old: int, *, renumbers: bool) -> NDArray[np.uint32]:
    is_staged = sources.is_staged
    docs = np.empty(len(sources), np.uint32)
    docs[is_staged] = last_old + 1 + sources.staged
    if renumbers:
        docs[~is_staged] = 1 + int(is_staged.sum()) + np.arange(int((~is_staged).sum()))
    elif live is not None:
        docs[~is_staged] = live.numbering.docs[sources.live]
    return docs


def _path_order(live: FactTable, staged: FactTable, rows: Rows, ids: Ids) -> Rows:
    """The path order of `rows`; staged rows have the numbers after the live ones."""
    columns = (live.texts["url"], staged.texts["url"])
    keys = [path_key(url) for column in columns for url in column.distinct()]
    rank_of = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    ranks = np.array([rank_of[key] for key in keys], np.int64)
    codes = [column.codes.astype(np.int64) for column in columns]
    pages = ranks[np.concatenate([codes[0], codes[1] + len(columns[0].bounds) - 1])[rows]]
    ordinals = np.concatenate([live.numbers["ordinal"], staged.numbers["ordinal"]])[rows].astype(np.int64)
    keys = (pages << 32) + ordinals
    order = np.argsort(keys, kind="stable")  # the live rows are in this order already, so it takes little time
    return np.lexsort((ids, keys)) if has_repeated(keys) else order


def plan_packs(live: LocalReader | None, rows: NewRows, *, keeps: bool) -> PackPlan:
    """Decide which packs stay.

    Args:
        keeps: Packs of the live generation may stay; otherwise their records are written again.
    """
    is_new = rows.sources.is_staged
    first_doc = rows.last_old + 1
    if live is None:
        return PackPlan([], [], is_new, first_doc)
    packs = np.full(len(is_new), -1, np.int64)
    packs[~is_new] = live.numbering.names.places[rows.sources.live, 0]
    sizes = [pack.records for pack in live.manifest.packs]
    used = {pack: count for pack, count in enumerate(np.bincount(packs[~is_new]).tolist()) if count}
    stale = stale_packs(used, sizes) if keeps else set(used)
    copied = []
    for pack in sorted(stale):
        own = np.flatnonzero(packs == pack)
        old_docs = live.numbering.docs[rows.sources.rows[own]]
        copied.append(Copied(live.manifest.packs[pack].name, old_docs, rows.docs[own]))
    return PackPlan(sorted(set(used) - stale), copied, is_new | np.isin(packs, sorted(stale)), first_doc)


def stale_packs(used: Mapping[int, int], sizes: Sequence[int]) -> set[int]:
    """Numbers of the packs whose records are written again: half unused, or too many small ones.

    Args:
        used: The number of used records per pack; packs without any are left out.
        sizes: Records in each pack.
    """
    stale = {pack for pack, count in used.items() if count < _MIN_USED * sizes[pack]}
    by_size = sorted(used.keys() - stale, key=lambda pack: (used[pack], pack))
    if len(by_size) >= MAX_PACKS:
        stale.update(by_size[: len(by_size) // 2])
    return stale


def _hash_bytes(stored: bytes | str) -> bytes:
    data = bytes.fromhex(as_text(stored))
    if len(data) != HASH_BYTES:
        raise ValueError(f"the hash of a record is {as_text(stored)!r}, which is not a SHA-256 hash")
    return data


def _ids(ids: Sequence[bytes]) -> Ids:
    return np.array(ids, np.bytes_) if len(ids) else np.empty(0, "S1")


def _trimmed(ids: Ids) -> Ids:
    """The same ids in the fewest bytes."""
    return ids.astype(f"S{max(int(np.char.str_len(ids).max()), 1)}") if len(ids) else np.empty(0, "S1")
