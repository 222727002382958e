"""Write the words of a new pack: those that were staged with new records, and those of older ones from their packs."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from searchsocket.stores.local.build.rows import NewRows, PackPlan
from searchsocket.stores.local.layout import words_file
from searchsocket.stores.local.numbering import Rows
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.words.pack_words import PackWords, concatenated, write_words
from searchsocket.stores.words.tables import Slots

_MERGED_AT_ONCE = 64  # batches of staged words: with more, a merge takes more memory and many small steps

Part = tuple[PackWords, Slots]  # words, and the slot of each of their records in the new pack


def write_pack_words(
    path: Path, staged: Sequence[PackWords], rows: NewRows, plan: PackPlan, live: LocalReader | None
) -> None:
    """Write the words of a new pack.

    Args:
        path: The file to write.
        staged: The words of the staged records, in the order of their slots in the staging area.

    Raises:
        OSError, ValueError, LookupError, TypeError: A file cannot be written, or the words of a live pack are damaged.
    """
    new = np.flatnonzero(plan.is_new)
    copied = [] if live is None else _copied_words(live, rows.sources[new], plan)
    write_words(path, [*_staged_words(path, staged, rows.vectors[new]), *copied], len(new))


def _staged_words(path: Path, staged: Sequence[PackWords], vectors: Rows) -> Iterator[Part]:
    """The words of the staged records, in few parts; the slot of one that was replaced or dropped since is -1.

    Args:
        vectors: See `NewRows`, of the records in the pack.
    """
    ends = np.cumsum([0, *(words.records for words in staged)])
    slots = np.full(ends[-1], -1, np.int64)
    is_staged = vectors < 0
    slots[~vectors[is_staged]] = np.flatnonzero(is_staged)
    at_once = 1 if len(staged) <= _MERGED_AT_ONCE else _MERGED_AT_ONCE
    for number in range(0, len(staged), at_once):
        some = staged[number : number + at_once]
        own = slots[ends[number] : ends[number + len(some)]]
        if (own >= 0).any():
            yield some[0] if len(some) == 1 else concatenated(path.with_name(f"{path.name}-{number}"), some), own


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
