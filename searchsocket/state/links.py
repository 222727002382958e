"""Links between pages, resolved to the pages they lead to (stage `page_mirror`)."""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from searchsocket.state.schema import IN_SCOPE, PAGE_SET_CHANGED, SEARCHABLE


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """The links between one page and others; a page's links to itself do not count."""

    incoming: int  # distinct pages that link here
    outgoing: int  # distinct pages that this one links to
    texts: Sequence[str]  # of incoming links, once per page and text, by rising text; at most a limit


class LinkToNowhere(NamedTuple):
    """A link within the site that leads to no page that is searched."""

    target: str
    page: str  # URL of the page with the link


# Targets of changed pages that are not known to lead to a page.
_NEW = f"""SELECT target, NULL FROM
    (SELECT DISTINCT target FROM pages JOIN links USING (content_id) WHERE scope = ? AND dirty = 1) AS new
    WHERE NOT EXISTS (SELECT 1 FROM resolutions WHERE scope = ? AND target = new.target)
    AND NOT EXISTS (SELECT 1 FROM pages WHERE {SEARCHABLE} AND url = new.target)"""
# Pages that links may have led to while they were searchable.
_LOST = """SELECT url, url FROM pages WHERE scope = ? AND (removed = 1 OR skip != '' OR copy_of != '')
    AND EXISTS (SELECT 1 FROM links WHERE target = url)
    AND NOT EXISTS (SELECT 1 FROM resolutions WHERE scope = pages.scope AND target = url)"""
# Links by their target: those of all scopes, but contents are shared. SQLite would read every page of the scope.
_BY_TARGET = "links CROSS JOIN pages USING (content_id)"
_UNUSED = f"""scope = ? AND NOT EXISTS (SELECT 1 FROM {_BY_TARGET}
    WHERE pages.scope = resolutions.scope AND links.target = resolutions.target)"""
_INCOMING = f"""FROM {_BY_TARGET} WHERE scope = ?1 AND id != ?3 AND copy_of = ''
    AND target IN (SELECT ?2 UNION ALL SELECT target FROM resolutions WHERE scope = ?1 AND resolved = ?2)"""


def mark_linked_dirty(db: sqlite3.Connection, page_id: int, scope: str) -> None:
    """Mark the targets of a page's links as dirty: their link counts may change."""
    db.execute(
        "UPDATE pages SET dirty = 1 WHERE scope = ? AND dirty = 0 AND url IN "
        "(SELECT resolved FROM page_links WHERE page_id = ?)",
        (scope, page_id),
    )


@dataclass(frozen=True, slots=True)
class LinkGraph:
    """The links of a scope's pages; a target leads to the URL of a searchable page, or to none."""

    db: sqlite3.Connection
    scope: str

    def open_targets(self) -> dict[str, str | None]:
        """Return the targets to look up with the page that each led to; "" = no page, None = it was not looked up.

        Those are targets of changed pages and, if pages were added or removed, all that may lead to another page now.
        """
        targets: dict[str, str | None] = dict(self.db.execute(_NEW, (self.scope, self.scope, self.scope)).fetchall())
        if self.db.execute(PAGE_SET_CHANGED, (self.scope,)).fetchone()[0]:
            self.db.execute(f"DELETE FROM resolutions WHERE {_UNUSED}", (self.scope,))
            for query in (_LOST, "SELECT target, resolved FROM resolutions WHERE scope = ?"):
                targets.update(self.db.execute(query, (self.scope,)).fetchall())
        return targets

    def resolve(self, target: str, before: str | None, url: str) -> None:
        """Record that links to `target` lead to the page `url` ("" = no page); pages at both ends become dirty.

        Args:
            before: See `open_targets`.
        """
        if url == target:
            self.db.execute("DELETE FROM resolutions WHERE scope = ? AND target = ?", (self.scope, target))
        elif url != before:
            self.db.execute("INSERT OR REPLACE INTO resolutions VALUES (?,?,?)", (self.scope, target, url))
        if url == before:
            return
        self.db.execute("UPDATE pages SET dirty = 1 WHERE scope = ? AND url IN (?,?)", (self.scope, before, url))
        if before is not None:  # otherwise only changed pages have such links, and they are dirty
            self.db.execute(
                f"UPDATE pages SET dirty = 1 WHERE id IN (SELECT id FROM {_BY_TARGET} WHERE scope = ? AND target = ?)",
                (self.scope, target),
            )

    def is_searchable(self, url: str) -> bool:
        """Return True if a link may lead to the page."""
        row = self.db.execute(f"SELECT 1 FROM pages WHERE {SEARCHABLE} AND url = ?", (self.scope, url)).fetchone()
        return row is not None

    def redirect_of(self, url: str) -> str | None:
        """Return the redirect target of a known page, or None."""
        row = self.db.execute(
            "SELECT CASE WHEN redirect_to != '' THEN redirect_to ELSE copy_of END AS target FROM pages "
            f"WHERE {IN_SCOPE} AND url = ? AND target NOT IN ('', '-', '~')",
            (self.scope, url),
        ).fetchone()
        return row[0] if row else None

    def to_nowhere(self) -> Iterator[LinkToNowhere]:
        """Yield the distinct links to no searchable page, by rising target and page."""
        rows = self.db.execute(
            f"SELECT DISTINCT links.target, url FROM resolutions CROSS JOIN {_BY_TARGET} WHERE resolutions.scope = ? "
            "AND pages.scope = resolutions.scope AND links.target = resolutions.target AND resolved = '' "
            "ORDER BY links.target, url",
            (self.scope,),
        )
        return (LinkToNowhere(*row) for row in rows)

    def is_page(self, url: str) -> bool:
        """Return True if the page exists, searchable or not."""
        return (
            self.db.execute(f"SELECT 1 FROM pages WHERE {IN_SCOPE} AND url = ?", (self.scope, url)).fetchone()
            is not None
        )

    def set_resolved(self) -> None:
        """Record that links, versions, languages and titles of the site are those of the current pages."""
        self.db.execute("UPDATE scopes SET page_set_changed = 0 WHERE scope = ?", (self.scope,))

    def counts(self, page_id: int, url: str, max_texts: int) -> LinkCounts:
        """Count the resolved links of one page."""
        (outgoing,) = self.db.execute(
            "SELECT COUNT(DISTINCT resolved) FROM page_links WHERE page_id = ? AND resolved NOT IN ('', ?)",
            (page_id, url),
        ).fetchone()
        link_to_page = (self.scope, url, page_id)
        (incoming,) = self.db.execute(f"SELECT COUNT(DISTINCT id) {_INCOMING}", link_to_page).fetchone()
        if not incoming:
            return LinkCounts(0, outgoing, ())
        rows = self.db.execute(
            f"SELECT text {_INCOMING} GROUP BY id, text ORDER BY text LIMIT ?4", (*link_to_page, max_texts)
        )
        return LinkCounts(incoming, outgoing, [row[0] for row in rows if row[0]])
