"""Versions of the site: versions stated by pages, copies of pages, and version folders (stage `page_mirror`)."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from searchsocket.state.file import transaction
from searchsocket.state.schema import CHANGE_PAGE_SET, IN_SCOPE, PAGE_SET_CHANGED, DamagedRow, as_text
from searchsocket.system.json_text import JsonObject
from searchsocket.types import SiteVersion, VersionFamily
from searchsocket.web.versions.families import AddressedPage, Placement, VersionPage


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
        """Return True if `settle` was called with the same inputs, and no page changed since in what it depends on."""
        stored = self._stored_versions()
        if stored.get("inputs") != inputs or self.db.execute(PAGE_SET_CHANGED, (self.scope,)).fetchone()[0]:
            return False
        changed = "SELECT 1 FROM pages WHERE scope = ? AND (dirty = 1 OR removed = 1) LIMIT 1"
        return not stored.get("texts", True) or self.db.execute(changed, (self.scope,)).fetchone() is None

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
            "SELECT url, address, title, version, canonical, text_hash FROM pages "
            f"JOIN contents ON contents.id = content_id WHERE {IN_SCOPE} AND skip = '' ORDER BY url",
            (self.scope,),
        )
        for url, address, title, stated, canonical, text_hash in rows:
            yield AddressedPage(VersionPage(url, title, stated, canonical, as_text(text_hash)), address)

    def unmarked(self) -> list[str]:
        """Return the HTML pages without `data-pagefind-body` by rising URL; none if no page of the site has it."""
        pages = f"FROM pages JOIN contents ON contents.id = content_id WHERE {IN_SCOPE} AND skip = ''"
        rows = self.db.execute(
            f"SELECT url {pages} AND kind = 'html' AND NOT is_marked AND EXISTS (SELECT 1 {pages} AND is_marked) "
            "ORDER BY url",
            (self.scope, self.scope),
        )
        return [url for (url,) in rows]

    def settle(
        self,
        inputs: str,
        families: tuple[VersionFamily, ...],
        placements: Mapping[str, Placement],
        *,
        compares_texts: bool,
    ) -> None:
        """Store the versions and the place of each page; pages whose place changed become dirty.

        Args:
            inputs: Digest of all other inputs besides the pages.
            compares_texts: The places depend on the texts of pages too.
        """
        rows = self.db.execute(
            f"SELECT id, url, copy_of, labels FROM pages WHERE {IN_SCOPE} "
            "AND (copy_of != '' OR labels != '' OR skip = '')",
            (self.scope,),
        )
        changed = []
        copies_changed = False
        for page_id, url, copy_of, labels in rows:
            now = placements.get(url, Placement(()))
            stored = json.dumps(now.labels, ensure_ascii=False) if now.labels else ""
            if (copy_of, labels) != (now.copy_of, stored):
                changed.append((now.copy_of, stored, page_id))
                copies_changed |= copy_of != now.copy_of
        with transaction(self.db):
            self.db.executemany("UPDATE pages SET copy_of = ?, labels = ?, dirty = 1 WHERE id = ?", changed)
            if copies_changed or self._stored_versions().get("inputs") != inputs:
                self.db.execute(CHANGE_PAGE_SET, (self.scope,))
            settled = {"inputs": inputs, "families": [asdict(each) for each in families], "texts": compares_texts}
            text = json.dumps(settled, ensure_ascii=False)
            self.db.execute("UPDATE scopes SET versions = ? WHERE scope = ?", (text, self.scope))
