"""State of one scope, open for one stage."""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from searchsocket.content.chunking.records import record_id
from searchsocket.content.html.site_wide import HeadingCount, SiteTitles
from searchsocket.state.chunks import ChunkTable, Published, chunk_key, count_chunks
from searchsocket.state.extracts import Extracts, unpacked_body
from searchsocket.state.file import transaction
from searchsocket.state.history import History
from searchsocket.state.inventory import Inventory, Problems
from searchsocket.state.links import LinkGraph
from searchsocket.state.mirror import MirrorTable
from searchsocket.state.records import TextToEmbed, records_digest, texts_of
from searchsocket.state.schema import (
    EXTRACT_KEY,
    IN_SCOPE,
    KEY_BYTES,
    MIRRORED,
    PAGE_SET_CHANGED,
    SEARCHABLE,
    DamagedRow,
    as_text,
)
from searchsocket.state.versions import VersionTable
from searchsocket.system.this_process import return_freed_memory
from searchsocket.types import Renamed
from searchsocket.web.languages import Alternates, LanguagePage, PageLanguage

_SAMPLE = 256  # pages that decide which scope is nearest

# Pages of this scope and of the origin that are extracted from the same bytes at the same URL.
_FIND_SAME = """
INSERT INTO same SELECT mine.id, theirs.id FROM pages mine
JOIN pages theirs ON theirs.scope = :origin AND theirs.url = mine.url
WHERE mine.scope = :scope AND mine.removed = 0 AND theirs.removed = 0
AND theirs.extract_key = key_of_extract(mine.raw_hash, :how, mine.url, mine.served_url, mine.kind)
"""
_TAKE = (
    # The mirror file contains the page's address and source file; for a content file it may also depend on settings.
    """UPDATE pages SET extract_key = theirs.extract_key, content_id = theirs.content_id, skip = theirs.skip,
    redirect_to = theirs.redirect_to, copy_of = theirs.copy_of, labels = theirs.labels, language = theirs.language,
    original = theirs.original, mirror_digest = theirs.mirror_digest, generated_at = theirs.generated_at,
    route_resolution = theirs.route_resolution,
    dirty = theirs.dirty OR theirs.address != pages.address OR theirs.locator != pages.locator
            OR theirs.kind = 'markdown'
    FROM same JOIN pages theirs ON theirs.id = same.theirs WHERE pages.id = same.mine""",
    "INSERT OR REPLACE INTO problems SELECT mine, part, number, text FROM same JOIN problems ON page_id = theirs "
    "WHERE part = 'page'",
    # Pages with links from pages that only the origin has.
    """UPDATE pages SET dirty = 1 WHERE scope = :scope AND url IN (
        SELECT resolved FROM page_links WHERE page_id IN (
            SELECT id FROM pages WHERE scope = :origin AND id NOT IN (SELECT theirs FROM same)))""",
    "DELETE FROM resolutions WHERE scope = :scope",  # of pages that were all removed
    "INSERT INTO resolutions SELECT :scope, target, resolved FROM resolutions WHERE scope = :origin",
    # Links to pages that only the origin has are looked up again.
    "INSERT OR IGNORE INTO resolutions SELECT :scope, url, url FROM pages "
    "WHERE scope = :origin AND id NOT IN (SELECT theirs FROM same)",
    """UPDATE scopes SET origin = :origin, page_set_changed = 1, routes_digest = theirs.routes_digest,
    site_titles = theirs.site_titles, versions = theirs.versions
    FROM scopes theirs WHERE theirs.scope = :origin AND scopes.scope = :scope""",
)
_FIND_SAME_FILES = f"""
INSERT INTO same SELECT mine.id, theirs.id FROM pages mine
JOIN pages theirs ON theirs.scope = :origin AND theirs.url = mine.url
WHERE mine.{MIRRORED.replace("?", ":scope").replace("AND ", "AND mine.")} AND mine.chunk_key = ''
AND substr(theirs.chunk_key, 1, {KEY_BYTES}) = substr(mine.mirror_digest, 1, {KEY_BYTES})
AND substr(theirs.chunk_key, {KEY_BYTES} + 1) = :how
"""
_TAKE_CHUNKS = (
    "DELETE FROM chunked WHERE page_id IN (SELECT mine FROM same)",  # of a scope that was forgotten in part
    "INSERT INTO chunked SELECT :scope, mine, records_id FROM same JOIN chunked ON page_id = theirs",
    "INSERT OR REPLACE INTO problems SELECT mine, part, number, text FROM same JOIN problems ON page_id = theirs "
    "WHERE part IN ('chunks', 'secrets')",
    "UPDATE pages SET chunk_key = theirs.chunk_key FROM same JOIN pages theirs ON theirs.id = same.theirs "
    "WHERE pages.id = same.mine",
)
_TITLED = "FROM pages JOIN contents ON contents.id = content_id WHERE scope = ? AND skip = '' AND head_title != ''"


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
        scopes, a published one is used, then the first by name. Copied are extracts, resolutions of links, problems
        and the digests of correct mirror files; pages whose file may have to differ are dirty. The origin may change or
        be deleted afterwards.

        Args:
            how: See `extract_key`.

        Returns:
            The number of copied pages.
        """
        if (origin := self._nearest(how)) is None:
            return 0
        return self._take((_FIND_SAME, *_TAKE), {"scope": self.scope, "origin": origin, "how": how})

    def take_chunks(self, how: str) -> int:
        """Copy the origin's chunks for pages with equal mirror files that have no chunks yet.

        Args:
            how: See `chunk_key`.

        Returns:
            The number of chunks.
        """
        before = count_chunks(self.db, self.scope).chunks
        values = {"scope": self.scope, "origin": self.name(), "how": chunk_key("", how)}
        self._take((_FIND_SAME_FILES, *_TAKE_CHUNKS), values)
        return count_chunks(self.db, self.scope).chunks - before

    def _take(self, statements: Sequence[str], values: Mapping[str, object]) -> int:
        """Fill the table `same` by the first statement and use it in the others; return the number of its rows."""
        self.db.execute("CREATE TEMP TABLE same (mine INTEGER PRIMARY KEY, theirs INTEGER NOT NULL UNIQUE)")
        try:
            with transaction(self.db):
                count, *_ = [self.db.execute(statement, values).rowcount for statement in statements]
                return count
        finally:
            self.db.execute("DROP TABLE same")

    def _nearest(self, how: str) -> str | None:
        extracted = f"SELECT 1 FROM pages WHERE {IN_SCOPE} AND extract_key != '' LIMIT 1"
        if self.db.execute(extracted, (self.scope,)).fetchone():
            return None
        sample = self.db.execute(
            f"SELECT {EXTRACT_KEY}, url FROM pages WHERE {IN_SCOPE} ORDER BY raw_hash LIMIT ?",
            (how, self.scope, _SAMPLE),
        ).fetchall()
        same: dict[str, int] = {}
        for page in sample:
            for (scope,) in self.db.execute(
                "SELECT scope FROM pages WHERE extract_key = ? AND url = ? AND removed = 0", page
            ):
                same[scope] = same.get(scope, 0) + 1
        published = {scope for (scope,) in self.db.execute("SELECT scope FROM scopes WHERE published != ''")}
        best = min(same, key=lambda scope: (-same[scope], scope not in published, scope), default=None)
        return best if best is not None and same[best] * 2 >= len(sample) else None

    def records(self, size: int) -> Iterator[list[Renamed]]:
        """Yield the ids of every chunk here and in the origin, by page, in batches of at least that size.

        Raises:
            DamagedRow: A chunk changed after it was written.
        """
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

    def new_texts(self) -> Iterator[TextToEmbed]:
        """Yield the distinct texts of pages that the origin does not contain with the same chunks, by rising hash.

        Raises:
            DamagedRow: A hash or a number of tokens is invalid.
        """
        return texts_of(
            self.db,
            "chunked JOIN chunks ON chunks.records_id = chunked.records_id WHERE chunked.scope = ? AND NOT EXISTS "
            "(SELECT 1 FROM chunked theirs WHERE theirs.records_id = chunked.records_id AND theirs.scope = ?)",
            *(self.scope, self.name()),
        )

    def forget(self) -> None:
        """Clear the origin, since the scope has its own index now."""
        self.db.execute("UPDATE scopes SET origin = '' WHERE scope = ?", (self.scope,))


@dataclass(frozen=True, slots=True)
class LanguageTable:
    """The languages of a scope's pages."""

    db: sqlite3.Connection
    scope: str

    def is_settled(self) -> bool:
        """Return True if the set of pages did not change since the last run."""
        return not self.db.execute(PAGE_SET_CHANGED, (self.scope,)).fetchone()[0]

    def pages(self) -> list[LanguagePage]:
        """Return every searchable page, by rising URL."""
        rows = self.db.execute(
            "SELECT url, contents.language, hreflang, hreflang_group, is_default FROM pages "
            f"JOIN contents ON contents.id = content_id WHERE {IN_SCOPE} AND skip = '' AND copy_of = '' ORDER BY url",
            (self.scope,),
        )
        return [
            LanguagePage(url, stated, Alternates(language, group, bool(is_default)))
            for url, stated, language, group, is_default in rows
        ]

    def settle(self, languages: Mapping[str, PageLanguage]) -> None:
        """Store the language and the original of each page; pages for which one changed become dirty."""
        rows = self.db.execute(
            f"SELECT id, url, language, original FROM pages WHERE {IN_SCOPE} AND (language != '' OR original != '' "
            "OR (skip = '' AND copy_of = ''))",
            (self.scope,),
        )
        changed = [
            (*now, page_id)
            for page_id, url, *before in rows
            if (now := languages.get(url, PageLanguage(""))) != tuple(before)
        ]
        with transaction(self.db):
            self.db.executemany("UPDATE pages SET language = ?, original = ?, dirty = 1 WHERE id = ?", changed)


