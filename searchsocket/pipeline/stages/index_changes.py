"""Compute the changes from the live records to the new chunks, and the old URLs of pages that moved."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from searchsocket.content.chunking.records import PageContent, moved_pages
from searchsocket.errors import ConfigMissing, LargeDeletion
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.state.scope import ScopeState
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.system.batches import batches
from searchsocket.text.amounts import count
from searchsocket.types import Generation, Record

BATCH = 500  # changes
Pair = tuple[str, str | None, str | None]  # id, hash of the chunk, hash of the live record; None if there is none
_MAX_ALIASES = 2_000  # aliases per scope, the newest ones, since the manifest contains them
_MAX_MOVED_CHUNKS = 50_000  # removed and added chunks per run; with more, no moves are searched


class Upsert(NamedTuple):
    """Write the record of a chunk."""

    id: str
    is_live: bool  # a live record has this id
    differs: bool  # False: written again in case its vector differs; the store ignores equal ones


class Take(NamedTuple):
    """The store already has the record of a chunk, from another scope."""


class Delete(NamedTuple):
    """Delete a live record without a chunk."""

    id: str


class Keep(NamedTuple):
    """Keep a live record without a chunk, since its page may be outside this run."""

    id: str


Change = Upsert | Take | Delete | Keep


def changes(pairs: Iterable[Pair], *, deleting: bool, force: bool) -> Iterator[Change]:
    """Yield the changes by rising id; equal records need none.

    Args:
        pairs: By rising id; equal ones may be missing.
        deleting: True if every page is known, so that a record without a chunk belongs to a removed page.
        force: Also write equal records.
    """
    for record_id, expected, live in pairs:
        if expected is None:
            if live is not None:  # otherwise it never was live
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

    def count(self, changes: Iterable[Change]) -> None:
        """Add some changes to the counts."""
        for change in changes:
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
    chunk, record = next(expected, None), next(live, None)
    while chunk or record:
        if record is None or (chunk is not None and chunk[0] < record[0]):
            assert chunk is not None
            yield chunk[0], chunk[1], None
            chunk = next(expected, None)
        elif chunk is None or record[0] < chunk[0]:
            yield record[0], None, record[1]
            record = next(live, None)
        else:
            yield chunk[0], chunk[1], record[1]
            chunk, record = next(expected, None), next(live, None)


def refuse_large_deletion(run: ScopeRun, state: ScopeState, live: Generation | None) -> None:
    """The last check before the index: noindex, settings or lost state may also have removed pages."""
    pages = state.chunks.count().pages
    if pages == 0:
        raise ConfigMissing(nothing_to_index(run) + _first_failure(state))
    if (
        live is not None
        and pages * 2 < live.pages
        and state.published.may_delete()
        and not run.options.accept_large_deletion
    ):
        raise LargeDeletion(run.scope.name, live.pages - pages, live.pages)


def nothing_to_index(run: ScopeRun) -> str:
    """The message for a scope without searchable pages."""
    return (
        f"nothing to index for scope {run.scope.name!r}: no {run.corpus.documents[:-1]} has searchable text. "
        f"A live index stays as it is; {run.corpus.advice(run)}"
    )


def _first_failure(state: ScopeState) -> str:
    """The reason why the first page failed, since pages without text may be pages that no worker could extract."""
    report = state.history.last("page_mirror")
    failed = report["numbers"]["failed"] if report else 0
    return f"; {count(failed, 'page')} failed, the first: {report['warnings'][0]}" if report and failed else ""


def live_changes(run: ScopeRun, state: ScopeState, store: VectorStore, live: Generation | None) -> Iterator[Change]:
    """The changes to the live records, by rising id; keeps one record of each side in memory."""
    return changes(_pairs(run, state, store, live), deleting=state.published.may_delete(), force=run.options.force)


def _pairs(run: ScopeRun, state: ScopeState, store: VectorStore, live: Generation | None) -> Iterator[Pair]:
    """The ids that may differ, with both hashes."""
    if live is None:
        return merged(state.chunks.fingerprints(), iter(()))
    if run.options.force or not state.published.is_of(live):
        return merged(state.chunks.fingerprints(), store.fingerprints(run.scope))
    return state.published.changes()


def changes_of_copy(run: ScopeRun, state: ScopeState, store: VectorStore) -> Iterator[Sequence[Change]]:
    """The changes of a scope that started as a copy of another one; the other's live generation provides the rest."""
    origin = replace(run.scope, name=state.origin.name())
    for records in state.origin.records(BATCH):
        copied = set(store.copy_from_scope([record for record in records if record.origin_id], origin, run.scope))
        for some in batches(records, BATCH):
            yield [Take() if record.id in copied else Upsert(record.id, False, True) for record in some]


@dataclass(slots=True)
class ChangeSet:
    """The pages that a run removes from the index, and those that it adds."""

    _removed: dict[str, list[Record]] = field(default_factory=dict)
    _added: dict[str, list[Record]] = field(default_factory=dict)
    _chunks: int = 0

    def remove(self, live: IndexReader, ids: list[str]) -> None:
        """Note records to be removed."""
        self._chunks += len(ids)
        if self._chunks <= _MAX_MOVED_CHUNKS:
            _by_page(self._removed, live.catalogue.records(ids))

    def add(self, records: Iterable[Record]) -> None:
        """Note added records, if any were removed: otherwise nothing moved."""
        if not self._removed or self._chunks > _MAX_MOVED_CHUNKS:
            return
        moves = list(records)
        self._chunks += len(moves)
        _by_page(self._added, moves)

    def aliases(self, before: Mapping[str, str], is_page: Callable[[str], bool]) -> dict[str, str]:
        """Map each old URL to its current one, the newest moves first.

        Args:
            before: The aliases of the live generation.
            is_page: Returns True if the site has a page with the URL.
        """
        moves: dict[str, str] = {}
        if 0 < self._chunks <= _MAX_MOVED_CHUNKS:
            removed = [page for url, page in self._contents(self._removed) if not is_page(url)]
            added = [page for url, page in self._contents(self._added) if url not in self._removed]
            moves = {move.old_url: move.url for move in moved_pages(removed, added)}
        followed = {old: moves.get(url, url) for old, url in before.items()}
        aliases = {old: url for old, url in {**moves, **followed}.items() if not is_page(old) and is_page(url)}
        return dict(list(aliases.items())[:_MAX_ALIASES])

    def _contents(self, pages: Mapping[str, list[Record]]) -> Iterable[tuple[str, PageContent]]:
        for url, records in pages.items():
            texts = tuple(record.content_hash for record in records)
            yield url, PageContent(url, url, records[0].page.title, texts)


def _by_page(pages: dict[str, list[Record]], records: Iterable[Record]) -> None:
    for record in records:
        pages.setdefault(record.page.url, []).append(record)
