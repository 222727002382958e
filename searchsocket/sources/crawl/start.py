"""Starting points of a crawl: configured routes, and the sitemap entries on the crawled host."""

from collections.abc import Callable, Sequence

from searchsocket.errors import SourceUnavailable
from searchsocket.sources.base import SourceReport
from searchsocket.sources.crawl.budget import CrawlBudget
from searchsocket.sources.crawl.fetch import Fetcher
from searchsocket.sources.crawl.site import CrawledSite
from searchsocket.sources.crawl.sitemap import SitemapWalk

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
    ) -> None:
        """
        Args:
            report: Collects warnings and failures.
            allowed: Returns True if `robots.txt` allows a URL.
        """
        self._fetcher = fetcher
        self.site = site  # with the published address, once detected
        self._budget = budget
        self._report = report
        self._allowed = allowed

    def paths(self, sitemaps: Sequence[str], max_pages: int) -> list[str]:
        """The listed paths, in order; one more than `max_pages` if there are more."""
        paths, walk = self._walk(sitemaps, max_pages)
        if walk.foreign > walk.own and not walk.limit:
            host, examples = max(walk.examples.items(), key=lambda item: len(item[1]))
            if self._is_published_at(host, examples):
                paths, walk = self._walk(sitemaps, max_pages)
            elif not walk.own:
                self._report.truncated = True
        self._report.failed.update(walk.problems)
        if walk.foreign:
            self._report.warnings.append(f"{walk.foreign} sitemap entries on other hosts were skipped")
        if walk.limit:
            self._report.truncated = True
            self._report.warnings.append(
                f"the crawl stopped at {walk.limit}; set source.crawl.sitemap_url to a smaller sitemap"
            )
        return paths

    def _walk(self, sitemaps: Sequence[str], max_pages: int) -> tuple[list[str], SitemapWalk]:
        walk = SitemapWalk(lambda url: self._fetcher.get(url).body, self.here, self._budget.is_over)
        paths: dict[str, None] = {}
        for url in walk.urls(sitemaps):
            if (path := self.site.page(url)) is not None:
                paths[path] = None
                if len(paths) > max_pages:
                    break
        return list(paths), walk

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
        paths = [path for path in map(self.site.resolve, urls) if path is not None and not self.site.excluded(path)]
        probes = [url for url in map(self.site.url, paths) if self._allowed(url)][:_PROBES]
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
        path = self.site.resolve(url)
        return None if path is None else self.site.url(path)
