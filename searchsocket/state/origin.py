"""Start a new scope from the scope with the most similar pages (stages `page_mirror` to `search_index`).

A branch shares nearly all its pages with another branch. The new scope starts with a copy of that state, and the stages
process only the differences, as after an edit.
"""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from searchsocket.content.chunking.records import record_id
from searchsocket.state.chunk_ids import OF_SCOPE, compute_ids
from searchsocket.state.errors import DamagedRow
from searchsocket.state.file import transaction
from searchsocket.state.page_records import records_digest
from searchsocket.state.sql import IN_SCOPE, MIRRORED, as_text
from searchsocket.system.batches import batches
from searchsocket.types import Renamed

_SAMPLE = 256  # pages that decide which scope is nearest

# Pages of this scope and of the origin that are extracted from the same bytes at the same URL.
_FIND_SAME = """
INSERT INTO same SELECT mine.id, theirs.id FROM pages mine
JOIN pages theirs ON theirs.scope = :origin AND theirs.url = mine.url
WHERE mine.scope = :scope AND mine.removed = 0 AND theirs.removed = 0 AND theirs.served_url = mine.served_url
AND theirs.kind = mine.kind AND theirs.extract_key = mine.raw_hash || ':' || :how
"""
_TAKE = (
    # The mirror file contains the page's address and source file; for a content file it may also depend on settings.
    """UPDATE pages SET extract_key = theirs.extract_key, skip = theirs.skip, redirect_to = theirs.redirect_to,
    copy_of = theirs.copy_of, labels = theirs.labels, language = theirs.language, original = theirs.original,
    mirror_digest = theirs.mirror_digest, generated_at = theirs.generated_at,
    route_resolution = theirs.route_resolution,
    dirty = theirs.dirty OR theirs.address != pages.address OR theirs.locator != pages.locator
            OR theirs.kind = 'markdown'
    FROM same JOIN pages theirs ON theirs.id = same.theirs WHERE pages.id = same.mine""",
    "INSERT INTO contents SELECT mine, body_id FROM same JOIN contents ON page_id = theirs",
    "INSERT INTO titles SELECT mine, :scope, heading, head_title FROM same JOIN titles ON page_id = theirs",
    "INSERT INTO version_pages SELECT mine, :scope, title, stated, canonical, text_hash FROM same "
    "JOIN version_pages ON page_id = theirs",
    "INSERT INTO language_pages SELECT mine, :scope, stated, hreflang, hreflang_group, is_default FROM same "
    "JOIN language_pages ON page_id = theirs",
    "INSERT INTO problems SELECT mine, part, number, text FROM same JOIN problems ON page_id = theirs "
    "WHERE part = 'page'",
    "INSERT INTO links SELECT mine, :scope, target, text, resolved FROM same "
    "CROSS JOIN links ON links.page_id = theirs ORDER BY mine, links.rowid",
    # Pages with links from pages that only the origin has.
    """UPDATE pages SET dirty = 1 WHERE scope = :scope AND url IN (
        SELECT resolved FROM links WHERE resolved != '' AND page_id IN (
            SELECT id FROM pages WHERE scope = :origin AND id NOT IN (SELECT theirs FROM same)))""",
    """UPDATE scopes SET origin = :origin, page_set_changed = 0, routes_digest = theirs.routes_digest,
    site_titles = theirs.site_titles, versions = theirs.versions
    FROM scopes theirs WHERE theirs.scope = :origin AND scopes.scope = :scope""",
)
_SAME_CHUNKS = (
    f"SELECT mine.id, theirs.id, theirs.chunk_key FROM pages mine JOIN pages theirs "
    "ON theirs.scope = :origin AND theirs.url = mine.url AND theirs.chunk_key = mine.mirror_digest || ':' || :how "
    f"WHERE mine.{MIRRORED.replace('?', ':scope').replace('AND ', 'AND mine.')} AND mine.chunk_key = '' "
    "ORDER BY mine.url"
)


