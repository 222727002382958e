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

    def pages(self, paths: Iterable[bytes], *, reads_new_only: bool) -> Iterator[list[WordRow]]:
        """The records of these pages, page by page in path order, on a page by ordinal and id.

        Args:
            reads_new_only: The document of an old record is there already, so what is long need not be read of it.
        """
