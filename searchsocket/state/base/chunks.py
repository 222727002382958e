"""The chunks of a scope between runs, as the records that they become (stage `page_chunks`; read by those after it)."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from searchsocket.chunking.records import CutChunk
from searchsocket.types import Chunk, Record


class Text(NamedTuple):
    """A text to embed: what it is, what it costs, and where it can be read."""

    content_hash: str
    tokens: int
    position: int  # texts of neighbouring positions lie together, and are read fastest


class MirroredPage(NamedTuple):
    """A page whose chunks are to be cut."""

    id: int
    url: str
    digest: str  # of its mirror file


class ChunkCounts(NamedTuple):
    """How much there is to search."""

    chunks: int
    pages: int  # that have any


class PageChunks(NamedTuple):
    """A page by the number of its chunks."""

    url: str
    chunks: int


def chunk_key(mirror_digest: str, how: str) -> str:
    """What a page's chunks were cut from, and how: equal keys give equal chunks.

    Args:
        how: Chunker, its settings, the model and the project.
    """
    return f"{mirror_digest}:{how}"


class Selection(Protocol):
    """Chunks to be read, many: 8 bytes each are held."""

    def add(self, ids: Sequence[str]) -> None:
        """Select chunks by their ids.

        Raises:
            DamagedRow: One is not there.
        """

    def __len__(self) -> int: ...

    def batches(self, size: int) -> Iterator[list[Record]]:
        """The records, in the order in which they lie: by id, each would be read from another place.

        Raises:
            DamagedRow: One is not there, or not what was written.
        """


class ChunkTable(Protocol):
    """The chunks of a scope's pages."""

    def count_stale(self, how: str | None) -> int:
        """How many mirrored pages `stale` gives."""

    def stale(self, how: str | None, size: int) -> Iterator[list[MirroredPage]]:
        """The mirrored pages whose chunks are of another file, or were cut in another way, by rising URL.

        A batch is read when it is asked for, so that the one before it may be written meanwhile.

        Args:
            how: See `chunk_key`; None: all mirrored pages.
            size: Of a batch.
        """

    def replace(self, page_id: int, key: str, chunks: Sequence[CutChunk], tokens: Sequence[int]) -> int:
        """Store the chunks of a page in place of those that it had.

        Args:
            key: See `chunk_key`.
            tokens: Of the embedded text of each chunk.

        Returns:
            How many texts are new on the page.
        """

    def count_mirrored(self) -> int:
        """Mirrored pages."""

    def count(self) -> ChunkCounts: ...

    def repeated_ids(self, limit: int) -> list[str]:
        """At most `limit` ids that more than one chunk has, rising."""

    def count_texts(self) -> int:
        """Distinct texts."""

    def biggest(self, limit: int) -> list[PageChunks]:
        """The pages with most chunks, by falling number; equal ones by rising URL."""

    def cut_pages(self) -> Iterator[tuple[str, str]]:
        """(URL, digest of the mirror file) of every cut page that has chunks, by rising URL."""

    def of_page(self, url: str) -> list[Chunk]:
        """The chunks of one page, by ordinal.

        Raises:
            DamagedRow: One is not what was written.
        """

    def records_digests(self) -> Iterator[str]:
        """A digest over the records of each page that has chunks.

        Rising: the order in which pages came is no part of what a scope holds.
        """

    def texts_digests(self) -> Iterator[str]:
        """A digest over the texts of each page that has chunks, rising too."""

    def texts(self) -> Iterator[Text]:
        """Every distinct text, by rising hash.

        Raises:
            DamagedRow: One is no hash and number.
        """

    def texts_at(self, positions: Sequence[int], prepare: Callable[[str], str] = lambda text: text) -> list[str]:
        """The embedded texts at some positions, in the order given.

        Args:
            prepare: What was done to each before it was hashed.

        Raises:
            DamagedRow: One is not there, or not what was written.
        """

    def pages_at(self, positions: Sequence[int]) -> list[str]:
        """The URLs of the pages of the texts at some positions, in the order given; "" for one that is gone."""

    def fingerprints(self) -> Iterator[tuple[str, str]]:
        """(id, record hash) of every chunk, by rising id."""

    def select(self) -> Selection:
        """A selection with nothing in it."""