@dataclass(frozen=True, slots=True)
class Titles:
    """The h1s, `<title>`s and navigation that pages of a scope share, without skipped and deleted pages."""

    db: sqlite3.Connection
    scope: str

    def settled(self) -> SiteTitles | None:
        """Return the shared parts as stored; None if the set of pages changed since."""
        sql = "SELECT site_titles, page_set_changed FROM scopes WHERE scope = ?"
        text, is_changed = self.db.execute(sql, (self.scope,)).fetchone()
        return None if is_changed or not text else _site_titles(text)[0]

    def common(self, min_pages: int) -> list[HeadingCount]:
        """Return the h1s of at least so many pages, in no order."""
        rows = self.db.execute(
            f"SELECT heading, COUNT(*), COUNT(DISTINCT head_title) {_TITLED} AND heading != '' "
            "GROUP BY heading HAVING COUNT(*) >= ?",
            (self.scope, min_pages),
        )
        return [HeadingCount(*row) for row in rows]

    def head_titles(self) -> Iterator[str]:
        """Yield the `<title>` of every page that has one, in no order."""
        for (title,) in self.db.execute(f"SELECT head_title {_TITLED}", (self.scope,)):
            yield title

    def sample(self, pages: int) -> Iterator[tuple[str, str]]:
        """Yield the language and the body of some HTML pages from all parts of the site.

        An unchanged site gives the same sample.

        Args:
            pages: Their number in each language at most.

        Raises:
            DamagedRow: A body is damaged.
        """
        rows = self.db.execute(
            "SELECT language, body FROM (SELECT content_id, language, ROW_NUMBER() OVER "
            "(PARTITION BY language ORDER BY raw_hash, url) AS number FROM (SELECT content_id, raw_hash, url, "
            "CASE WHEN contents.language != '' THEN contents.language ELSE pages.language END AS language "
            f"FROM pages JOIN contents ON contents.id = content_id WHERE {SEARCHABLE} AND kind = 'html')) "
            "JOIN bodies ON bodies.id = content_id WHERE number <= ?",
            (self.scope, pages),
        )
        return ((language, unpacked_body(body)) for language, body in rows)

    def set_site(self, titles: SiteTitles, navigation: str) -> None:
        """Store the shared parts of pages, and mark the pages dirty that they may change.

        Args:
            navigation: Digest of the links that nearly all pages of each language have.
        """
        (text,) = self.db.execute("SELECT site_titles FROM scopes WHERE scope = ?", (self.scope,)).fetchone()
        now = json.dumps([sorted(titles.headings), titles.start, titles.end, navigation])
        if text == now:
            return
        before, navigation_before = _site_titles(text)
        changed = before.headings ^ titles.headings
        with transaction(self.db):
            if (before.start, before.end, navigation_before) != (titles.start, titles.end, navigation):
                self.db.execute("UPDATE pages SET dirty = 1 WHERE scope = ?", (self.scope,))
            self.db.executemany(
                f"UPDATE pages SET dirty = 1 WHERE id IN (SELECT pages.id {_TITLED} AND heading = ? AND heading != '')",
                [(self.scope, heading) for heading in sorted(changed)],
            )
            self.db.execute("UPDATE scopes SET site_titles = ? WHERE scope = ?", (now, self.scope))


