"""Records of a store as the word index reads them."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from searchsocket.stores.words.documents import WordRow


class WordSource(Protocol):
    """The records of a generation, as their words are written."""

    def count(self) -> int:
        """The number of records."""

    def touched(self) -> list[bytes]:
        """The sort keys of the pages whose words change, some of which may be gone; of all, where nothing is kept."""

    def pages(self, paths: Iterable[bytes]) -> Iterator[list[WordRow]]:
        """The records of these pages, page by page in path order, on a page by ordinal and id.

        What is long is not read of an old record, whose document is stored.
        """
