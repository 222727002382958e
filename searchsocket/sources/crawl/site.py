"""URL of the crawled site, and the decision which addresses are pages."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import quote, urlsplit

from searchsocket.content.pages import document_kind
from searchsocket.web.urls.paths import page_path
from searchsocket.web.urls.resolve import SiteBase, resolve_link, site_base

_SESSION = re.compile(r";[^/]*")  # ;jsessionid=... gives one page endless addresses
_NOT_PAGES = re.compile(
    r"\.(?:avif|bmp|css|csv|doc|eot|exe|gif|gz|ico|jpe?g|js|json|mjs|mov|mp[34]|ogg|otf|png|pptx?|rss|svg|tar|tgz|"
    r"tiff?|ttf|txt|wasm|wav|webm|webp|woff2?|xlsx?|xml|zip)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CrawledSite:
    """The crawled site."""

    base_url: str  # root of the crawl, without login and trailing slash
    base: SiteBase  # the same root as in links
    excluded: Callable[[str], bool]  # returns True for paths that are not fetched
    documents: bool = False  # include PDF, Word and OpenDocument files

    def url(self, path: str) -> str:
        """The URL to fetch for a canonical path."""
        return self.base_url + quote(path, safe="/%:@!$&'()*+,;=~-._")

    def resolve(self, href: str, served_url: str = "/") -> str | None:
        """The canonical path of a link, or None if it leads to another site."""
        return resolve_link(_SESSION.sub("", href), served_url, self.base)

    def page(self, href: str, served_url: str = "/") -> str | None:
        """Like `resolve`, but also None for an address that is not a page to fetch."""
        path = self.resolve(href, served_url)
        if (
            path is None
            or _NOT_PAGES.search(path)
            or (document_kind(path) and not self.documents)
            or self.excluded(path)
            or self.excluded(page_path(path))
        ):
            return None
        return path

    def published_at(self, address: str) -> "CrawledSite":
        """This site, with links to the host of its publication resolved to this host."""
        more = site_base([address], self.base.path).addresses
        return replace(self, base=replace(self.base, addresses=(*self.base.addresses, *more)))


def host_of(url: str) -> str:
    """Scheme and host of an absolute http(s) address, without a login; "" for anything else."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host = parts.netloc.rpartition("@")[2].lower()
    return f"{parts.scheme}://{host}" if parts.scheme in ("http", "https") and host else ""
