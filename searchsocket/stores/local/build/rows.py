"""The rows of a generation that is being built: those that stay and those that are staged, in path order."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from searchsocket.stores.local.catalogue.facts import SELECTED, FactTable
from searchsocket.stores.local.catalogue.hashes import as_text
from searchsocket.stores.local.catalogue.records import PATH_ORDER, connect_writer, path_key
from searchsocket.stores.local.numbering import HASH_BYTES, Rows
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.local.staging import Staging

MAX_PACKS = 8  # each costs a query that reads records of it
_MIN_USED = 0.5  # share of a pack's records that a generation uses; below it they are written again

Ids = NDArray[np.bytes_]
Hashes = NDArray[np.uint8]  # shape (records, 32)


class StagedRows(NamedTuple):
    """What is staged, in path order."""

    slots: Rows
    ids: Ids
    hashes: Hashes
    facts: FactTable


class NewRows(NamedTuple):
    """Every row of the new generation."""

    sources: Rows  # a row of the live generation, or `~k` for the k-th staged one
    ids: Ids
    hashes: Hashes
    facts: FactTable
    touched: frozenset[bytes]  # sort keys of the pages that changed, came or went


def staged_rows(database: Path) -> StagedRows:
    """Read the upserts of a run.

    Raises:
        ValueError: The hash of a record is no SHA-256.
    """
    slots: list[int] = []
    ids: list[bytes] = []
    hashes = bytearray()

    def facts() -> Iterator[Sequence[Any]]:
        columns = f"slot, id, record_hash, {SELECTED}"
        for slot, id_, record_hash, *rest in changes.execute(
            f"SELECT {columns} FROM changes WHERE slot IS NOT NULL ORDER BY {PATH_ORDER}"
        ):
            slots.append(slot)
            ids.append(id_.encode())
            hashes.extend(_hash_bytes(record_hash))
            yield rest

    with closing(connect_writer(database)) as changes:
        table = FactTable.of(facts())
    return StagedRows(np.array(slots, np.int64), _ids(ids), _hashes(hashes), table)


def new_rows(staging: Staging, staged: StagedRows, live: LocalReader | None) -> NewRows:
    """Merge what stays of the live generation, or of another scope's, with what is staged."""
    if live is None:
        urls = staged.facts.texts["url"].distinct()
        sources = ~np.arange(len(staged.ids))
        return NewRows(sources, staged.ids, staged.hashes, staged.facts, frozenset(map(path_key, urls)))
    is_gone = np.zeros(len(live.numbering), np.bool_)
    changed = live.numbering.rows_or_none(staging.changed_ids())
    is_gone[changed[changed >= 0]] = True
    ids, hashes = live.numbering.ids, live.numbering.names.hashes
    if live is staging.origin:
        ids, hashes = _renamed(live, staging.renamed())
    stays = np.flatnonzero(~is_gone)
    gone_urls = live.facts.texts["url"].take(np.flatnonzero(is_gone))
    touched = frozenset(map(path_key, {*gone_urls, *staged.facts.texts["url"].distinct()}))
    candidates = np.concatenate([stays, len(ids) + np.arange(len(staged.ids))])
    all_ids, all_hashes = np.concatenate([ids, staged.ids]), np.concatenate([hashes, staged.hashes])
    rows = candidates[_path_order(live.facts, staged.facts, candidates, all_ids[candidates])]
    sources = np.where(rows < len(ids), rows, ~(rows - len(ids)))
    return NewRows(sources, _trimmed(all_ids[rows]), all_hashes[rows], live.facts.merged(staged.facts, rows), touched)


def _path_order(live: FactTable, staged: FactTable, rows: Rows, ids: Ids) -> Rows:
    """The order of some rows, where those that are staged are numbered on from the live ones."""
    columns = (live.texts["url"], staged.texts["url"])
    keys = [path_key(url) for column in columns for url in column.distinct()]
    rank_of = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    ranks = np.array([rank_of[key] for key in keys], np.int64)
    codes = [column.codes.astype(np.int64) for column in columns]
    pages = ranks[np.concatenate([codes[0], codes[1] + len(columns[0].bounds) - 1])[rows]]
    ordinals = np.concatenate([live.numbers["ordinal"], staged.numbers["ordinal"]])[rows]
    return np.lexsort((ids, ordinals, pages))


def stale_packs(live: LocalReader, sources: Rows) -> frozenset[int]:
    """Numbers of the packs whose records are written again: half unused, or too many small ones."""
    sizes = np.array([pack.records for pack in live.manifest.packs], np.int64)
    packs = live.numbering.names.places[sources[sources >= 0], 0]
    used = np.bincount(packs, minlength=len(sizes))
    stale = set(np.flatnonzero((used > 0) & (used < _MIN_USED * sizes)).tolist())
    stay = [pack for pack in np.argsort(used, kind="stable").tolist() if used[pack] and pack not in stale]
    if len(stay) >= MAX_PACKS:
        stale.update(stay[: len(stay) // 2])
    return frozenset(stale)


def _renamed(live: LocalReader, names: Mapping[str, tuple[str, bytes | str]]) -> tuple[Ids, Hashes]:
    """The ids and hashes that records of another scope have in this one."""
    rows = live.numbering.rows_of(list(names))
    hashes = live.numbering.names.hashes.copy()
    new_hashes = b"".join(_hash_bytes(record_hash) for _, record_hash in names.values())
    hashes[rows] = _hashes(new_hashes)
    ids = live.numbering.ids.astype(object)
    ids[rows] = [id_.encode() for id_, _ in names.values()]
    return _ids(ids.tolist()), hashes


def _hash_bytes(stored: bytes | str) -> bytes:
    data = bytes.fromhex(as_text(stored))
    if len(data) != HASH_BYTES:
        raise ValueError(f"the hash of a record is {as_text(stored)!r}, which is no SHA-256")
    return data


def _hashes(data: bytes | bytearray) -> Hashes:
    return np.frombuffer(bytes(data), np.uint8).reshape(-1, HASH_BYTES)


def _ids(ids: Sequence[bytes]) -> Ids:
    return np.array(ids, np.bytes_) if len(ids) else np.empty(0, "S1")


def _trimmed(ids: Ids) -> Ids:
    """The same in the fewest bytes."""
    return ids.astype(f"S{max(int(np.char.str_len(ids).max()), 1)}") if len(ids) else np.empty(0, "S1")
