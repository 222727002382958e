"""What the pages of a site are called, for what only the whole site knows of it (stage `page_mirror`)."""

from collections.abc import Iterator
from typing import Protocol

from searchsocket.html.site_titles import HeadingCount, SiteTitles


class Titles(Protocol):
    """The h1s and `<title>`s of a scope's pages: none of a page that is skipped or was dropped."""

    def common(self, min_pages: int) -> list[HeadingCount]:
        """The h1s of at least so many pages, in no order."""

    def head_titles(self) -> Iterator[str]:
        """The `<title>` of every page that has one, in no order."""

    def set_site(self, titles: SiteTitles) -> None:
        """Make pages dirty whose title these may change, by what they were at the last call."""
