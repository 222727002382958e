"""Fetched bodies on disk, so that later stages in other processes read the same bytes."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from searchsocket.errors import SourceUnavailable
from searchsocket.system.files import write_atomic
from searchsocket.types import PageKind

SITEMAPS_FILE = "sitemaps.json"
DOCUMENT_TYPES: Mapping[str, PageKind] = {
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.oasis.opendocument.text": "odt",
}


@dataclass(frozen=True, slots=True)
class Stored:
    """Stored facts of a fetched page."""

    url: str  # canonical path, and `%3F` with the query that selects the page
    served_url: str
    address: str  # address that answered, see `LinkedAddress`; with a query only if that selects the page
    body_hash: str
    etag: str = ""
    last_modified: str = ""
    content_type: str = ""
    robots_tags: tuple[str, ...] = ()  # see `Response`

    @property
    def has_query(self) -> bool:
        return "?" in self.address

    @property
    def kind(self) -> PageKind:
        if self.content_type.startswith("text/markdown"):
            return "markdown"
        return DOCUMENT_TYPES.get(self.content_type.partition(";")[0].strip().lower(), "html")


LATELY_DAYS = 7
_MAX_SITEMAPS = 10_000


class ReadSitemaps:
    """When each sitemap was last read, in a file of the store's folder."""

    def __init__(self, folder: Path, now_s: float) -> None:
        """
        Args:
            now_s: Seconds since 1970.
        """
        self._file = folder / SITEMAPS_FILE
        self._now_s = now_s

    def were_read_lately(self, urls: Iterable[str]) -> bool:
        """Return True if an earlier crawl of the last seven days read one of them."""
        times = self._times()
        return any(self._now_s - times.get(url, 0.0) < LATELY_DAYS * 86_400 for url in urls)

    def add(self, urls: Iterable[str]) -> None:
        """Remember that these were read now; forget those that were not read for seven days."""
        since = self._now_s - LATELY_DAYS * 86_400
        times = {url: time for url, time in self._times().items() if time > since}
        times |= dict.fromkeys(urls, self._now_s)
        newest = sorted(times.items(), key=lambda item: (-item[1], item[0]))[:_MAX_SITEMAPS]
        if newest or self._file.exists():
            write_atomic(self._file, json.dumps(dict(newest)).encode("utf-8"), durable=False)

    def _times(self) -> dict[str, float]:
        try:
            times = json.loads(self._file.read_text(encoding="utf-8"))
            return {str(url): float(time) for url, time in times.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}  # missing or damaged: as if no crawl was before


class BodyStore:
    """One folder per scope, with `<hash of address and url>.html` and `.json` per page."""

    def __init__(self, folder: Path, address: str) -> None:
        """
        Args:
            address: The root of the crawled site; validators of one host do not apply to another.
        """
        self._folder = folder
        self._address = address

    def get(self, url: str) -> Stored | None:
        """The entry of an earlier crawl, if its body is still complete."""
        meta, body = self._paths(url)
        try:
            facts = json.loads(meta.read_text(encoding="utf-8"))
            stored = Stored(**{**facts, "robots_tags": tuple(facts["robots_tags"])})
            if hashlib.sha256(body.read_bytes()).hexdigest() != stored.body_hash:
                return None
        except (OSError, ValueError, TypeError, KeyError):
            return None  # missing, incomplete or of another format: fetched again
        return stored

    def put(self, stored: Stored, body: bytes) -> None:
        meta, path = self._paths(stored.url)
        write_atomic(path, body, durable=False)
        write_atomic(meta, json.dumps(asdict(stored)).encode("utf-8"), durable=False)

    def read(self, url: str) -> bytes:
        try:
            return self._paths(url)[1].read_bytes()
        except OSError as error:
            raise SourceUnavailable(f"the fetched copy of {url} is missing: {error.strerror}; crawl again") from error

    def keep_only(self, urls: set[str]) -> None:
        """Delete the bodies of pages that a complete crawl no longer found, and leftovers of interrupted writes."""
        names = {path.name for url in urls for path in self._paths(url)}
        for path in self._folder.glob("*") if self._folder.is_dir() else ():
            if path.name not in names and path.name != SITEMAPS_FILE:
                path.unlink(missing_ok=True)

    def _paths(self, url: str) -> tuple[Path, Path]:
        name = hashlib.sha256(f"{self._address}{url}".encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / f"{name}.json", self._folder / f"{name}.html"
