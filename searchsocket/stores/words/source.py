"""The records of a store, as the word index reads them."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from searchsocket.stores.words.documents import WordRow


class WordSource(Protocol):
    """The records of a generation, as their words are written."""

    def count(self) -> int:
        """The number of records."""

    def touched(self) -> list[bytes]:
        """The sort keys of the pages whose words change, deleted pages included; of all pages if no words are kept."""

    def pages(self, paths: Iterable[bytes]) -> Iterator[list[WordRow]]:
        """The records of these pages, page by page in path order, and within a page by ordinal and id.

        Long columns of an old record are not read, because its document is stored.
        """
