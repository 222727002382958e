"""Old URLs of pages that moved, so that whoever still has one is given the page where it is now."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from searchsocket.content.chunking.moved import PageContent, moved_pages
from searchsocket.stores.base import IndexReader
from searchsocket.types import Record

_MOST = 2_000  # aliases of a scope, the newest ones: they lie in its manifest
_MOST_CHUNKS = 50_000  # that go or come in a run; beyond it nobody looks for moves


@dataclass(slots=True)
class Moves:
    """The pages that a run takes out of the index, and those that it brings."""

    _gone: dict[str, list[Record]] = field(default_factory=dict)
    _came: dict[str, list[Record]] = field(default_factory=dict)
    _chunks: int = 0

    def take_out(self, live: IndexReader, ids: list[str]) -> None:
        """Note records that go."""
        self._chunks += len(ids)
        if self._chunks <= _MOST_CHUNKS:
            _by_page(self._gone, live.catalogue.records(ids))

    def bring(self, records: Iterable[Record]) -> None:
        """Note records that come, where any go: else nothing moves."""
        if not self._gone or self._chunks > _MOST_CHUNKS:
            return
        moves = list(records)
        self._chunks += len(moves)
        _by_page(self._came, moves)

    def aliases(self, before: Mapping[str, str], is_page: Callable[[str], bool]) -> dict[str, str]:
        """Old URL to the one that it means now, the newest moves first.

        Args:
            before: The aliases of the live generation.
            is_page: Whether the site has a page of a URL.
        """
        moves: dict[str, str] = {}
        if 0 < self._chunks <= _MOST_CHUNKS:
            gone = [page for url, page in self._contents(self._gone) if not is_page(url)]
            came = [page for url, page in self._contents(self._came) if url not in self._gone]
            moves = {move.old_url: move.url for move in moved_pages(gone, came)}
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
