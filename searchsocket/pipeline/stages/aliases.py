"""Old URLs of moved pages, so that a request for one returns the page at its new URL."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from searchsocket.content.chunking.moved import PageContent, moved_pages
from searchsocket.stores.base import IndexReader
from searchsocket.types import Record

_MOST = 2_000  # aliases per scope, the newest ones, since the manifest contains them
_MOST_CHUNKS = 50_000  # removed and added chunks per run; with more, no moves are searched


@dataclass(slots=True)
class Moves:
    """The pages that a run removes from the index, and those that it adds."""

    _removed: dict[str, list[Record]] = field(default_factory=dict)
    _added: dict[str, list[Record]] = field(default_factory=dict)
    _chunks: int = 0

    def take_out(self, live: IndexReader, ids: list[str]) -> None:
        """Note records to be removed."""
        self._chunks += len(ids)
        if self._chunks <= _MOST_CHUNKS:
            _by_page(self._removed, live.catalogue.records(ids))

    def bring(self, records: Iterable[Record]) -> None:
        """Note added records, if any were removed: otherwise nothing moved."""
        if not self._removed or self._chunks > _MOST_CHUNKS:
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
        if 0 < self._chunks <= _MOST_CHUNKS:
            removed = [page for url, page in self._contents(self._removed) if not is_page(url)]
            added = [page for url, page in self._contents(self._added) if url not in self._removed]
            moves = {move.old_url: move.url for move in moved_pages(removed, added)}
        followed = {old: moves.get(url, url) for old, url in before.items()}
        aliases = {old: url for old, url in {**moves, **followed}.items() if not is_page(old) and is_page(url)}
        return dict(list(aliases.items())[:_MOST])

    def _contents(self, pages: Mapping[str, list[Record]]) -> Iterable[tuple[str, PageContent]]:
        for url, records in pages.items():
            texts = tuple(record.content_hash for record in records)
            yield url, PageContent(url, url, records[0].page.title, texts)


def _by_page(pages: dict[str, list[Record]], records: Iterable[Record]) -> None:
    for record in records:
        pages.setdefault(record.page.url, []).append(record)
