"""Pages that the source lists, with stamps that show a change (stage `site_pages`), and lasting problems of pages."""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Literal, NamedTuple

from searchsocket.content.pages import RawPage
from searchsocket.state.file import transaction
from searchsocket.state.schema import CHANGE_PAGE_SET, IN_SCOPE, as_stored, as_text, marks
from searchsocket.web.urls.form import UrlForm, url_form_of

ProblemPart = Literal["page", "chunks", "secrets"]


class PageEntry(NamedTuple):
    """Address, stamp and hash of a page at its last listing."""

    locator: str
    served_url: str
    address: str
    stamp: str
    raw_hash: str
    removed: bool


class ListedFile(NamedTuple):
    """Stamp and hash of a page's bytes at the last run."""

    locator: str
    stamp: str
    raw_hash: str
    is_cut: bool  # a stage has read these bytes since


class PageSize(NamedTuple):
    """A page by the size of its source."""

    url: str
    bytes: int
    locator: str


_UNSEEN = f"{IN_SCOPE} AND url NOT IN (SELECT url FROM seen)"


@dataclass(frozen=True, slots=True)
class Inventory:
    """The pages of a scope as its source lists them."""

    db: sqlite3.Connection
    scope: str

    def see(self, urls: Sequence[str]) -> dict[str, PageEntry]:
        """Mark pages as listed in this run and return the previous listing of each, removed pages included."""
        self._begin_seen()
        self.db.executemany("INSERT OR IGNORE INTO seen (url) VALUES (?)", ((url,) for url in urls))
        rows = self.db.execute(
            "SELECT url, locator, served_url, address, stamp, raw_hash, removed FROM pages "
            f"WHERE scope = ? AND url IN ({marks(len(urls))})",
            (self.scope, *urls),
        )
        return {
            url: PageEntry(locator, served_url, address, stamp, as_text(raw_hash), bool(removed))
            for url, locator, served_url, address, stamp, raw_hash, removed in rows
        }

    def put(self, page: RawPage, raw_hash: str, size: int, before: PageEntry | None) -> None:
        """Store the listing of a new or changed page.

        Args:
            size: Number of its bytes.
            before: The result of `see` for it.
        """
        self.db.execute(
            "INSERT INTO pages (scope, url, served_url, locator, address, kind, stamp, raw_hash, bytes) "
            "VALUES (?,?,?,?,?,?,?,?,?) "
            "ON CONFLICT (scope, url) DO UPDATE SET served_url = excluded.served_url, locator = excluded.locator, "
            "address = excluded.address, kind = excluded.kind, stamp = excluded.stamp, bytes = excluded.bytes, "
            "removed = 0, dirty = CASE WHEN removed OR locator != excluded.locator OR address != excluded.address "
            "THEN 1 ELSE dirty END, "
            "raw_hash = excluded.raw_hash",
            (
                *(self.scope, page.url, page.served_url, page.locator, page.address, page.kind, page.stamp),
                *(as_stored(raw_hash), size),
            ),
        )
        if before is not None and (before.removed or (before.address, before.locator) != (page.address, page.locator)):
            self._page_set_changed()

    def count(self) -> int:
        """Count the known pages."""
        return int(self.db.execute(f"SELECT COUNT(*) FROM pages WHERE {IN_SCOPE}", (self.scope,)).fetchone()[0])

    def count_unseen(self) -> int:
        """Count the known pages that were not listed since the state was opened."""
        self._begin_seen()
        return int(self.db.execute(f"SELECT COUNT(*) FROM pages WHERE {_UNSEEN}", (self.scope,)).fetchone()[0])

    def remove_unseen(self) -> None:
        """Mark the pages of `count_unseen` as removed."""
        self._begin_seen()
        with transaction(self.db):
            self.db.execute(f"UPDATE pages SET removed = 1 WHERE {_UNSEEN}", (self.scope,))
            self._page_set_changed()

    def url_form(self) -> UrlForm | None:
        """Return the form of the addresses in the last run; None if it is unknown."""
        (text,) = self.db.execute("SELECT url_form FROM scopes WHERE scope = ?", (self.scope,)).fetchone()
        return url_form_of(text)

    def set_url_form(self, form: UrlForm) -> None:
        """Store the form of the addresses."""
        text = json.dumps(asdict(form))
        self.db.execute("UPDATE scopes SET url_form = ? WHERE scope = ?", (text, self.scope))

    def set_branch(self, branch: str) -> None:
        """Store the branch that the scope is named after."""
        self.db.execute("UPDATE scopes SET branch = ? WHERE scope = ?", (branch, self.scope))

    def set_complete(self) -> None:
        """Record that every page of the site is known: from now on a missing page is a removed one."""
        self.db.execute("UPDATE scopes SET authoritative = 1 WHERE scope = ?", (self.scope,))

    def listed(self) -> dict[str, ListedFile]:
        """Return the known pages of a scope by rising URL."""
        rows = self.db.execute(
            f"SELECT url, locator, stamp, raw_hash, extract_key != '' FROM pages WHERE {IN_SCOPE} ORDER BY url",
            (self.scope,),
        )
        return {
            url: ListedFile(locator, stamp, as_text(raw), bool(is_cut)) for url, locator, stamp, raw, is_cut in rows
        }

    def hashes(self) -> Iterator[tuple[str, str]]:
        """Yield (URL, hash of the bytes) of every known page, by rising URL."""
        rows = self.db.execute(f"SELECT url, raw_hash FROM pages WHERE {IN_SCOPE} ORDER BY url", (self.scope,))
        return ((url, as_text(raw_hash)) for url, raw_hash in rows)

    def biggest(self, limit: int) -> list[PageSize]:
        """Return the known pages with most bytes, by falling size; equal ones by rising URL."""
        rows = self.db.execute(
            f"SELECT url, bytes, locator FROM pages WHERE {IN_SCOPE} ORDER BY bytes DESC, url LIMIT ?",
            (self.scope, limit),
        )
        return [PageSize(*row) for row in rows]

    def _begin_seen(self) -> None:
        # SQLite moves it to the disk if it is large.
        self.db.execute("CREATE TEMP TABLE IF NOT EXISTS seen (url TEXT PRIMARY KEY) WITHOUT ROWID")

    def _page_set_changed(self) -> None:
        self.db.execute(CHANGE_PAGE_SET, (self.scope,))


