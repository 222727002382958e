"""State of the mirror files (stage `page_mirror`; read by `page_chunks` and `search_index`)."""

import sqlite3
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from searchsocket.content.pages import ExtractedPage
from searchsocket.state.chunks import drop_chunks
from searchsocket.state.extracts import unpacked
from searchsocket.state.file import transaction
from searchsocket.state.links import mark_linked_dirty
from searchsocket.state.schema import IN_SCOPE, MIRRORED, SEARCHABLE, as_stored, as_text
from searchsocket.state.versions import labels_of
from searchsocket.types import PageKind, RouteResolution
from searchsocket.web.languages import original_label


class Leaving(NamedTuple):
    """Pages whose mirror files must be deleted, as (number, URL)."""

    removed: Sequence[tuple[int, str]]  # from the site
    skipped: Sequence[tuple[int, str]]  # still on the site, but no longer searched


class WrittenFile(NamedTuple):
    """A written mirror file."""

    page_id: int
    url: str
    digest: str
    stamp: str  # size and time; "" = not written yet, or not trusted


@dataclass(frozen=True, slots=True)
class MirrorPage:
    """A page to mirror, and its existing file."""

    url: str
    kind: PageKind
    locator: str  # its place in the source
    address: str  # the URL that opens it; "" = its URL path
    labels: tuple[str, ...]  # of its versions and translations
    language: str  # for a page that states none itself
    extract: ExtractedPage  # without its links
    digest: str  # of the file; "" = none was written, or it is damaged
    stamp: str
    generated_at: str