def _site_titles(text: str) -> tuple[SiteTitles, str]:
    if not text:
        return SiteTitles(), ""
    try:
        headings, start, end, *navigation = json.loads(text)
        return SiteTitles(frozenset(headings), start, end), "".join(navigation)
    except (ValueError, TypeError) as error:
        raise DamagedRow(f"the stored titles of the site are damaged: {error}") from error


@dataclass(frozen=True, slots=True)
class ScopeState:
    """State of one scope, open for one stage, with one part per subject.

    Numbers of pages and positions of chunks are internal: they are valid only in this scope and while it is open.
    Iterators read while they are consumed; do not write in between unless their docstring allows it.
    """

    db: sqlite3.Connection
    pages: Inventory
    extracts: Extracts
    links: LinkGraph
    titles: Titles
    versions: VersionTable
    languages: LanguageTable
    mirror: MirrorTable
    chunks: ChunkTable
    problems: Problems
    published: Published
    history: History
    origin: Origin

    def transaction(self) -> AbstractContextManager[None]:
        """Write atomically; a nested transaction joins the outer one."""
        return transaction(self.db)

    def release_memory(self) -> None:
        """Free the page cache of SQLite."""
        self.db.execute("PRAGMA shrink_memory")
        return_freed_memory()


def begin(db: sqlite3.Connection, scope: str) -> ScopeState:
    """Open the parts of a scope and create its row if it is missing."""
    db.execute("INSERT OR IGNORE INTO scopes (scope) VALUES (?)", (scope,))
    return ScopeState(
        db,
        Inventory(db, scope),
        Extracts(db, scope),
        LinkGraph(db, scope),
        Titles(db, scope),
        VersionTable(db, scope),
        LanguageTable(db, scope),
        MirrorTable(db, scope),
        ChunkTable(db, scope),
        Problems(db, scope),
        Published(db, scope),
        History(db, scope),
        Origin(db, scope),
    )
