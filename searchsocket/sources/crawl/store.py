"""Fetched bodies on disk, so that later stages in other processes read the same bytes."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from searchsocket.errors import SourceUnavailable
from searchsocket.system.files import write_atomic
from searchsocket.types import PageKind

DOCUMENT_TYPES: Mapping[str, PageKind] = {
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.oasis.opendocument.text": "odt",
}


@dataclass(frozen=True, slots=True)
class Stored:
    """Stored facts of a fetched page."""

    url: str
    served_url: str
    body_hash: str
    etag: str = ""
    last_modified: str = ""
    content_type: str = ""

    @property
    def kind(self) -> PageKind:
        if self.content_type.startswith("text/markdown"):
            return "markdown"
        return DOCUMENT_TYPES.get(self.content_type.partition(";")[0].strip().lower(), "html")


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
            stored = Stored(**json.loads(meta.read_text(encoding="utf-8")))
            if hashlib.sha256(body.read_bytes()).hexdigest() != stored.body_hash:
                return None
        except (OSError, ValueError, TypeError):
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
            if path.name not in names:
                path.unlink(missing_ok=True)

    def _paths(self, url: str) -> tuple[Path, Path]:
        name = hashlib.sha256(f"{self._address}{url}".encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / f"{name}.json", self._folder / f"{name}.html"
