"""The crawl: routes, sitemap and links of one host, level by level, in an order that is the same every time."""

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from heapq import nsmallest
from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit

from protego import Protego

from searchsocket.content.pages import RawPage
from searchsocket.errors import SourceUnavailable
from searchsocket.project.settings.site import CrawlSettings
from searchsocket.project.settings.source_kinds import CRAWL
from searchsocket.sources.base import SourceOrigin, SourceReport
from searchsocket.sources.crawl.budget import CrawlBudget
from searchsocket.sources.crawl.fetch import USER_AGENT, Fetcher, FetchFailed, FetchLimits, Response, without_login
from searchsocket.sources.crawl.pages import MAX_LINKS, CrawledPages, PageLinks, page_links
from searchsocket.sources.crawl.robots import parse_robots
from searchsocket.sources.crawl.site import CrawledSite, host_of
from searchsocket.sources.crawl.sitemap import MAX_SITEMAPS
from searchsocket.sources.crawl.start import SitemapPages
from searchsocket.sources.crawl.store import BodyStore, Stored
from searchsocket.system.batches import batches
from searchsocket.web.urls.form import UrlForm
from searchsocket.web.urls.paths import canonical_path
from searchsocket.web.urls.resolve import SiteBase, resolve_base, served_under

_HTML = ("text/html", "application/xhtml+xml")


