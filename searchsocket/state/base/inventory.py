"""Which pages the source has, and what tells whether one must be read again (stage `site_pages`)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from searchsocket.pages import RawPage
from searchsocket.urls.form import UrlForm


@dataclass(frozen=True, slots=True)
class KnownPage:
    """What tells whether a page must be read again."""

    locator: str
    served_url: str
    address: str
    stamp: str
    raw_hash: str
    removed: bool


class ListedFile(NamedTuple):
    """What the last run knew of a page's bytes."""

    locator: str
    stamp: str
    raw_hash: str
    is_cut: bool  # a stage has looked at these bytes since


class PageSize(NamedTuple):
    """A page by the bytes that its source gives."""

    url: str
    bytes: int
    locator: str


class Inventory(Protocol):
    """The pages of a scope as its source lists them."""

    def see(self, urls: Sequence[str]) -> Mapping[str, KnownPage]:
        """Note pages as listed in this run, and say what is known of those that are not new, the removed included."""

    def put(self, page: RawPage, raw_hash: str, size: int, before: KnownPage | None) -> None:
        """Take over what a source says of a new or changed page.

        Args:
            size: Of its bytes.
            before: What `see` said of it.
        """

    def count(self) -> int:
        """Known pages."""

    def count_unseen(self) -> int:
        """Known pages that were not listed since the state was opened."""

    def remove_unseen(self) -> None:
        """Mark these as removed."""

    def url_form(self) -> UrlForm | None:
        """The form of the addresses in the last run; None where it is not known."""

    def set_url_form(self, form: UrlForm) -> None:
        """Remember it."""

    def set_branch(self, branch: str) -> None:
        """Remember what the scope's name was made of."""

    def set_complete(self) -> None:
        """Every page of the site is known from now on, so that absence means removal."""

    def hashes(self) -> Iterator[tuple[str, str]]:
        """(URL, hash of the bytes) of every known page, by rising URL."""

    def biggest(self, limit: int) -> list[PageSize]:
        """The known pages with most bytes, by falling size; equal ones by rising URL."""
