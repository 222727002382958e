"""Starting points of a crawl: configured routes, and the sitemap entries on the crawled host."""

from collections.abc import Callable, Sequence

from searchsocket.errors import SourceUnavailable
from searchsocket.extensions.crawl.fetch import CrawlBudget, Fetcher
from searchsocket.extensions.crawl.site import CrawledSite
from searchsocket.extensions.crawl.sitemap import SitemapWalk
from searchsocket.extensions.crawl.store import LATELY_DAYS, ReadSitemaps
from searchsocket.sources.base import SourceReport
from searchsocket.web.urls.resolve import LinkedAddress

_PROBES = 5


class SitemapPages:
    """The pages in sitemaps, including sitemaps with the URLs of the published site."""

    def __init__(
        self,
        fetcher: Fetcher,
        site: CrawledSite,
        budget: CrawlBudget,
        report: SourceReport,
        allowed: Callable[[str], bool],
        read_sitemaps: ReadSitemaps,
    ) -> None:
        """
        Args:
            report: Collects warnings and failures.
            allowed: Returns True if `robots.txt` allows a URL.
            read_sitemaps: The sitemaps that earlier crawls read.
        """
        self._fetcher = fetcher
        self.site = site  # with the published address, once detected
        self._budget = budget
        self._report = report
        self._allowed = allowed
        self._read_sitemaps = read_sitemaps

    def pages(self, sitemaps: Sequence[str], max_pages: int) -> list[LinkedAddress]:
        """The listed pages, in order; one more than `max_pages` if there are more."""
        pages, walk = self._walk(sitemaps, max_pages)
        if walk.foreign > walk.own and not walk.limit:
            host, examples = max(walk.examples.items(), key=lambda item: len(item[1]))
            if self._is_published_at(host, examples):
                pages, walk = self._walk(sitemaps, max_pages)
            elif not walk.own:
                self._report.truncated = True
        self._report_problems(walk)
        if walk.foreign:
            self._report.warnings.append(f"{walk.foreign} sitemap entries on other hosts were skipped")
        if walk.limit:
            self._report.truncated = True
            self._report.warnings.append(
                f"the crawl stopped at {walk.limit}; set source.crawl.sitemap_url to a smaller sitemap"
            )
        return pages

    def _report_problems(self, walk: SitemapWalk) -> None:
        """Warn about sitemaps that cannot be read; the crawl is incomplete if one was read shortly before."""
        if walk.problems:
            url, reason = next(iter(walk.problems.items()))
            number = f" (and {len(walk.problems) - 1:,} more)" if walk.problems.keys() - {url} else ""
            self._report.warnings.append(f"the sitemap {url} cannot be read{number}: {reason}")
        if self._read_sitemaps.were_read_lately(walk.problems.keys() - walk.missing):
            self._report.truncated = True
            self._report.warnings.append(
                f"that sitemap was read in a crawl of the last {LATELY_DAYS} days, so no page is deleted now; fix it, "
                "or remove it from robots.txt or source.crawl.sitemap_url"
            )
        self._read_sitemaps.add(walk.read)

    def _walk(self, sitemaps: Sequence[str], max_pages: int) -> tuple[list[LinkedAddress], SitemapWalk]:
        walk = SitemapWalk(lambda url: self._fetcher.get(url).body, self.here, self._budget.is_over)
        pages: dict[LinkedAddress, None] = {}
        for url in walk.urls(sitemaps):
            if (page := self.site.page(url)) is not None:
                pages[page] = None
                if len(pages) > max_pages:
                    break
        return list(pages), walk

    def _is_published_at(self, host: str, examples: Sequence[str]) -> bool:
        """Return True if this host serves pages of another host: previews have the sitemap of the published site."""
        own, crawled = self.site, self.site.base_url
        self.site = own.published_at(host)
        if self._most_answer(examples):
            self._report.warnings.append(
                f"the sitemap lists pages of {host}, which were fetched from {crawled}; to confirm, set "
                f'project.base_url = "{host}"'
            )
            return True
        self.site = own
        self._report.warnings.append(
            f"the sitemap lists pages of {host} that {crawled} does not serve; if the site is published there, "
            f'set project.base_url = "{host}" and its base path'
        )
        return False

    def _most_answer(self, urls: Sequence[str]) -> bool:
        pages = [page for page in map(self.site.resolve, urls) if page and not self.site.excluded(page.path)]
        probes = [url for url in (self.site.url(page.address) for page in pages) if self._allowed(url)][:_PROBES]
        return sum(map(self._answers, probes)) * 2 > len(probes)

    def _answers(self, url: str) -> bool:
        try:
            self._fetcher.get(url)
        except SourceUnavailable:
            return False
        return True

    def here(self, url: str) -> str | None:
        """Map a URL to the crawled host; a URL of the published site may be served here, by its preview."""
        if self._fetcher.same_host(url):
            return url
        linked = self.site.resolve(url)
        return None if linked is None else self.site.url(linked.address)
