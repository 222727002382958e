"""URL of the crawled site, and the decision which addresses are pages."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from searchsocket.content.pages import document_kind
from searchsocket.web.urls.paths import canonical_path, page_path, without_query
from searchsocket.web.urls.resolve import LinkedAddress, SiteBase, linked_address, site_base

_PARAMETERS = re.compile(r";[^/?]*")  # of a path segment: the page is the same without them
_SESSION = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?#;]*", re.IGNORECASE)  # gives one page endless addresses
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

    def url(self, address: str) -> str:
        """The URL to fetch for the `address` of a `LinkedAddress`."""
        return self.base_url + address

    def path_on_host(self, address: str) -> str:
        """The path on the crawled host of the `address` of a `LinkedAddress`; links on it resolve against this."""
        return self.base.path + address

    def resolve(self, href: str, page: str = "") -> LinkedAddress | None:
        """The target of a link, or None if it leads to another site.

        Args:
            page: Path on the host of the page with the link; "" = the root of the site.
        """
        linked = linked_address(_SESSION.sub("", href), page or self.path_on_host("/"), self.base)
        if linked is None or ";" not in linked.address:
            return linked
        return LinkedAddress(canonical_path(without_query(_PARAMETERS.sub("", linked.address))), linked.address)

    def page(self, href: str, page: str = "") -> LinkedAddress | None:
        """Like `resolve`, but also None for an address that is not a page to fetch."""
        linked = self.resolve(href, page)
        if linked is None:
            return None
        path = linked.path
        if (
            _NOT_PAGES.search(path)
            or (document_kind(path) and not self.documents)
            or self.excluded(path)
            or self.excluded(page_path(path))
        ):
            return None
        return linked

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
