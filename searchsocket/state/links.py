"""Links between pages, resolved to the pages they lead to (stage `page_mirror`)."""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from searchsocket.state.file import transaction
from searchsocket.state.sql import IN_SCOPE, SEARCHABLE
from searchsocket.web.urls.targets import resolve_target


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


_WAITING = "scope = ? AND target = ? AND resolved IS NULL"
_STALE = (
    "scope = ? AND (resolved = '' OR resolved IN (SELECT url FROM pages WHERE scope = ? AND "
    "(removed = 1 OR skip != '' OR copy_of != '')) "
    "OR target IN (SELECT url FROM pages WHERE scope = ? AND redirect_to != ''))"
)
_INCOMING = (
    "FROM links WHERE scope = ? AND resolved = ? AND page_id != ? "
    "AND NOT EXISTS (SELECT 1 FROM pages WHERE id = page_id AND copy_of != '')"
)


def mark_linked_dirty(db: sqlite3.Connection, page_id: int, scope: str) -> None:
    """Mark the targets of a page's links as dirty: their link counts may change."""
    db.execute(
        "UPDATE pages SET dirty = 1 WHERE scope = ? AND url IN "
        "(SELECT resolved FROM links WHERE page_id = ? AND resolved != '')",
        (scope, page_id),
    )


@dataclass(frozen=True, slots=True)
class LinkGraph:
    """The links of a scope's pages; a link is resolved to the URL of a searchable page, or to none."""

    db: sqlite3.Connection
    scope: str

    def forget_stale(self) -> None:
        """If pages were added or removed, unresolve the links whose target may have changed.

        Those are links to nowhere, to removed pages and to redirects. The linking pages become dirty.
        """
        changed = self.db.execute("SELECT page_set_changed FROM scopes WHERE scope = ?", (self.scope,)).fetchone()[0]
        if not changed:
            return
        scopes = (self.scope, self.scope, self.scope)
        with transaction(self.db):
            # The linking pages' outgoing counts may change too.
            self.db.execute(
                f"UPDATE pages SET dirty = 1 WHERE id IN (SELECT page_id FROM links WHERE {_STALE} AND resolved != '')",
                scopes,
            )
            self.db.execute(f"UPDATE links SET resolved = NULL WHERE {_STALE}", scopes)

    def forget_through(self, redirect_to: str) -> None:
        """Unresolve links that went through a redirect which no longer exists."""
        url = resolve_target(redirect_to, self.is_searchable, self.redirect_of)
        if url is None:  # the links lead nowhere
            return
        redirected = "scope = ? AND resolved = ? AND target != resolved"
        values = (self.scope, url)
        self.db.execute("UPDATE pages SET dirty = 1 WHERE scope = ? AND url = ?", values)
        self.db.execute(
            f"UPDATE pages SET dirty = 1 WHERE id IN (SELECT page_id FROM links WHERE {redirected})", values
        )
        self.db.execute(f"UPDATE links SET resolved = NULL WHERE {redirected}", values)

    def unresolved(self) -> list[str]:
        """Return the distinct targets without a resolution, in no order."""
        rows = self.db.execute("SELECT DISTINCT target FROM links WHERE scope = ? AND resolved IS NULL", (self.scope,))
        return [row[0] for row in rows]

    def answers(self) -> list[tuple[str, str]]:
        """Return the distinct resolved targets with their page ("" = no page), in no order."""
        return self.db.execute(
            "SELECT DISTINCT target, resolved FROM links WHERE scope = ? AND resolved IS NOT NULL", (self.scope,)
        ).fetchall()

    def forget(self, target: str, url: str) -> None:
        """Unresolve the links from `target` to the page `url`; the pages at both ends become dirty."""
        links = "scope = ? AND resolved = ? AND target = ?"
        values = (self.scope, url, target)
        if url:
            self.db.execute("UPDATE pages SET dirty = 1 WHERE scope = ? AND url = ?", (self.scope, url))
            self.db.execute(f"UPDATE pages SET dirty = 1 WHERE id IN (SELECT page_id FROM links WHERE {links})", values)
        self.db.execute(f"UPDATE links SET resolved = NULL WHERE {links}", values)

    def is_searchable(self, url: str) -> bool:
        """Return True if a link may lead to the page."""
        row = self.db.execute(f"SELECT 1 FROM pages WHERE {SEARCHABLE} AND url = ?", (self.scope, url)).fetchone()
        return row is not None

    def redirect_of(self, url: str) -> str | None:
        """Return the redirect target of a known page, or None."""
        row = self.db.execute(
            "SELECT CASE WHEN redirect_to != '' THEN redirect_to ELSE copy_of END AS target FROM pages "
            f"WHERE {IN_SCOPE} AND url = ? AND target NOT IN ('', '-')",
            (self.scope, url),
        ).fetchone()
        return row[0] if row else None

    def resolve(self, target: str, url: str) -> None:
        """Resolve every open link to `target` to the page `url` ("" = no page); the pages at both ends become dirty."""
        if url:
            self.db.execute("UPDATE pages SET dirty = 1 WHERE scope = ? AND url = ?", (self.scope, url))
            self.db.execute(
                f"UPDATE pages SET dirty = 1 WHERE dirty = 0 AND id IN (SELECT page_id FROM links WHERE {_WAITING})",
                (self.scope, target),
            )
        self.db.execute(f"UPDATE links SET resolved = ? WHERE {_WAITING}", (url, self.scope, target))

    def to_nowhere(self) -> Iterator[LinkToNowhere]:
        """Yield the distinct links to no searchable page, by rising target and page."""
        rows = self.db.execute(
            "SELECT DISTINCT target, url FROM links JOIN pages ON pages.id = page_id "
            "WHERE links.scope = ? AND resolved = '' ORDER BY target, url",
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
        """Record that all links are resolved against the current pages."""
        self.db.execute("UPDATE scopes SET page_set_changed = 0 WHERE scope = ?", (self.scope,))

    def counts(self, page_id: int, url: str, max_texts: int) -> LinkCounts:
        """Count the resolved links of one page."""
        (outgoing,) = self.db.execute(
            "SELECT COUNT(DISTINCT resolved) FROM links WHERE page_id = ? AND resolved != '' AND resolved != ?",
            (page_id, url),
        ).fetchone()
        link_to_page = (self.scope, url, page_id)
        (incoming,) = self.db.execute(f"SELECT COUNT(DISTINCT page_id) {_INCOMING}", link_to_page).fetchone()
        if not incoming:
            return LinkCounts(0, outgoing, ())
        rows = self.db.execute(
            f"SELECT text {_INCOMING} GROUP BY page_id, text ORDER BY text LIMIT ?", (*link_to_page, max_texts)
        )
        return LinkCounts(incoming, outgoing, [row[0] for row in rows if row[0]])
