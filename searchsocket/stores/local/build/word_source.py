"""The records of a generation that is being built, as the source of its words."""

from collections.abc import Iterable, Iterator, Sequence

from searchsocket.stores.local.catalogue.facts import FactTable
from searchsocket.stores.local.catalogue.packed_texts import READ, TEXT
from searchsocket.stores.local.catalogue.packs import Packs
from searchsocket.stores.local.catalogue.records import path_key
from searchsocket.stores.local.numbering import Docs
from searchsocket.stores.words.documents import ROW_OF_NEW, WordRow

_COLUMNS = WordRow._fields[2:]  # after the number and the sort key
_BATCH = 1_000  # records, about


class NewRecords:
    """Implements `WordSource` on the packs of the new generation."""

    def __init__(self, packs: Packs, facts: FactTable, docs: Docs, touched: frozenset[bytes], last_old: int) -> None:
        """Create the source without reading records.

        Args:
            touched: See `WordSource.touched`.
            last_old: Higher `doc` numbers belong to new records; 0 if no words are stored.
        """
        self._packs = packs
        self._facts = facts
        self._docs = docs
        self._touched = touched
        self._last_old = last_old

    def count(self) -> int:
        """See `WordSource.count`."""
        return len(self._docs)

    def touched(self) -> list[bytes]:
        """See `WordSource.touched`."""
        return list(self._touched)

    def pages(self, paths: Iterable[bytes]) -> Iterator[list[WordRow]]:
        """See `WordSource.pages`."""
        sources = [READ if name == TEXT else name for name in _COLUMNS]
        columns = [
            f"CASE WHEN doc > {self._last_old} THEN {source} END" if name in ROW_OF_NEW else source
            for name, source in zip(_COLUMNS, sources, strict=True)
        ]
        pages: list[tuple[bytes, list[int]]] = []
        for path in sorted(paths):
            pages.append((path, self._docs[self._facts.rows_of_page(path)].tolist()))
            if sum(len(docs) for _, docs in pages) >= _BATCH:
                yield from self._read(pages, ", ".join(columns))
                pages = []
        yield from self._read(pages, ", ".join(columns))

    def _read(self, pages: Sequence[tuple[bytes, list[int]]], columns: str) -> Iterator[list[WordRow]]:
        rows = self._packs.select(columns, [doc for _, docs in pages for doc in docs])
        for path, docs in pages:
            if docs:
                yield [WordRow(doc, path, *rows[doc]) for doc in docs]

    def page_text(self, url: str) -> str:
        """The text of a page from its records."""
        docs: list[int] = self._docs[self._facts.rows_of_page(path_key(url))].tolist()
        texts = self._packs.select(READ, docs)
        return "\n".join(texts[doc][0] for doc in docs)
