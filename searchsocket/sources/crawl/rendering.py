"""Interface to a program that runs the scripts of crawled pages; an extension brings it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from searchsocket.extensions import extensions
from searchsocket.extensions.base import load
from searchsocket.project.settings.site import CoreCrawlSettings
from searchsocket.sources.crawl.fetch import Fetcher, Response

_Task = TypeVar("_Task")


@dataclass(frozen=True, slots=True)
class CrawlAccess:
    """The parts of a crawl that a renderer uses, so that scripts get no more than the crawl may fetch."""

    settings: CoreCrawlSettings
    origin: str  # the crawled host
    is_allowed: Callable[[str], bool]  # returns True if its robots.txt allows a URL
    open_fetcher: Callable[[str], Fetcher]  # of an origin
    max_page_bytes: int


class Rendering(Protocol):
    """Renders pages of one crawl. Several threads may call it."""

    @property
    def is_on(self) -> bool:
        """False once it is known that the pages do not need scripts."""

    def sample(self, level: Sequence[_Task]) -> list[_Task]:
        """Return the pages of a level to fetch first, one after the other."""

    def page(self, answer: Response) -> bytes | None:
        """Return the page as HTML in UTF-8, after its scripts have run; None to use the HTML from the host.

        Raises:
            PageNotRendered: The program failed.
        """

    def summary(self) -> str:
        """Describe which pages were rendered; "" if all were."""

    def warning(self) -> str:
        """Describe files that scripts did not get; "" if there were none."""

    def close(self) -> None:
        """Stop the program and close the connections."""


def open_rendering(access: CrawlAccess) -> Rendering | None:
    """Open the rendering of a crawl; None if its settings want none.

    Raises:
        ConfigMissing: The program is not installed.
    """
    for extension in extensions():
        rendering: Rendering | None = load(extension.renderer.open)(access) if extension.renderer else None
        if rendering is not None:
            return rendering
    return None
