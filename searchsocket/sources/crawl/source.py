"""The crawl: routes, sitemap and links of one host, level by level, always in the same order."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from datetime import UTC
from email.utils import parsedate_to_datetime
from heapq import nsmallest
from itertools import islice
from pathlib import Path

from protego import Protego

from searchsocket.content.pages import RawPage
from searchsocket.errors import SourceUnavailable
from searchsocket.project.settings.site import CrawlSettings
from searchsocket.project.settings.source_kinds import CRAWL
from searchsocket.sources.base import SourceOrigin, SourceReport
from searchsocket.sources.crawl import markdown
from searchsocket.sources.crawl.budget import CrawlBudget
from searchsocket.sources.crawl.fetch import (
    ACCEPT,
    USER_AGENT,
    Fetcher,
    FetchLimits,
    without_login,
)
from searchsocket.sources.crawl.page_fetch import FetchedPage, PageFetch
from searchsocket.sources.crawl.pages import MAX_LINKS, CrawledPages
from searchsocket.sources.crawl.rendering import Rendering, ScriptRequests
from searchsocket.sources.crawl.robots import read_robots
from searchsocket.sources.crawl.site import CrawledSite
from searchsocket.sources.crawl.sitemap import MAX_SITEMAPS
from searchsocket.sources.crawl.start import SitemapPages
from searchsocket.sources.crawl.store import BodyStore
from searchsocket.system.batches import batches
from searchsocket.web.urls.form import UrlForm
from searchsocket.web.urls.paths import canonical_path
from searchsocket.web.urls.resolve import SiteBase


class CrawlSource:
    """Pages of a running host (spec 8.2 B)."""

    kind = CRAWL

    def __init__(
        self,
        settings: CrawlSettings,
        store_dir: Path,
        *,
        address: str,
        site: SiteBase,
        excluded: Callable[[str], bool],
        max_page_bytes: int,
        max_pages: int | None = None,
        url_form: UrlForm | None = None,
        documents: bool = False,
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """
        Args:
            address: The site's root, without a trailing slash; a login in it is sent but never shown.
            site: The same root as in links.
            excluded: Returns True for URLs that are not fetched.
            max_page_bytes: A larger page is a failure.
            max_pages: Limit of the run, if lower than the setting.
            url_form: The form of the addresses; None = as served by the host.
            documents: Include PDF, Word and OpenDocument files.
        """
        self.origin = SourceOrigin(self.kind.mode, address=without_login(address))
        self._settings = settings
        self._address = address
        self._own_site = self._site = CrawledSite(without_login(address), site, excluded, documents)
        self._store = BodyStore(store_dir, self._own_site.base_url)
        self._max_page_bytes = max_page_bytes
        self._max_pages = min(settings.max_pages, max_pages or settings.max_pages)
        self._url_form = url_form
        self._sleep = sleep
        self._monotonic = monotonic
        self._robots: Protego | None = None
        self.report = SourceReport()

    def pages(self) -> Iterator[RawPage]:
        """Fetch the pages level by level; each level in the order of its URLs."""
        self.report = report = SourceReport()
        self._warned = set[str]()
        self._site = self._own_site
        self._markdown = markdown.MarkdownFiles() if self._settings.prefer == "markdown" else None
        self._budget = CrawlBudget(
            max_seconds=self._settings.max_seconds,
            max_failures_in_row=self._settings.max_failures_in_row,
            monotonic=self._monotonic,
        )
        fetcher = self._fetcher()
        crawled = CrawledPages(self._site.base.path, self._url_form, report)
        with closing(fetcher):
            self._robots = read_robots(fetcher) if self._settings.respect_robots_txt else None
            self._rendering = self._open_rendering(fetcher)
            with closing(self._rendering) if self._rendering else nullcontext():
                yield from self._levels(fetcher, crawled)
        if self._rendering:
            report.rendering = self._rendering.summary()
            if self._rendering.is_on and (hosts := ", ".join(sorted(self._rendering.requests.refused_hosts))):
                hint = "if text is missing, add the host to source.crawl.render_hosts"
                self._warn("hosts", f"scripts of pages may not load files of {hosts}; {hint}")
        if self._budget.is_over():
            report.truncated = True
            self._warn("end", f"the crawl ended at {self._budget.limit}; raise it to crawl the rest")
        report.complete = bool(crawled.fetched) and not report.failed and not report.truncated
        if report.complete:
            self._store.keep_only(crawled.fetched)
        if not crawled.fetched:
            raise SourceUnavailable(_empty_crawl(self._site.base_url, report))

    def read(self, page: RawPage) -> bytes:
        return self._store.read(page.locator)

    def modified(self, locator: str) -> float | None:
        """Return the host's `Last-Modified` of the page; None if the host did not send a valid one."""
        stored = self._store.get(locator)
        try:
            time = parsedate_to_datetime(stored.last_modified if stored else "")
        except ValueError:
            return None
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()

    def _fetcher(self) -> Fetcher:
        limits = FetchLimits(self._max_page_bytes, self._settings.timeout_s, connections=self._settings.concurrency)
        accept = markdown.ACCEPT if self._markdown else ACCEPT
        return Fetcher(self._address, limits, self._budget, accept=accept, sleep=self._sleep, monotonic=self._monotonic)

    def _open_rendering(self, fetcher: Fetcher) -> Rendering | None:
        if self._settings.render is False:
            return None

        def for_scripts(origin: str) -> Fetcher:
            address = self._address if origin == fetcher.origin else origin
            limits = FetchLimits(self._max_page_bytes, self._settings.timeout_s, attempts=2)
            return Fetcher(address, limits, self._budget, accept="*/*", allows_private=fetcher.allows_private)

        requests = ScriptRequests(
            fetcher.origin,
            self._is_allowed,
            self._settings.render_hosts,
            for_scripts,
            respects_robots=self._settings.respect_robots_txt,
        )
        return Rendering(self._settings, requests, max_bytes=self._max_page_bytes)

    def _levels(self, fetcher: Fetcher, crawled: CrawledPages) -> Iterator[RawPage]:
        visited = set[str]()
        level = self._next_level(self._start(fetcher), visited)
        fetch = PageFetch(
            fetcher,
            self._site,
            self._store,
            self._is_allowed,
            self._markdown,
            follows_links=self._settings.discover,
            rendering=self._rendering,
        )
        for depth in range(self._settings.max_depth + 1):
            self.report.expected = len(visited)
            if self._markdown:
                self._markdown.begin_level()
            following = set[str]()
            for fetched in self._fetch_all(fetch, level):
                yield from self._take(fetched, crawled)
                if depth < self._settings.max_depth:
                    following = self._follow(fetched, following, visited)
            level = self._next_level(following, visited)
            if not level or self._budget.is_over():
                return

    def _take(self, fetched: FetchedPage, crawled: CrawledPages) -> Iterator[RawPage]:
        if fetched.failed:
            self.report.failed[fetched.url] = fetched.failed
        elif fetched.skipped:
            self.report.skipped[fetched.url] = fetched.skipped
        elif fetched.stored is not None and (page := crawled.page(fetched.stored)) is not None:
            yield page

    def _follow(self, fetched: FetchedPage, following: set[str], visited: set[str]) -> set[str]:
        """The pages to fetch next, with the links of one more page."""
        if fetched.links_cut:
            self.report.truncated = True
            self._warn(
                "links",
                f"{fetched.url} links to more than {MAX_LINKS} pages; the rest were not followed; list them in "
                f"source.crawl.routes or source.crawl.sitemap_url",
            )
        if fetched.published:
            self._warn(
                "published",
                f"pages give {fetched.published} as their URL, so links to it were followed on "
                f'{self._site.base_url}; set project.base_url = "{fetched.published}" to treat them as internal links',
            )
        links = map(self._markdown.page, fetched.links) if self._markdown else fetched.links
        following |= set(links) - visited
        room = self._max_pages - len(visited)
        if len(following) > 2 * room + MAX_LINKS:  # only the first ones will be fetched
            return set(nsmallest(room + 1, following))
        return following

    def _next_level(self, urls: Iterable[str], visited: set[str]) -> list[str]:
        """The next level, sorted and within the page limit; its pages count as visited."""
        level = sorted(set(urls))
        room = self._max_pages - len(visited)
        if len(level) > room:
            key = "source.crawl.max_pages" if self._max_pages == self._settings.max_pages else "--max-pages"
            self.report.truncated = True
            self._warn("pages", f"the crawl stopped at {key} = {self._max_pages}; raise it to crawl the rest")
        level = level[:room]
        visited.update(level)
        return level

    def _warn(self, kind: str, warning: str) -> None:
        """Warn once per kind, since thousands of pages may have the same problem."""
        if kind not in self._warned:
            self._warned.add(kind)
            self.report.warnings.append(warning)

    def _start(self, fetcher: Fetcher) -> list[str]:
        start = [canonical_path(route) for route in self._settings.routes]
        if sitemaps := self._sitemap_urls():
            listed = SitemapPages(fetcher, self._site, self._budget, self.report, self._is_allowed)
            start += listed.paths(sitemaps, self._max_pages)
            self._site = listed.site
        if self._markdown and not self._settings.routes:
            start += self._markdown.listed(fetcher, self._site, self._max_pages)
        return start or ["/"]  # a host's sitemap may list no page below the site's path

    def _sitemap_urls(self) -> list[str]:
        if url := self._settings.sitemap_url:
            return [url if "://" in url else f"{self._site.base_url}/{url.lstrip('/')}"]
        listed = self._robots.sitemaps if self._robots and not self._settings.routes else ()
        return list(dict.fromkeys(map(str, islice(listed, MAX_SITEMAPS))))

    def _is_allowed(self, url: str) -> bool:
        return self._robots is None or self._robots.can_fetch(url, USER_AGENT)

    def _fetch_all(self, fetch: PageFetch, paths: Sequence[str]) -> Iterator[FetchedPage]:
        if self._rendering and (sample := self._rendering.sample(paths)):
            yield from (self._fetch(fetch, path) for path in sample)
            paths = sorted({*paths} - {*sample})
        # A bounded window keeps a large level from piling up in memory.
        with ThreadPoolExecutor(self._settings.concurrency, thread_name_prefix="crawl") as threads:
            for window in batches(paths, self._settings.concurrency * 8):
                yield from threads.map(lambda path: self._fetch(fetch, path), window)

    def _fetch(self, fetch: PageFetch, path: str) -> FetchedPage:
        return FetchedPage(path, None) if self._budget.is_over() else fetch.page(path)


def _empty_crawl(base_url: str, report: SourceReport) -> str:
    reasons = [*report.failed.values(), *report.skipped.values(), *report.warnings]
    return f"no page of {base_url} could be fetched: {reasons[0] if reasons else 'no page is listed'}"
