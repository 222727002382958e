"""Map fetched addresses to pages, the same ones as in a build of the site."""

from searchsocket.content.pages import RawPage
from searchsocket.sources.base import SourceReport
from searchsocket.sources.crawl.store import Stored
from searchsocket.web.urls.form import Addresses, UrlForm
from searchsocket.web.urls.paths import page_path


class CrawledPages:
    """The pages of one crawl, each once, however many addresses open it."""

    def __init__(self, base: str, form: UrlForm | None, report: SourceReport) -> None:
        """
        Args:
            base: The base path of the site.
            form: The form of the addresses; None = as the host answered.
            report: Takes what is another address of a page.
        """
        self.fetched: set[str] = set()  # addresses, without the base path
        self._base = base
        self._form = form
        self._report = report
        self._bodies: dict[str, str] = {}  # page -> hash of its bytes

    def page(self, stored: Stored) -> RawPage | None:
        """The page of a fetched address; None where it is known already."""
        if stored.url in self.fetched:
            return None  # two addresses may redirect to one
        self.fetched.add(stored.url)
        url = page_path(stored.url)
        if self._bodies.get(url) == stored.body_hash:
            self._report.skipped[stored.url] = f"another address of {url}"
            return None
        # `/wal/` and `/wal.html` may be two pages: then the later one is known by its whole address.
        url = next((one for one in (url, stored.url, f"{url}/index.html") if one not in self._bodies), "")
        if not url:
            self._report.skipped[stored.url] = f"another address of {page_path(stored.url)}"
            return None
        self._bodies[url] = stored.body_hash
        # The hash of the body is the stamp, so that a host without ETags still says what is unchanged.
        return RawPage(url, stored.served_url, stored.url, stored.body_hash, address=self._address(url, stored))

    def _address(self, url: str, stored: Stored) -> str:
        if self._form is not None or url == "/":
            return Addresses(self._form or UrlForm(), self._base).of_served(url, stored.served_url)
        address = self._base + stored.url + ("/" if stored.served_url.endswith("/") else "")
        return "" if address == url else address
