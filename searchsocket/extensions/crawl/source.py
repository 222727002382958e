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
from searchsocket.errors import ConfigMissing, SourceUnavailable
from searchsocket.extensions.crawl.fetch import (
    ACCEPT,
    USER_AGENT,
    CrawlBudget,
    Fetcher,
    FetchLimits,
    without_login,
)
from searchsocket.extensions.crawl.page_fetch import FetchedPage, PageFetch, PageTask
from searchsocket.extensions.crawl.pages import MARKDOWN_ACCEPT, MAX_LINKS, CrawledPages, MarkdownFiles
from searchsocket.extensions.crawl.queries import QueryPages
from searchsocket.extensions.crawl.rendering import CrawlAccess, Rendering
from searchsocket.extensions.crawl.robots import read_robots
from searchsocket.extensions.crawl.settings import CrawlSettings
from searchsocket.extensions.crawl.site import CrawledSite
from searchsocket.extensions.crawl.sitemap import MAX_SITEMAPS
from searchsocket.extensions.crawl.start import SitemapPages
from searchsocket.extensions.crawl.store import BodyStore, ReadSitemaps
from searchsocket.project.settings.source_kinds import source_kind
from searchsocket.sources import SourceRequest, configured_site
from searchsocket.sources.base import Excluder, SourceOrigin, SourceReport
from searchsocket.sources.preview import refuse_open_places
from searchsocket.system.batches import batches
from searchsocket.web.urls.form import UrlForm, stated_form
from searchsocket.web.urls.paths import page_path
from searchsocket.web.urls.resolve import LinkedAddress, SiteBase
from searchsocket.web.urls.site import source_address

MODE = "crawl"
_MAX_SPELLINGS = 4  # addresses of one page that are tried
_MISSING_SHARE = 10  # a warning, if a tenth as many pages are missing as were fetched
_EXAMPLES = 3
_MAX_SAME = 2  # pages above a page with the same bytes; with more, its relative links lead ever deeper


class Frontier:
    """Collects links for the next level; each page is fetched once, or again at a new address if it was missing."""

    def __init__(self, max_pages: int) -> None:
        self._max_pages = max_pages
        self._visited: set[str] = set()
        self._missing: dict[str, set[str]] = {}  # page that no address opened -> tried addresses
        self._next: dict[str, set[str]] = {}
        self._probes: dict[str, LinkedAddress] = {}
        self.is_limited = False  # there were more than `max_pages`
        self.left_out: set[str] = set()  # pages that only links of the last level lead to

    @property
    def pages(self) -> int:
        """Number of pages in all levels so far."""
        return len(self._visited)

    def add(self, linked: LinkedAddress) -> None:
        """Add a link, for the next level."""
        if linked.path in self._visited and linked.address in self._missing.get(linked.path, {linked.address}):
            return
        spellings = self._next.setdefault(linked.path, set())
        spellings.add(linked.address)
        if len(spellings) > _MAX_SPELLINGS:
            spellings.remove(max(spellings))
        room = self._max_pages - len(self._visited)
        if len(self._next) > 2 * room + MAX_LINKS:  # only the first ones will be fetched
            self._next = {path: self._next[path] for path in nsmallest(room + 1, self._next)}

    def leave_out(self, links: Iterable[LinkedAddress]) -> None:
        """Remember the pages of links that are too deep to follow, at most as many as one page may link to."""
        new = (linked.path for linked in links if linked.path not in self._visited)
        self.left_out.update(islice(new, MAX_LINKS - len(self.left_out)))

    def add_probe(self, path: str, probe: LinkedAddress) -> None:
        """Add an address that may be a page besides the one at `path`."""
        if probe.path not in self._visited:
            self._next[probe.path] = {probe.address}
            self._probes[probe.path] = LinkedAddress(path, probe.address)

    def mark_missing(self, task: PageTask) -> None:
        """Allow a page to be fetched again if a link has another address for it."""
        self._missing.setdefault(task.key, set()).update(task.addresses)

    def next_level(self) -> list[PageTask]:
        """The tasks of the next level, sorted and within the page limit; their pages count as visited."""
        paths = sorted(self._next)
        room = self._max_pages - len(self._visited)
        level: list[PageTask] = []
        for path in paths:
            if path not in self._visited:
                if room <= 0:
                    self.is_limited = True
                    continue
                room -= 1
            tried = self._missing.get(path, set())
            addresses = tuple(sorted(self._next[path] - tried))
            probe = self._probes.get(path)
            level.append(PageTask(path, addresses, probe.path if probe else ""))
        self._next.clear()
        self._probes.clear()
        self._visited.update(task.key for task in level)
        return level


