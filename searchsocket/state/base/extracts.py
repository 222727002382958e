"""What the pages say (stage `page_mirror`)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from searchsocket.pages import ExtractedPage, RawPage


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page by its number, with hash and size of its bytes."""

    id: int
    raw: RawPage
    raw_hash: str
    bytes: int


class Sample(NamedTuple):
    """A mirrored page, to be extracted again and compared."""

    page: RawPage
    extract_key: str
    body: str


class Census(NamedTuple):
    """How many known and extracted pages are skipped for a reason, or have a route of a kind."""

    skip: str
    route_resolution: str
    pages: int


class SkippedPage(NamedTuple):
    """A page that is not searched."""

    url: str
    skip: str  # why, as `ExtractedPage` says it


def extract_key(raw_hash: str, how: str) -> str:
    """What a page was extracted from, and how: equal keys give equal extracts.

    Args:
        how: Everything besides the bytes that decides what a page says.
    """
    return f"{raw_hash}:{how}"


class Extracts(Protocol):
    """What the pages of a scope say, and what is to be extracted again."""

    def stale(self, how: str, *, everything: bool) -> Sequence[int]:
        """The known pages whose bytes, settings or extractor changed since they were extracted, by URL.

        Args:
            how: See `extract_key`.
            everything: All known pages instead.

        Returns:
            Numbers of pages, 8 bytes each: sites are large.
        """

    def pages(self, ids: Sequence[int]) -> list[StoredPage]:
        """The pages of these numbers, by URL."""

    def put(self, page_id: int, key: str, page: ExtractedPage) -> None:
        """Store what a page says; it becomes dirty, and so do pages that it linked to."""

    def keep(self, page_id: int, key: str) -> None:
        """Note that a page was looked at, and keeps what it said."""

    def rewritten(self, page_id: int, raw_hash: str) -> None:
        """The bytes that were extracted are newer than those that were listed: the next run looks again."""

    def forget(self, urls: Sequence[str]) -> None:
        """Take known pages for changed: the next run reads them again, and looks at what they say."""

    def same_elsewhere(self, page: StoredPage, key: str) -> ExtractedPage | None:
        """What another scope extracted from the same bytes at the same place, if one did.

        Raises:
            DamagedRow: What it stored is damaged.
        """

    def is_searchable(self, page_id: int) -> bool:
        """Whether an earlier run extracted something to search from the page."""

    def sample(self, limit: int) -> list[Sample]:
        """Some mirrored pages, spread over the site; the same ones whenever the site is the same.

        Raises:
            DamagedRow: A body is not what was written.
        """

    def census(self) -> list[Census]:
        """The known and extracted pages, counted."""

    def skipped(self, limit: int) -> list[SkippedPage]:
        """Some of the known pages that are not searched, by rising URL."""

    def without_exact_route(self) -> Iterator[tuple[str, str]]:
        """(URL, resolution) of every mirrored page whose route is not exact, by rising URL."""
