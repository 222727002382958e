"""Write the words of a new pack: found in new records, copied from the packs of older ones."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from searchsocket.stores.local.build.rows import PackPlan
from searchsocket.stores.local.catalogue.packed_texts import READ, TEXT
from searchsocket.stores.local.catalogue.records import connect_records
from searchsocket.stores.local.layout import words_file
from searchsocket.stores.local.numbering import Rows
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.words.documents import WordRow, words_of
from searchsocket.stores.words.pack_words import PackWords, write_words
from searchsocket.stores.words.tables import Slots
from searchsocket.system.batches import batches
from searchsocket.system.processes import map_batches

_BATCH = 1_000  # records
_IN_MEMORY = 8  # batches whose words are in memory at once, about 2 MB each
_COLUMNS = ", ".join(READ if name == TEXT else name for name in WordRow._fields)

Part = tuple[PackWords, Slots]  # words, and the slot of each of their records in the new pack


def write_pack_words(
    path: Path, records: Path, sources: Rows, plan: PackPlan, live: LocalReader | None, workers: int
) -> None:
    """Write the words of a new pack.

    Args:
        path: The file to write.
        records: The new pack's records.
        sources: See `NewRows`.
        workers: Processes that may look for words. Below two, this process does.

    Raises:
        OSError, ValueError, LookupError, TypeError: A file cannot be written, or the words of a live pack are damaged.
    """
    new = np.flatnonzero(plan.is_new)
    slots = np.flatnonzero(sources[new] < 0)
    copied = [] if live is None else _copied_words(live, sources[new], plan)
    write_words(path, [*copied, *_new_words(path, records, plan.first_doc, slots, workers)], len(new))


def _copied_words(live: LocalReader, sources: Rows, plan: PackPlan) -> Iterator[Part]:
    """The words of the copied records of each live pack."""
    old = np.flatnonzero(sources >= 0)
    packs, old_slots = live.numbering.names.places[sources[old]].T
    for number, pack in enumerate(live.manifest.packs):
        if number not in plan.stays and (packs == number).any():
            words = PackWords.open(live.folder / words_file(pack.name))
            slots = np.full(words.records, -1, np.int64)
            slots[old_slots[packs == number]] = old[packs == number]
            yield words, slots


@dataclass(frozen=True, slots=True)
class _Batch:
    """Records of a pack, for another process."""

    records: Path
    first_doc: int
    count: int


def _new_words(path: Path, records: Path, first_doc: int, slots: Slots, workers: int) -> Iterator[Part]:
    """The words of new records. Those of many are in temporary files that are already deleted, but still mapped."""
    starts = range(0, len(slots), _BATCH)
    jobs = [_Batch(records, first_doc + start, len(slots[start : start + _BATCH])) for start in starts]
    workers = min(workers, len(jobs))
    words = map_batches(_words, jobs, workers=workers if workers > 1 else 0, lost=_words)
    parts = zip(words, (slots[start : start + _BATCH] for start in starts), strict=True)
    if len(jobs) <= _IN_MEMORY:
        yield from parts
        return
    for number, some in enumerate(batches(parts, _IN_MEMORY)):
        yield _on_disk(path.with_name(f"{path.name}-{number}"), some)


def _words(batch: _Batch) -> PackWords:
    with closing(connect_records(batch.records)) as pack:
        last = batch.first_doc + batch.count - 1
        sql = f"SELECT {_COLUMNS} FROM records WHERE doc BETWEEN ? AND ? ORDER BY doc"
        return words_of(map(WordRow._make, pack.execute(sql, (batch.first_doc, last))))


def _on_disk(path: Path, parts: Sequence[Part]) -> Part:
    lengths = [words.records for words, _ in parts]
    starts = np.cumsum([0, *lengths])
    own = [np.arange(start, start + length) for start, length in zip(starts, lengths, strict=False)]
    write_words(path, list(zip([words for words, _ in parts], own, strict=True)), int(starts[-1]))
    words = PackWords.open(path)
    path.unlink()
    return words, np.concatenate([slots for _, slots in parts])