class CrawlSource:
    """Pages of a running host (spec 8.2 B)."""

    kind = source_kind(MODE)

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
        respects_noindex: bool = True,
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
        now_s: Callable[[], float] = time.time,
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
            respects_noindex: Skip pages whose `X-Robots-Tag` contains `noindex`.
            now_s: Seconds since 1970.
        """
        self.origin = SourceOrigin(self.kind.mode, address=without_login(address))
        self._settings = settings
        self._address = address
        self._own_site = self._site = CrawledSite(without_login(address), site, excluded, documents)
        self._store = BodyStore(store_dir, self._own_site.base_url)
        self._store_dir = store_dir
        self._max_page_bytes = max_page_bytes
        self._max_pages = min(settings.max_pages, max_pages or settings.max_pages)
        self._url_form = url_form
        self._respects_noindex = respects_noindex
        self._sleep = sleep
        self._monotonic = monotonic
        self._now_s = now_s
        self._robots: Protego | None = None
        self.report = SourceReport()

    def pages(self) -> Iterator[RawPage]:
        """Fetch the pages level by level; each level in the order of its URLs."""
        self.report = report = SourceReport()
        self._warned = set[str]()
        self._site = self._own_site
        self._queries = QueryPages(self._settings.query_parameters)
        self._missing: dict[str, str] = {}  # page -> an address that has no page
        self._markdown = MarkdownFiles() if self._settings.prefer == "markdown" else None
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
            if warning := self._rendering.warning():
                self._warn("hosts", warning)
        self._warn_of_lost_pages(crawled)
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
        accept = MARKDOWN_ACCEPT if self._markdown else ACCEPT
        return Fetcher(self._address, limits, self._budget, accept=accept, sleep=self._sleep, monotonic=self._monotonic)

    def _open_rendering(self, fetcher: Fetcher) -> Rendering | None:
        def for_scripts(origin: str) -> Fetcher:
            address = self._address if origin == fetcher.origin else origin
            limits = FetchLimits(self._max_page_bytes, self._settings.timeout_s, attempts=2)
            return Fetcher(address, limits, self._budget, accept="*/*", allows_private=fetcher.allows_private)

        if not self._settings.render:
            return None
        return Rendering(
            CrawlAccess(self._settings, fetcher.origin, self._is_allowed, for_scripts, self._max_page_bytes)
        )

    def _levels(self, fetcher: Fetcher, crawled: CrawledPages) -> Iterator[RawPage]:
        frontier = Frontier(self._max_pages)
        for linked in self._start(fetcher):
            self._add(linked, frontier)
        level = self._next_level(frontier)
        fetch = PageFetch(
            fetcher,
            self._site,
            self._store,
            self._is_allowed,
            self._markdown,
            follows_links=self._settings.discover,
            now_s=self._now_s(),
            respects_noindex=self._respects_noindex,
            rendering=self._rendering,
        )
        for depth in range(self._settings.max_depth + 1):
            self.report.expected = frontier.pages
            if self._markdown:
                self._markdown.begin_level()
            follows = depth < self._settings.max_depth
            for fetched in self._fetch_all(fetch, level):
                yield from self._take(fetched, crawled, frontier)
                if not follows:
                    frontier.leave_out(fetched.links)
                elif fetched.stored is None or len(crawled.same_above(fetched.stored)) < _MAX_SAME:
                    self._follow(fetched, frontier)
            for probe in self._queries.probes() if follows else ():
                frontier.add_probe(*probe)
            level = self._next_level(frontier)
            if not level or self._budget.is_over():
                break
        if deep := sorted(frontier.left_out):
            self._warn(
                "depth",
                f"linked pages more than source.crawl.max_depth = {self._settings.max_depth} links from the start were "
                f"not fetched: {len(deep):,}, e.g. {', '.join(deep[:_EXAMPLES])}",
            )

    def _take(self, fetched: FetchedPage, crawled: CrawledPages, frontier: Frontier) -> Iterator[RawPage]:
        task, stored = fetched.task, fetched.stored
        is_unsure = task.probe_of or (stored and stored.has_query and not self._settings.query_parameters)
        if is_unsure and not self._is_own_page(fetched, crawled, frontier):
            return
        if fetched.failed:
            self.report.failed[task.key] = fetched.failed
        elif fetched.skipped:
            self.report.skipped[task.key] = fetched.skipped
            if fetched.status:
                self._missing[task.key] = task.addresses[0]
                frontier.mark_missing(task)
        elif stored is not None:
            if task.key in self._missing:  # a later link had another address for it
                del self._missing[task.key], self.report.skipped[task.key]
            if (page := crawled.page(stored)) is not None:
                yield page

    def _is_own_page(self, fetched: FetchedPage, crawled: CrawledPages, frontier: Frontier) -> bool:
        """Return True if an address with a query is a page besides the one at its path.

        A failure counts only for a page of an earlier crawl, since a link to `?action=…` may fail for ever.
        """
        task, stored = fetched.task, fetched.stored
        path = task.probe_of
        probe = LinkedAddress(task.key, task.addresses[0])
        if fetched.failed:
            return self._store.get(task.key) is not None
        if stored is None or not stored.has_query:
            if path:
                self._queries.dismiss(path, probe)
            return False
        if path:
            for page in self._queries.learn(path, probe, fetched.canonical):
                frontier.add(page)
            if crawled.has_body(page_path(path), stored.body_hash):
                self._queries.dismiss(path, probe)
        own = self._queries.page(fetched.canonical) if fetched.canonical else None
        return own is not None and own.path == stored.url

    def _follow(self, fetched: FetchedPage, frontier: Frontier) -> None:
        """Add the links of one page to the next level."""
        if fetched.links_cut:
            self.report.truncated = True
            self._warn(
                "links",
                f"{fetched.task.key} links to more than {MAX_LINKS} pages; the rest were not followed; list them in "
                f"source.crawl.routes or source.crawl.sitemap_url",
            )
        if fetched.published:
            self._warn(
                "published",
                f"pages give {fetched.published} as their URL, so links to it were followed on "
                f'{self._site.base_url}; set project.base_url = "{fetched.published}" to treat them as internal links',
            )
        for linked in fetched.links:
            frontier.add(self._markdown.page(linked) if self._markdown else linked)
        for linked in sorted(fetched.query_links):
            if page := self._queries.offer(linked):
                frontier.add(page)

    def _add(self, linked: LinkedAddress, frontier: Frontier) -> None:
        """Add a starting point; its query selects a page or is removed."""
        if "?" in linked.address and (page := self._queries.offer(linked)):
            frontier.add(page)
        else:
            frontier.add(LinkedAddress(linked.path, linked.address.partition("?")[0]))

    def _next_level(self, frontier: Frontier) -> list[PageTask]:
        level = frontier.next_level()
        if frontier.is_limited:
            key = "source.crawl.max_pages" if self._max_pages == self._settings.max_pages else "--max-pages"
            self.report.truncated = True
            self._warn("pages", f"the crawl stopped at {key} = {self._max_pages}; raise it to crawl the rest")
        return level

    def _warn_of_lost_pages(self, crawled: CrawledPages) -> None:
        """Warn if much of the site is missing: all pages below a missing one may be lost with it."""
        missing = sorted(self._missing.values())
        if missing and len(missing) * _MISSING_SHARE >= len(crawled.fetched):
            examples = ", ".join(missing[:_EXAMPLES])
            self._warn(
                "missing",
                f"{len(missing):,} linked pages answered 403, 404 or 410, for {len(crawled.fetched):,} pages that were "
                f"fetched; pages that only they link to are not indexed; e.g. {examples}",
            )
        if warning := self._queries.warning():
            self._warn("queries", warning)

    def _warn(self, kind: str, warning: str) -> None:
        """Warn once per kind, since thousands of pages may have the same problem."""
        if kind not in self._warned:
            self._warned.add(kind)
            self.report.warnings.append(warning)

    def _start(self, fetcher: Fetcher) -> list[LinkedAddress]:
        routes = (
            self._site.resolve(f"{self._site.path_on_host('/')}{route.lstrip('/')}") for route in self._settings.routes
        )
        start = [route for route in routes if route is not None]
        if sitemaps := self._sitemap_urls():
            read_sitemaps = ReadSitemaps(self._store_dir, self._now_s())
            listed = SitemapPages(fetcher, self._site, self._budget, self.report, self._is_allowed, read_sitemaps)
            start += listed.pages(sitemaps, self._max_pages)
            self._site = listed.site
        if self._markdown and not self._settings.routes:
            start += self._markdown.listed(fetcher, self._site, self._max_pages)
        return start or [LinkedAddress("/", "/")]  # a host's sitemap may list no page below the site's path

    def _sitemap_urls(self) -> list[str]:
        if url := self._settings.sitemap_url:
            return [url if "://" in url else f"{self._site.base_url}/{url.lstrip('/')}"]
        listed = self._robots.sitemaps if self._robots and not self._settings.routes else ()
        return list(dict.fromkeys(map(str, islice(listed, MAX_SITEMAPS))))

    def _is_allowed(self, url: str) -> bool:
        return self._robots is None or self._robots.can_fetch(url, USER_AGENT)

    def _fetch_all(self, fetch: PageFetch, level: Sequence[PageTask]) -> Iterator[FetchedPage]:
        if self._rendering and (sample := self._rendering.sample(level)):
            yield from (self._fetch(fetch, task) for task in sample)
            level = sorted({*level} - {*sample})
        # A bounded window keeps a large level from piling up in memory.
        with ThreadPoolExecutor(self._settings.concurrency, thread_name_prefix="crawl") as threads:
            for window in batches(level, self._settings.concurrency * 8):
                yield from threads.map(lambda task: self._fetch(fetch, task), window)

    def _fetch(self, fetch: PageFetch, task: PageTask) -> FetchedPage:
        return FetchedPage(task) if self._budget.is_over() else fetch.page(task)


def _empty_crawl(base_url: str, report: SourceReport) -> str:
    reasons = [*report.failed.values(), *report.skipped.values(), *report.warnings]
    return f"no page of {base_url} could be fetched: {reasons[0] if reasons else 'no page is listed'}"


def open_crawl(request: SourceRequest) -> CrawlSource:
    """Open the crawl of a project.

    Raises:
        ConfigMissing: The site has no address, or a placeholder in it is unknown.
        ConfigError: See `configured_site`.
    """
    settings = request.settings
    source, crawl = settings.source, settings.source.section(CrawlSettings)
    if not crawl.base_url:
        raise ConfigMissing('source.mode is "crawl" but source.crawl.base_url is not set, e.g. http://localhost:4173')
    address = source_address(settings, MODE, request.scope)
    refuse_open_places(address, CrawlSource.kind.scope_setting)
    return CrawlSource(
        crawl,
        request.fetched(),
        address=address,
        site=configured_site(settings, MODE, request.scope),
        excluded=Excluder(source.exclude),
        max_page_bytes=source.max_page_bytes,
        max_pages=request.max_pages,
        url_form=stated_form(settings.urls.style),
        documents=source.documents,
        respects_noindex=settings.extract.respect_robots_noindex,
    )