@dataclass(frozen=True, slots=True)
class _Fetched:
    url: str
    stored: Stored | None
    links: frozenset[str] = frozenset()
    links_cut: bool = False  # the page has more
    published: str = ""  # the host that the page names as its own, and that links of it were read as this one for
    skipped: str = ""
    failed: str = ""


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
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """
        Args:
            address: The site's root, without a trailing slash; a login in it is sent and never shown.
            site: The same root as links mean it.
            excluded: Says which URLs are not asked for.
            max_page_bytes: A larger page is a failure.
            max_pages: What a limited run fetches at most, if that is less than the setting.
            url_form: The form of the addresses; None = as the host answers to them.
        """
        self.origin = SourceOrigin(self.kind.mode, address=without_login(address))
        self._settings = settings
        self._address = address
        self._own_site = self._site = CrawledSite(without_login(address), site, excluded)
        self._store = BodyStore(store_dir, self._own_site.base_url)
        self._max_page_bytes = max_page_bytes
        self._max_pages = min(settings.max_pages, max_pages or settings.max_pages)
        self._url_form = url_form
        self._sleep = sleep
        self._monotonic = monotonic
        self._robots: Protego | None = None
        self.report = SourceReport()

    def pages(self) -> Iterator[RawPage]:
        """Fetch level by level; each level in the order of its URLs."""
        self.report = report = SourceReport()
        self._warned = set[str]()
        self._site = self._own_site
        self._budget = CrawlBudget(
            max_seconds=self._settings.max_seconds,
            max_failures_in_row=self._settings.max_failures_in_row,
            monotonic=self._monotonic,
        )
        fetcher = self._fetcher()
        crawled = CrawledPages(self._site.base.path, self._url_form, report)
        try:
            self._robots = self._read_robots(fetcher)
            yield from self._levels(fetcher, crawled)
        finally:
            fetcher.close()
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
        return Fetcher(self._address, limits, self._budget, sleep=self._sleep, monotonic=self._monotonic)

    def _levels(self, fetcher: Fetcher, crawled: CrawledPages) -> Iterator[RawPage]:
        visited = set[str]()
        level = self._bounded(self._start(fetcher), visited)
        for depth in range(self._settings.max_depth + 1):
            self.report.expected = len(visited)
            following = set[str]()
            for fetched in self._fetch_all(fetcher, level):
                yield from self._take(fetched, crawled)
                if depth < self._settings.max_depth:
                    following = self._follow(fetched, following, visited)
            level = self._bounded(following, visited)
            if not level or self._budget.is_over():
                return

    def _take(self, fetched: _Fetched, crawled: CrawledPages) -> Iterator[RawPage]:
        if fetched.failed:
            self.report.failed[fetched.url] = fetched.failed
        elif fetched.skipped:
            self.report.skipped[fetched.url] = fetched.skipped
        elif fetched.stored is not None and (page := crawled.page(fetched.stored)) is not None:
            yield page

    def _follow(self, fetched: _Fetched, following: set[str], visited: set[str]) -> set[str]:
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
        following |= fetched.links - visited
        room = self._max_pages - len(visited)
        if len(following) > 2 * room + MAX_LINKS:  # only the first of them will be fetched
            return set(nsmallest(room + 1, following))
        return following

    def _bounded(self, urls: Iterable[str], visited: set[str]) -> list[str]:
        """The next level, in order, as far as there is room; it counts as seen."""
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
        """Of each kind the first one: thousands of pages may have the same fault."""
        if kind not in self._warned:
            self._warned.add(kind)
            self.report.warnings.append(warning)

    def _start(self, fetcher: Fetcher) -> list[str]:
        start = [canonical_path(route) for route in self._settings.routes]
        if sitemaps := self._sitemap_urls():
            listed = SitemapPages(fetcher, self._site, self._budget, self.report, self._allowed)
            start += listed.paths(sitemaps, self._max_pages)
            self._site = listed.site
        return start or ["/"]  # the sitemap of a whole host may name no page of the site under a path of it

    def _sitemap_urls(self) -> list[str]:
        if url := self._settings.sitemap_url:
            return [url if "://" in url else f"{self._site.base_url}/{url.lstrip('/')}"]
        listed = self._robots.sitemaps if self._robots and not self._settings.routes else ()
        return list(dict.fromkeys(map(str, islice(listed, MAX_SITEMAPS))))

    def _allowed(self, url: str) -> bool:
        return self._robots is None or self._robots.can_fetch(url, USER_AGENT)

    def _fetch_all(self, fetcher: Fetcher, paths: Iterable[str]) -> Iterator[_Fetched]:
        # A bounded window keeps a large level from piling up in memory.
        with ThreadPoolExecutor(self._settings.concurrency, thread_name_prefix="crawl") as threads:
            for window in batches(paths, self._settings.concurrency * 8):
                yield from threads.map(lambda path: self._fetch(fetcher, path), window)

    def _fetch(self, fetcher: Fetcher, path: str) -> _Fetched:
        if self._budget.is_over():
            return _Fetched(path, None)
        url = self._site.url(path)
        if not self._allowed(url):
            return _Fetched(path, None, skipped="disallowed by robots.txt")
        stored = self._store.get(path)
        try:
            answer = fetcher.get(
                url,
                validators={"etag": stored.etag, "last-modified": stored.last_modified} if stored else {},
            )
        except FetchFailed as error:
            if error.status in (404, 410):
                return _Fetched(path, None, skipped=f"answered {error.status}")
            return _Fetched(path, None, failed=str(error))
        except SourceUnavailable as error:
            return _Fetched(path, None, failed=str(error))
        if answer.not_modified and stored is not None:
            return self._page(path, stored, self._store.read(path))
        return self._new(path, answer)

    def _new(self, path: str, answer: Response) -> _Fetched:
        kind = answer.headers.get("content-type", "text/html").partition(";")[0].strip().lower()
        if kind not in _HTML:
            return _Fetched(path, None, skipped=f"not HTML but {kind[:80]}")
        served = urlsplit(answer.url).path or "/"
        url = self._site.resolve(answer.url)
        if url is None:
            return _Fetched(path, None, skipped="redirects outside the base path")
        stored = Stored(
            url=url,
            served_url=served_under(self._site.base.path, served),
            body_hash=hashlib.sha256(answer.body).hexdigest(),
            etag=answer.headers.get("etag", ""),
            last_modified=answer.headers.get("last-modified", ""),
            content_type=answer.headers.get("content-type", ""),
        )
        self._store.put(stored, answer.body)
        return self._page(path, stored, answer.body)

    def _page(self, path: str, stored: Stored, body: bytes) -> _Fetched:
        if not self._settings.discover:
            return _Fetched(path, stored)
        named = page_links(body)
        links = _targets(named, stored, self._site)
        if (host := self._other_address(named.canonical, stored.url)) and (
            more := _targets(named, stored, self._site.published_at(host)) - links
        ):
            return _Fetched(path, stored, links | more, named.cut, host)
        return _Fetched(path, stored, links, named.cut)

    def _other_address(self, canonical: str, url: str) -> str:
        """Another host on which the page says that it is published at the same path; a preview's pages say so."""
        host = host_of(canonical)
        if not host or self._site.resolve(canonical) is not None:
            return ""
        return host if self._site.published_at(host).resolve(canonical) == url else ""

    def _read_robots(self, fetcher: Fetcher) -> Protego | None:
        if not self._settings.respect_robots_txt:
            return None
        try:
            body = fetcher.get(f"{fetcher.origin}/robots.txt").body
        except FetchFailed as error:
            if 400 <= error.status < 500 and error.status != 429:
                return None  # no rules (RFC 9309, 2.3.1.3)
            raise SourceUnavailable(f"robots.txt of {fetcher.origin} cannot be read: {error}") from error
        return parse_robots(body)


def _targets(named: PageLinks, stored: Stored, site: CrawledSite) -> frozenset[str]:
    served = resolve_base(named.base, stored.served_url, site.base) if named.base else stored.served_url
    return frozenset(path for href in named.hrefs if (path := site.page(href, served)) is not None)


def _empty_crawl(base_url: str, report: SourceReport) -> str:
    reasons = [*report.failed.values(), *report.skipped.values(), *report.warnings]
    return f"no page of {base_url} could be fetched: {reasons[0] if reasons else 'no page is listed'}"