@dataclass(frozen=True, slots=True)
class MirrorTable:
    """The mirror files of a scope's pages; the file of a `dirty` page may have to change."""

    db: sqlite3.Connection
    scope: str

    def set_routes(self, digest: str) -> None:
        """Mark every page dirty if the routes differ from those of the last call."""
        with transaction(self.db):
            changed = self.db.execute(
                "UPDATE scopes SET routes_digest = ? WHERE scope = ? AND routes_digest != ?",
                (digest, self.scope, digest),
            )
            if changed.rowcount:
                self.db.execute("UPDATE pages SET dirty = 1 WHERE scope = ?", (self.scope,))

    def leaving(self) -> Leaving:
        """Return the pages whose files must be deleted."""
        removed = self.db.execute("SELECT id, url FROM pages WHERE scope = ? AND removed = 1", (self.scope,))
        skipped = self.db.execute(
            f"SELECT id, url FROM pages WHERE {IN_SCOPE} AND (skip != '' OR copy_of != '') AND mirror_digest != ''",
            (self.scope,),
        )
        return Leaving(removed.fetchall(), skipped.fetchall())

    def drop(self, leaving: Leaving) -> None:
        """Delete removed pages, and the files and chunks of skipped ones; skipped pages become clean."""
        with transaction(self.db):
            for page_id, _ in leaving.removed:
                mark_linked_dirty(self.db, page_id, self.scope)
                self.db.execute("DELETE FROM pages WHERE id = ?", (page_id,))  # with its links and chunks
            for page_id, _ in leaving.skipped:
                self.db.execute(
                    "UPDATE pages SET mirror_digest = '', mirror_stamp = '', generated_at = '', chunk_key = '', "
                    "route_resolution = '' WHERE id = ?",
                    (page_id,),
                )
                drop_chunks(self.db, self.scope, page_id)
            self.db.execute(
                "UPDATE pages SET dirty = 0 WHERE scope = ? AND (skip != '' OR copy_of != '')", (self.scope,)
            )

    def must_sweep(self) -> bool:
        """Return True if every current page is known and the folder may contain files of other pages."""
        knows_all, swept = self.db.execute(
            "SELECT authoritative, swept FROM scopes WHERE scope = ?", (self.scope,)
        ).fetchone()
        return bool(knows_all and not swept)

    def unknown_files(self, names: Iterable[str], name_of: Callable[[str], str]) -> Iterator[str]:
        """Yield the file names that belong to no known page, in input order.

        Args:
            name_of: Converts a URL to a file name.
        """
        self.db.execute("CREATE TEMP TABLE mirrored (name TEXT PRIMARY KEY) WITHOUT ROWID")
        urls = self.db.execute(
            f"SELECT url FROM pages WHERE {IN_SCOPE} AND skip = '' AND copy_of = '' ORDER BY url", (self.scope,)
        )
        with transaction(self.db):
            self.db.executemany("INSERT INTO mirrored VALUES (?)", ((name_of(row[0]),) for row in urls))
        for name in names:
            if self.db.execute("SELECT 1 FROM mirrored WHERE name = ?", (name,)).fetchone() is None:
                yield name
        self.db.execute("DROP TABLE mirrored")

    def set_swept(self) -> None:
        """Record that the folder contains no file of an unknown page."""
        self.db.execute("UPDATE scopes SET swept = 1 WHERE scope = ?", (self.scope,))

    def written(self) -> Iterator[WrittenFile]:
        """Yield the files of searchable pages that are not dirty."""
        rows = self.db.execute(
            "SELECT id, url, mirror_digest, mirror_stamp FROM pages "
            f"WHERE {SEARCHABLE} AND mirror_digest != '' AND dirty = 0",
            (self.scope,),
        )
        for row in rows:
            yield _file(*row)

    def unwritten(self, size: int) -> Iterator[list[WrittenFile]]:
        """Yield files of clean pages that another scope wrote but this one did not, by rising URL.

        Each batch of `size` is read at its request, so the caller may write the previous one.
        """
        last = ""
        while batch := self.db.execute(
            "SELECT id, url, mirror_digest, mirror_stamp FROM pages "
            f"WHERE {MIRRORED} AND mirror_stamp = '' AND dirty = 0 AND url > ? ORDER BY url LIMIT ?",
            (self.scope, last, size),
        ).fetchall():
            yield [_file(*row) for row in batch]
            last = batch[-1][1]

    def restamp(self, files: Sequence[tuple[int, str]]) -> None:
        """Update the stamps of files that were touched without a change of content; takes (page, stamp)."""
        with transaction(self.db):
            self.db.executemany(
                "UPDATE pages SET mirror_stamp = ? WHERE id = ?", [(stamp, page_id) for page_id, stamp in files]
            )

    def set_damaged(self, page_ids: Sequence[int]) -> None:
        """Mark the files of these pages as damaged, so that they are written again."""
        with transaction(self.db):
            self.db.executemany(
                "UPDATE pages SET dirty = 1, mirror_digest = '' WHERE id = ?", [(page_id,) for page_id in page_ids]
            )

    def distrust(self, url: str) -> None:
        """Make the next run compare the content of a page's file, not just its size and time."""
        self.db.execute("UPDATE pages SET mirror_stamp = '' WHERE scope = ? AND url = ?", (self.scope, url))

    def dirty(self) -> "array[int]":
        """Return the searchable pages whose file may have to change, by URL."""
        rows = self.db.execute(f"SELECT id FROM pages WHERE {SEARCHABLE} AND dirty = 1 ORDER BY url", (self.scope,))
        return array("q", (row[0] for row in rows))

    def spread(self, count: int) -> list[int]:
        """Return some mirrored pages, evenly spread over the site by URL; an unchanged site gives the same ones."""
        mirrored = int(self.db.execute(f"SELECT COUNT(*) FROM pages WHERE {MIRRORED}", (self.scope,)).fetchone()[0])
        count = min(count, mirrored)
        rows = (
            self.db.execute(
                f"SELECT id FROM pages WHERE {MIRRORED} ORDER BY url LIMIT 1 OFFSET ?",
                (self.scope, mirrored * (2 * number + 1) // (2 * count)),
            ).fetchone()
            for number in range(count)
        )
        return [row[0] for row in rows]

    def page(self, page_id: int) -> MirrorPage:
        """Return one page.

        Raises:
            DamagedRow: The page is damaged.
        """
        row = self.db.execute(
            "SELECT url, kind, locator, address, labels, language, original, "
            "skip, redirect_to, mirror_digest, mirror_stamp, generated_at, "
            "facts, body FROM pages LEFT JOIN bodies ON bodies.id = content_id WHERE pages.id = ?",
            (page_id,),
        ).fetchone()
        url, kind, locator, address, labels, language, original, *row = row
        skip, redirect_to, digest, stamp, generated_at, facts, body = row
        own = (*labels_of(labels), *([original_label(original)] if original else []))
        extract = unpacked(facts, body, skip=skip, redirect_to=redirect_to)
        return MirrorPage(url, kind, locator, address, own, language, extract, as_text(digest), stamp, generated_at)

    def set_clean(self, page_id: int) -> None:
        """Record that the file of a page is correct."""
        self.db.execute("UPDATE pages SET dirty = 0 WHERE id = ?", (page_id,))

    def set_written(
        self, page_id: int, *, digest: str, stamp: str, generated_at: str, route_resolution: RouteResolution
    ) -> None:
        """Record that the file of a page was written; the page becomes clean."""
        self.db.execute(
            "UPDATE pages SET dirty = 0, mirror_digest = ?, mirror_stamp = ?, generated_at = ?, route_resolution = ? "
            "WHERE id = ?",
            (as_stored(digest), stamp, generated_at, route_resolution, page_id),
        )

    def digests(self) -> Iterator[tuple[str, str]]:
        """Yield (URL, digest) of every written file, by rising URL."""
        rows = self.db.execute(
            "SELECT url, mirror_digest FROM pages WHERE scope = ? AND mirror_digest != '' ORDER BY url", (self.scope,)
        )
        return ((url, as_text(digest)) for url, digest in rows)


def _file(page_id: int, url: str, digest: bytes | str, stamp: str) -> WrittenFile:
    return WrittenFile(page_id, url, as_text(digest), stamp)
