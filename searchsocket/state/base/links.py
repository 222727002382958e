"""Which known page each link means (stage `page_mirror`)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """The links between one page and others; a page's links to itself do not count."""

    incoming: int  # distinct pages that link here
    outgoing: int  # distinct pages that this one links to
    texts: Sequence[str]  # what others call the page, each once a page that says it, by rising text; at most a limit


class LinkToNowhere(NamedTuple):
    """A link within the site that leads to no page that is searched."""

    target: str
    page: str  # URL of the page that it stands on


class LinkGraph(Protocol):
    """The links of a scope's pages; a link is resolved to the URL of a searchable page, or to none."""

    def forget_stale(self) -> None:
        """Where pages came or went since links were resolved: forget the answers that may be others now.

        Those are links to nowhere, to pages that went and to redirects. Pages at the near end become dirty.
        """

    def unresolved(self) -> Sequence[str]:
        """The distinct targets that are to be looked up, in no order."""

    def answers(self) -> Sequence[tuple[str, str]]:
        """The distinct targets that are resolved, each with the page that it means, "" = none; in no order."""

    def forget(self, target: str, url: str) -> None:
        """The links to `target` do not mean the page `url`: they are unresolved, and pages at both ends dirty."""

    def is_searchable(self, url: str) -> bool:
        """Whether a link may lead to the page."""

    def redirect_of(self, url: str) -> str | None:
        """Where a known page redirects to; None: it does not."""

    def resolve(self, target: str, url: str) -> None:
        """Every unresolved link to `target` means the page `url`, "" = none; pages at both ends become dirty."""

    def to_nowhere(self) -> Iterator[LinkToNowhere]:
        """The distinct links to no searchable page, by rising target and page."""

    def is_known(self, url: str) -> bool:
        """Whether there is such a page, searchable or not."""

    def set_resolved(self) -> None:
        """All links are resolved against the pages of now."""

    def counts(self, page_id: int, url: str, max_texts: int) -> LinkCounts:
        """The links of one page, resolved ones only."""
