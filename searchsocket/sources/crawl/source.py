"""The crawl: routes, sitemap and links of one host, level by level, in an order that is the same every time."""

import hashlib
import re
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from urllib.parse import quote, urlsplit

from protego import Protego

from searchsocket.batches import batches
from searchsocket.errors import SourceUnavailable
from searchsocket.hrefs import SiteBase, resolve_base, resolve_link, served_under
from searchsocket.settings.model import CrawlSettings
from searchsocket.sources.base import SourceReport
from searchsocket.sources.crawl.fetch import USER_AGENT, Fetcher, FetchFailed, Limits, Response, without_login
from searchsocket.sources.crawl.links import page_links
from searchsocket.sources.crawl.robots import parse_robots
from searchsocket.sources.crawl.sitemap import MAX_SITEMAPS, SitemapWalk, unpacked
from searchsocket.sources.crawl.store import BodyStore, Stored
from searchsocket.types import RawPage
from searchsocket.urls import canonical_path

_HTML = ("text/html", "application/xhtml+xml")
_SESSION = re.compile(r";[^/]*")  # ;jsessionid=... makes endless names of one page
_NOT_PAGES = re.compile(
    r"\.(?:avif|bmp|css|csv|docx?|eot|exe|gif|gz|ico|jpe?g|js|json|mjs|mov|mp[34]|ogg|otf|pdf|png|pptx?|rss|svg|tar|tgz|"
    r"tiff?|ttf|txt|wasm|wav|webm|webp|woff2?|xlsx?|xml|zip)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Fetched:
    url: str
    page: RawPage | None
    links: tuple[str, ...] = ()
    skipped: str = ""
    failed: str = ""


class CrawlSource:
    """Pages of a running host (spec 8.2 B)."""

    name = "crawl"

    def __init__(
        self,
        settings: CrawlSettings,
        store_dir: Path,
        *,
        address: str,
        site: SiteBase,
        excluded: Callable[[str], bool],
        max_page_bytes: int,
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """
        Args:
            address: The site's root, without a trailing slash; a login in it is sent and never shown.
            site: The same root as links mean it.
            excluded: Says which URLs are not asked for.
            max_page_bytes: A larger page is a failure.
        """
        self._settings = settings
        self._address = address
        self._base_url = without_login(address)
        self._site = site
        self._store = BodyStore(store_dir, self._base_url)
        self._excluded = excluded
        self._max_page_bytes = max_page_bytes
        self._sleep = sleep
        self._monotonic = monotonic
        self._robots: Protego | None = None
        self.report = SourceReport()

    def pages(self) -> Iterator[RawPage]:
        """Fetch level by level; each level in the order of its URLs."""
        self.report = report = SourceReport()
        fetcher = self._fetcher()
        try:
            self._robots = self._read_robots(fetcher)
            level = sorted(set(self._start(fetcher)))
            seen, found = set(level), set[str]()
            for depth in range(self._settings.max_depth + 1):
                following: set[str] = set()
                report.expected = len(seen)
                for fetched in self._fetch_all(fetcher, level):
                    yield from self._take(fetched, found)
                    if depth < self._settings.max_depth:
                        following.update(link for link in fetched.links if link not in seen)
                level = self._bounded(sorted(following), len(seen))
                seen.update(level)
                if not level:
                    break
            report.complete = bool(found) and not report.failed and not report.truncated
            if report.complete:
                self._store.keep_only(found)
        finally:
            fetcher.close()
        if not found:
            raise SourceUnavailable(_nothing_found(self._base_url, report))

    def read(self, page: RawPage) -> bytes:
        return self._store.read(page.url)

    def _fetcher(self) -> Fetcher:
        limits = Limits(self._max_page_bytes, self._settings.timeout_s, connections=self._settings.concurrency)
        return Fetcher(self._address, limits, sleep=self._sleep, monotonic=self._monotonic)

    def _take(self, fetched: _Fetched, found: set[str]) -> Iterator[RawPage]:
        if fetched.failed:
            self.report.failed[fetched.url] = fetched.failed
        elif fetched.skipped:
            self.report.skipped[fetched.url] = fetched.skipped
        elif fetched.page is not None and fetched.page.url not in found:  # two URLs may redirect to one
            found.add(fetched.page.url)
            yield fetched.page

    def _bounded(self, level: list[str], seen: int) -> list[str]:
        room = self._settings.max_pages - seen
        if len(level) > room:
            self.report.truncated = True
            self.report.warnings.append(
                f"the crawl stopped at source.crawl.max_pages = {self._settings.max_pages}; raise it to see the rest"
            )
        return level[: max(room, 0)]

    def _start(self, fetcher: Fetcher) -> Iterator[str]:
        for route in self._settings.routes:
            yield canonical_path(route)
        found = bool(self._settings.routes)
        for sitemap in self._sitemap_urls():
            for path in self._from_sitemap(fetcher, sitemap):
                found = True
                yield path
        if not found:  # the sitemap of a whole host may name no page of the site under a path of it
            yield "/"

    def _sitemap_urls(self) -> list[str]:
        if self._settings.sitemap_url:
            return [self._absolute(self._settings.sitemap_url)]
        listed = self._robots.sitemaps if self._robots and not self._settings.routes else ()
        return list(dict.fromkeys(map(str, islice(listed, MAX_SITEMAPS))))

    def _absolute(self, url: str) -> str:
        return url if "://" in url else f"{self._base_url}/{url.lstrip('/')}"

    def _from_sitemap(self, fetcher: Fetcher, start: str) -> Iterator[str]:
        first = self._here(fetcher, start)
        if first is None:
            self.report.failed[start] = "the sitemap lies on another host"
            return
        walk = SitemapWalk(lambda url: unpacked(fetcher.get(url).body), lambda url: self._here(fetcher, url))
        count = 0
        for url in walk.urls(first):
            path = self._path(url, "/")
            if path is not None:
                count += 1
                if count > self._settings.max_pages:
                    self._bounded([path], self._settings.max_pages)
                    break
                yield path
        self.report.failed.update(walk.problems)
        if walk.foreign:
            self.report.warnings.append(f"{walk.foreign} sitemap entries on other hosts were left out")

    def _here(self, fetcher: Fetcher, url: str) -> str | None:
        """A URL on the crawled host; one of the published site is asked for here, which may be its preview."""
        if fetcher.same_host(url):
            return url
        path = resolve_link(url, "/", self._site)
        return None if path is None else self._url(path)

    def _url(self, path: str) -> str:
        return self._base_url + quote(path, safe="/%:@!$&'()*+,;=~-._")

    def _path(self, href: str, served_url: str) -> str | None:
        """A page path to fetch, or None when the link leads elsewhere."""
        path = resolve_link(_SESSION.sub("", href), served_url, self._site)
        if path is None or _NOT_PAGES.search(path) or self._excluded(path):
            return None
        return path

    def _fetch_all(self, fetcher: Fetcher, paths: Iterable[str]) -> Iterator[_Fetched]:
        # A bounded window keeps a large level from piling up in memory.
        with ThreadPoolExecutor(self._settings.concurrency, thread_name_prefix="crawl") as threads:
            for window in batches(paths, self._settings.concurrency * 8):
                yield from threads.map(lambda path: self._fetch(fetcher, path), window)

    def _fetch(self, fetcher: Fetcher, path: str) -> _Fetched:
        url = self._url(path)
        if self._robots is not None and not self._robots.can_fetch(url, USER_AGENT):
            return _Fetched(path, None, skipped="disallowed by robots.txt")
        known = self._store.known(path)
        try:
            answer = fetcher.get(url, known={"etag": known.etag, "last-modified": known.last_modified} if known else {})
        except FetchFailed as error:
            if error.status in (404, 410):
                return _Fetched(path, None, skipped=f"answered {error.status}")
            return _Fetched(path, None, failed=str(error))
        except SourceUnavailable as error:
            return _Fetched(path, None, failed=str(error))
        if answer.not_modified and known is not None:
            return self._page(path, known, self._store.read(path))
        return self._new(path, answer)

    def _new(self, path: str, answer: Response) -> _Fetched:
        kind = answer.headers.get("content-type", "text/html").partition(";")[0].strip().lower()
        if kind not in _HTML:
            return _Fetched(path, None, skipped=f"not HTML but {kind[:80]}")
        served = urlsplit(answer.url).path or "/"
        url = resolve_link(_SESSION.sub("", answer.url), "/", self._site)
        if url is None:
            return _Fetched(path, None, skipped="redirects outside the base path")
        stored = Stored(
            url=url,
            served_url=served_under(self._site.path, served),
            body_hash=hashlib.sha256(answer.body).hexdigest(),
            etag=answer.headers.get("etag", ""),
            last_modified=answer.headers.get("last-modified", ""),
            content_type=answer.headers.get("content-type", ""),
        )
        self._store.put(stored, answer.body)
        return self._page(path, stored, answer.body)

    def _page(self, path: str, stored: Stored, body: bytes) -> _Fetched:
        links: tuple[str, ...] = ()
        if self._settings.discover:
            hrefs, base = page_links(body)
            served = resolve_base(base, stored.served_url, self._site) if base else stored.served_url
            links = tuple(link for href in hrefs if (link := self._path(href, served)) is not None)
        # The hash of the body is the stamp, so that a host without ETags still says what is unchanged.
        return _Fetched(path, RawPage(stored.url, stored.served_url, stored.url, stored.body_hash), links)

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


def _nothing_found(base_url: str, report: SourceReport) -> str:
    reasons = [*report.failed.values(), *report.skipped.values()]
    return f"no page of {base_url} could be fetched: {reasons[0] if reasons else 'nothing is listed'}"
