"""Versions of the site: versions stated by pages, copies of pages, and version folders (stage `page_mirror`)."""

import hashlib
import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

from searchsocket.content.pages import ExtractedPage
from searchsocket.errors import InvalidRequest
from searchsocket.state.errors import DamagedRow
from searchsocket.state.file import transaction
from searchsocket.state.sql import IN_SCOPE
from searchsocket.system.json_text import JsonObject
from searchsocket.types import SiteVersion, VersionFamily
from searchsocket.web.urls.paths import canonical_path, page_path
from searchsocket.web.versions.families import VersionPage
from searchsocket.web.versions.placing import AddressedPage, Placed

_INTERNAL = re.compile(r"\]\(/[^)\s]*")  # a link within the site, which differs between versions


def put_version_page(db: sqlite3.Connection, scope: str, page_id: int, page: ExtractedPage) -> None:
    """Store the inputs for finding and comparing the versions of a page."""
    db.execute("DELETE FROM version_pages WHERE page_id = ?", (page_id,))
    if not page.skip:
        db.execute(
            "INSERT INTO version_pages VALUES (?,?,?,?,?,?)",
            (page_id, scope, page.title, page.version, _path_of(page.canonical), text_hash(page)),
        )


def text_hash(page: ExtractedPage) -> str:
    """Return a hash of a page's whole content, except the targets of its links within the site."""
    body = _INTERNAL.sub("](", page.body)
    parts = [page.title, page.description, page.language, page.tags, page.facets, page.weight, body]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def _path_of(canonical: str) -> str:
    """Return the path of a canonical URL in the form of page URLs; "" if it is invalid."""
    try:
        path = urlsplit(canonical).path
        return page_path(canonical_path(path)) if path.startswith("/") else ""
    except (ValueError, InvalidRequest):
        return ""


def labels_of(text: str) -> tuple[str, ...]:
    """Return the labels of a page.

    Raises:
        DamagedRow: The labels are damaged.
    """
    try:
        return tuple(json.loads(text)) if text else ()
    except (ValueError, TypeError) as error:
        raise DamagedRow(f"the stored versions of a page are damaged: {error}") from error


@dataclass(frozen=True, slots=True)
class VersionTable:
    """The versions of a scope's pages."""

    db: sqlite3.Connection
    scope: str

    def is_settled(self, inputs: str) -> bool:
        """Return True if no page changed since `settle` was called with the same inputs."""
        changed = self.db.execute(
            "SELECT 1 FROM pages WHERE scope = ? AND (dirty = 1 OR removed = 1) LIMIT 1", (self.scope,)
        ).fetchone()
        return changed is None and self._stored_versions().get("inputs") == inputs

    def families(self) -> tuple[VersionFamily, ...]:
        """Return the version folders, without the excluded versions."""
        try:
            return tuple(
                VersionFamily(
                    each["parent"], tuple(SiteVersion(**version) for version in each["versions"]), each["default"]
                )
                for each in self._stored_versions().get("families", ())
            )
        except (TypeError, LookupError) as error:
            raise DamagedRow(f"the stored versions of the site are damaged: {error}") from error

    def _stored_versions(self) -> JsonObject:
        (text,) = self.db.execute("SELECT versions FROM scopes WHERE scope = ?", (self.scope,)).fetchone()
        try:
            return dict(json.loads(text)) if text else {}
        except (ValueError, TypeError) as error:
            raise DamagedRow(f"the stored versions of the site are damaged: {error}") from error

    def pages(self) -> Iterator[AddressedPage]:
        """Yield every page with text, copies included, by rising URL."""
        rows = self.db.execute(
            "SELECT url, address, title, stated, canonical, text_hash FROM pages JOIN version_pages ON page_id = id "
            f"WHERE pages.{IN_SCOPE} ORDER BY url",
            (self.scope,),
        )
        for url, address, *facts in rows:
            yield AddressedPage(VersionPage(url, *facts), address)

    def settle(self, inputs: str, families: tuple[VersionFamily, ...], placed: Mapping[str, Placed]) -> None:
        """Store the versions and the place of each page; pages whose place changed become dirty.

        Args:
            inputs: Digest of all other inputs besides the pages.
        """
        rows = self.db.execute(
            f"SELECT id, url, copy_of, labels FROM pages WHERE {IN_SCOPE} "
            "AND (copy_of != '' OR labels != '' OR skip = '')",
            (self.scope,),
        )
        changed = []
        ended: set[str] = set()  # pages that no longer replace another page
        for page_id, url, copy_of, labels in rows:
            now = placed.get(url, Placed(()))
            stored = json.dumps(now.labels, ensure_ascii=False) if now.labels else ""
            if (copy_of, labels) != (now.copy_of, stored):
                changed.append((now.copy_of, stored, page_id))
                if copy_of != now.copy_of:
                    ended.add(copy_of)
        with transaction(self.db):
            self.db.executemany("UPDATE pages SET copy_of = ?, labels = ?, dirty = 1 WHERE id = ?", changed)
            if ended:
                self.db.execute("UPDATE scopes SET page_set_changed = 1 WHERE scope = ?", (self.scope,))
                self.db.executemany(
                    "UPDATE links SET resolved = NULL WHERE scope = ? AND resolved = ?",
                    [(self.scope, url) for url in sorted(ended) if url.startswith("/")],
                )
            text = json.dumps({"inputs": inputs, "families": [asdict(each) for each in families]}, ensure_ascii=False)
            self.db.execute("UPDATE scopes SET versions = ? WHERE scope = ?", (text, self.scope))
