"""A crawl of a test's web server, with a clock that moves when the test says so."""

from pathlib import Path
from typing import Any

from searchsocket.content.pages import RawPage
from searchsocket.extensions.crawl.settings import CrawlSettings
from searchsocket.extensions.crawl.source import CrawlSource
from searchsocket.web.urls.resolve import site_base
from tests.sources.web import Web

_BEGIN_S = 1_800_000_000.0  # in 2027


class Crawl:
    """A crawl into a folder, with the waits that it wanted to make."""

    def __init__(
        self,
        web: Web,
        folder: Path,
        *,
        excluded: tuple[str, ...] = (),
        max_bytes: int = 100_000,
        tick_s: float = 0.0,
        wall_s: float = 0.0,
        **keys: Any,
    ) -> None:
        """
        Args:
            tick_s: What passes whenever somebody looks at the clock.
            wall_s: Time since the first crawl, for files and rules with a date.
        """
        self.waits: list[float] = []
        self.now_s = 0.0
        self._tick_s = tick_s
        self.source = CrawlSource(
            CrawlSettings(base_url=web.base_url, **keys),
            folder,
            excluded=lambda path: path in excluded,
            max_page_bytes=max_bytes,
            address=web.base_url,
            site=site_base([web.base_url]),
            sleep=self._sleep,
            monotonic=self._monotonic,
            now_s=lambda: _BEGIN_S + wall_s,
        )

    def pages(self) -> list[RawPage]:
        return list(self.source.pages())

    def urls(self) -> list[str]:
        return [page.url for page in self.pages()]

    def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now_s += seconds

    def _monotonic(self) -> float:
        self.now_s += self._tick_s
        return self.now_s