class Problem(NamedTuple):
    """One problem of one page."""

    url: str
    text: str


# Not a plain join: pages are many, problems few.
_OF_SCOPE = f"FROM problems CROSS JOIN pages ON id = page_id WHERE {IN_SCOPE} AND part = ?"


@dataclass(frozen=True, slots=True)
class Problems:
    """The problems of a scope's known pages; problems of chunks are deleted with the chunks."""

    db: sqlite3.Connection
    scope: str

    def replace(self, page_id: int, part: ProblemPart, texts: Sequence[str]) -> None:
        """Replace the problems of one part of a page; usually by an empty list."""
        self.db.execute("DELETE FROM problems WHERE page_id = ? AND part = ?", (page_id, part))
        self.db.executemany(
            "INSERT INTO problems (page_id, part, number, text) VALUES (?,?,?,?)",
            [(page_id, part, number, text) for number, text in enumerate(texts)],
        )

    def count(self, part: ProblemPart) -> int:
        """Return the number of problems."""
        return int(self.db.execute(f"SELECT COUNT(*) {_OF_SCOPE}", (self.scope, part)).fetchone()[0])

    def first(self, part: ProblemPart, limit: int) -> list[Problem]:
        """Return some problems, by rising URL; those of one page in the order of their detection."""
        rows = self.db.execute(f"SELECT url, text {_OF_SCOPE} ORDER BY url, number LIMIT ?", (self.scope, part, limit))
        return [Problem(*row) for row in rows]