@dataclass(frozen=True, slots=True)
class Origin:
    """The scope that a new scope starts from, until the new one is published."""

    db: sqlite3.Connection
    scope: str

    def name(self) -> str:
        """Return the name of the origin; "" = the scope has no origin, or is published."""
        return str(self.db.execute("SELECT origin FROM scopes WHERE scope = ?", (self.scope,)).fetchone()[0])

    def take_pages(self, how: str) -> int:
        """In an empty scope, find the nearest scope and copy its content of identical pages.

        The nearest scope extracted most pages of a sample from the same bytes, and at least half of them. Of equal
        scopes, a published one is used, then the first by name. Copied are extracts, resolved links, titles, problems
        and the digests of correct mirror files; pages whose file may have to differ are dirty. The origin may change or
        be deleted afterwards.

        Args:
            how: See `extract_key`.

        Returns:
            The number of copied pages.
        """
        if (origin := self._nearest(how)) is None:
            return 0
        values = {"scope": self.scope, "origin": origin, "how": how}
        self.db.execute("CREATE TEMP TABLE same (mine INTEGER PRIMARY KEY, theirs INTEGER NOT NULL UNIQUE)")
        try:
            with transaction(self.db):
                count = self.db.execute(_FIND_SAME, values).rowcount
                for statement in _TAKE:
                    self.db.execute(statement, values)
        finally:
            self.db.execute("DROP TABLE same")
        return count

    def _nearest(self, how: str) -> str | None:
        extracted = f"SELECT 1 FROM pages WHERE {IN_SCOPE} AND extract_key != '' LIMIT 1"
        if self.db.execute(extracted, (self.scope,)).fetchone():
            return None
        sample = self.db.execute(
            f"SELECT raw_hash || ':' || ?, url, served_url, kind FROM pages WHERE {IN_SCOPE} ORDER BY raw_hash LIMIT ?",
            (how, self.scope, _SAMPLE),
        ).fetchall()
        same: dict[str, int] = {}
        for page in sample:
            for (scope,) in self.db.execute(
                "SELECT scope FROM pages WHERE extract_key = ? AND url = ? AND served_url = ? AND kind = ? "
                "AND removed = 0",
                page,
            ):
                same[scope] = same.get(scope, 0) + 1
        published = {scope for (scope,) in self.db.execute("SELECT scope FROM scopes WHERE published != ''")}
        best = min(same, key=lambda scope: (-same[scope], scope not in published, scope), default=None)
        return best if best is not None and same[best] * 2 >= len(sample) else None

    def take_chunks(self, how: str, size: int) -> Iterator[int]:
        """Copy the origin's chunks for pages with equal mirror files that have no chunks yet.

        Args:
            how: See `chunk_key`.
            size: Pages per batch; each batch is one transaction.

        Yields:
            The number of chunks of each batch.
        """
        values = {"scope": self.scope, "origin": self.name(), "how": how}
        pages = self.db.execute(_SAME_CHUNKS, values).fetchall()
        for batch in batches(pages, size):
            with transaction(self.db):
                count = sum(self._take_chunks(*page) for page in batch)
            yield count

    def _take_chunks(self, mine: int, theirs: int, key: str) -> int:
        row = self.db.execute(
            "SELECT chunk_key, records_id, chunks FROM pages LEFT JOIN chunked ON page_id = pages.id "
            "LEFT JOIN page_cuts ON page_cuts.id = records_id WHERE pages.id = ?",
            (theirs,),
        ).fetchone()
        if row is None or row[0] != key:
            return 0  # changed or deleted since the query
        _, records_id, chunks = row
        if records_id is not None:
            self.db.execute("INSERT INTO chunked VALUES (?,?,?)", (self.scope, mine, records_id))
        self.db.execute(
            "INSERT INTO problems SELECT ?, part, number, text FROM problems "
            "WHERE page_id = ? AND part IN ('chunks', 'secrets')",
            (mine, theirs),
        )
        self.db.execute("UPDATE pages SET chunk_key = ? WHERE id = ?", (key, mine))
        return chunks or 0

    def records(self, size: int) -> Iterator[list[Renamed]]:
        """Yield the ids of every chunk here and in the origin, by page, in batches of at least that size.

        Raises:
            DamagedRow: A chunk changed after it was written.
        """
        compute_ids(self.db, self.scope, OF_SCOPE)
        renamed: list[Renamed] = []
        origin = self.name()
        for records_id, url, digest, is_shared in self.db.execute(
            "SELECT records_id, url, records_digest, EXISTS "
            "(SELECT 1 FROM chunked theirs WHERE theirs.records_id = chunked.records_id AND theirs.scope = ?) "
            "FROM chunked JOIN page_cuts ON page_cuts.id = records_id WHERE scope = ? ORDER BY page_id",
            (origin, self.scope),
        ):
            rows = self.db.execute(
                "SELECT key, record_hash FROM chunks WHERE records_id = ? ORDER BY line", (records_id,)
            )
            names = [(key, as_text(record_hash)) for key, record_hash in rows]
            if records_digest(names) != as_text(digest):
                raise DamagedRow(f"the chunks of {url!r} changed after they were written")
            renamed += [
                Renamed(record_id(self.scope, url, key), hash_, record_id(origin, url, key) if is_shared else "")
                for key, hash_ in names
            ]
            if len(renamed) >= size:
                yield renamed
                renamed = []
        if renamed:
            yield renamed

    def forget(self) -> None:
        """Clear the origin, since the scope has its own index now."""
        self.db.execute("UPDATE scopes SET origin = '' WHERE scope = ?", (self.scope,))
