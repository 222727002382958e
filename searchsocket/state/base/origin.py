"""What a new scope takes over from the one that its pages are most like (stages `page_mirror` to `search_index`).

A branch shares nearly all its pages with another one. It begins where that one is, as if it had been edited since, and
the stages go on from there: what differs is extracted, cut and published as after an edit.
"""

from collections.abc import Iterator
from typing import Protocol

from searchsocket.types import Renamed


class Origin(Protocol):
    """The scope that another one began from, until that one has an index of its own."""

    def name(self) -> str:
        """Of the origin; "" = none: the scope began by itself, or is indexed."""

    def take_pages(self, how: str) -> int:
        """Where nothing is extracted yet, find the nearest scope and take over what it knows of the same pages.

        The nearest is the one that extracted most of a sample of the pages from the same bytes, at least half of them;
        of equals, the first by name. Taken over are extracts, links with their answers, titles and problems, and which
        files of the mirror are right; files that may have to differ are dirty. The origin may change or go afterwards.

        Args:
            how: See `extract_key`.

        Returns:
            How many pages.
        """

    def take_chunks(self, how: str, size: int) -> Iterator[int]:
        """Take over the chunks of pages whose mirror files say what the origin's do, where they are none of theirs yet.

        Args:
            how: See `chunk_key`.
            size: Pages of a batch, which is written whole or not at all.

        Yields:
            The chunks of each batch.
        """

    def records(self, size: int) -> Iterator[list[Renamed]]:
        """Every chunk as it is called here and in the origin, by page, in batches of at least so many.

        Raises:
            DamagedRow: One is not what was written.
        """

    def forget(self) -> None:
        """The scope has an index of its own."""
