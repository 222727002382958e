"""Compute the changes from the live records to the new chunks."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

Pair = tuple[str, str | None, str | None]  # id, hash of the chunk, hash of the live record; None where there is none


class Upsert(NamedTuple):
    """Write the record of a chunk."""

    id: str
    is_live: bool  # a record of that id is
    differs: bool  # else it is written again in case its vector differs; the store drops what does not


class Take(NamedTuple):
    """The store has the record of a chunk from another scope."""


class Delete(NamedTuple):
    """Take out a live record that no chunk is of."""

    id: str


class Keep(NamedTuple):
    """Leave such a record, since it may be of a page that is not known."""

    id: str


Change = Upsert | Take | Delete | Keep


def changes(pairs: Iterable[Pair], *, deleting: bool, force: bool) -> Iterator[Change]:
    """The changes by rising id; what is alike needs none.

    Args:
        pairs: By rising id; those that are alike may be missing.
        deleting: Every page is known, so that a record without a chunk is a removed one's.
        force: Write also what is alike.
    """
    for record_id, expected, live in pairs:
        if expected is None:
            if live is not None:  # else it came and went
                yield Delete(record_id) if deleting else Keep(record_id)
        elif force or expected != live:
            yield Upsert(record_id, live is not None, expected != live)


@dataclass(slots=True)
class IndexPlan:
    """The number of changes."""

    live_records: int
    added: int = 0
    replaced: int = 0
    deleted: int = 0
    kept: int = 0  # live records that the state does not know

    @property
    def upserted(self) -> int:
        return self.added + self.replaced

    @property
    def unchanged(self) -> int:
        return self.live_records - self.replaced - self.deleted - self.kept

    def count(self, some: Iterable[Change]) -> None:
        """Take some changes into account."""
        for change in some:
            match change:
                case Upsert(is_live=True, differs=True):
                    self.replaced += 1
                case Upsert(is_live=False) | Take():
                    self.added += 1
                case Delete():
                    self.deleted += 1
                case Keep():
                    self.kept += 1

    def warnings(self) -> list[str]:
        """Warnings for the caller."""
        if not self.kept:
            return []
        return [f"{self.kept} records of pages outside this run are kept; a complete run deletes them"]


def merged(expected: Iterator[tuple[str, str]], live: Iterator[tuple[str, str]]) -> Iterator[Pair]:
    """Merge the chunks with the live records, both as (id, hash) by rising id."""
    want, have = next(expected, None), next(live, None)
    while want or have:
        if have is None or (want is not None and want[0] < have[0]):
            assert want is not None
            yield want[0], want[1], None
            want = next(expected, None)
        elif want is None or have[0] < want[0]:
            yield have[0], None, have[1]
            have = next(live, None)
        else:
            yield want[0], want[1], have[1]
            want, have = next(expected, None), next(live, None)
