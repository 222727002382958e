"""The SQLite file of a generation that holds its pages' texts: one row a page, read by URL.

What a page says is said by its records too, but for little: a text is packed with theirs as its dictionary, in a
fourteenth of the bytes that it takes alone. A mark of theirs tells when it is to be packed anew.
"""

import hashlib
import sqlite3
import threading
import weakref
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from searchsocket.stores.base import PageBody, index_digest
from searchsocket.stores.local.catalogue.records import connect_reader, connect_writer
from searchsocket.stores.local.layout import NamingDamage
from searchsocket.system.compressed import Packing, packed, unpacked
from searchsocket.system.copying import copy_file, link_file
from searchsocket.text.storable import storable

_COLUMNS = "url TEXT NOT NULL, digest TEXT NOT NULL, phrases TEXT NOT NULL, text BLOB NOT NULL"
STAGED_TABLE = f"CREATE TABLE IF NOT EXISTS bodies ({_COLUMNS}, PRIMARY KEY (url));"
_TABLE = f"CREATE TABLE bodies ({_COLUMNS}, beside BLOB NOT NULL)"  # what the text is packed with
_INDEX = "CREATE UNIQUE INDEX by_url ON bodies (url, digest)"  # with the digest, so that comparing reads no text
SCHEMA = f"{_TABLE};\n{_INDEX};"
_MAX_CHANGED_SHARE = 0.3  # beyond it, what went leaves more of a hole than new pages fill
_BATCH = 4096

Digests = list[tuple[str, str]]  # (url, digest)
TextOf = Callable[[str], str]  # of the page of a URL


class WrittenBodies(NamedTuple):
    """Contents of a new file."""

    pages: int
    digest: str


def row_of_body(body: PageBody) -> tuple[str, str, str, bytes]:
    """The values of a row, ready for SQLite."""
    # Beside the text, and not in the records: an edit that changes them changes one row.
    return storable(body.url), storable(body.digest), storable("\n".join(body.key_phrases)), packed(body.text)


class BodyFile:
    """The texts by URL; safe to share between threads."""

    def __init__(self, path: Path) -> None:
        self._damage = NamingDamage(path)
        self._lock = threading.Lock()
        with self._damage:
            self._connection = connect_reader(path)
        # By itself a connection waits for the garbage collector, and holds a file that may be deleted.
        weakref.finalize(self, self._connection.close)

    def text(self, url: str, page_text: TextOf) -> str | None:
        """The text of a page; None where there is none.

        Args:
            page_text: What its records say.

        Raises:
            IndexCorrupt: The file is damaged.
        """
        with self._damage:
            with self._lock:
                row = self._connection.execute("SELECT text FROM bodies WHERE url = ?", (storable(url),)).fetchone()
            return Packing(page_text(url).encode("utf-8")).unpacked(row[0]) if row else None

    def digest(self, url: str) -> str:
        """The digest of the text of a page; "" where there is none."""
        return self._beside("digest", url)

    def key_phrases(self, url: str) -> tuple[str, ...]:
        """The key phrases of a page; none where there is no text of it."""
        return tuple(filter(None, self._beside("phrases", url).split("\n")))

    def _beside(self, column: str, url: str) -> str:
        sql = f"SELECT {column} FROM bodies WHERE url = ?"
        with self._damage, self._lock:
            row = self._connection.execute(sql, (storable(url),)).fetchone()
        return row[0] if row else ""

    def digests(self, after: str, limit: int) -> Digests:
        """The next (url, digest) pairs behind the URL `after`, by rising URL."""
        with self._damage, self._lock:
            return self._connection.execute(
                "SELECT url, digest FROM bodies WHERE url > ? ORDER BY url LIMIT ?", (after, limit)
            ).fetchall()


def drop_unchanged_bodies(staged: Path, live: Path) -> None:
    """Forget staged texts that say what the live ones say."""
    with closing(_attached(staged, live)) as connection:
        connection.execute("DELETE FROM bodies WHERE (url, digest) IN (SELECT url, digest FROM other.bodies)")


class Sayings(NamedTuple):
    """Page texts of a new generation, by URL."""

    page_text: TextOf  # by its records
    touched: Callable[[str], bool]  # whether these may say something else than before
    before: Callable[[str], str | None]  # the text of the live generation


def write_bodies(target: Path, live: Path | None, staged: Path, urls: Collection[str], pages: Sayings) -> WrittenBodies:
    """Write the file of a generation: the live one's texts, and what is staged, of pages that have records.

    Args:
        live: The live generation's file, None where it has none. It is linked where nothing changes.
        urls: Of all pages that have records.
    """
    with closing(_attached(staged, live)) as connection:
        live_bodies = (
            connection.execute("SELECT url, digest, beside FROM other.bodies ORDER BY url").fetchall() if live else []
        )
        gone = [(url,) for url, *_ in live_bodies if url not in urls]
        new = [url for (url,) in connection.execute("SELECT url FROM bodies ORDER BY url") if url in urls]
    stays = set(urls).difference(new)
    moved = [
        url
        for url, _, beside in live_bodies
        if url in stays and pages.touched(url) and _mark(pages.page_text(url)) != beside
    ]
    if live is not None and not gone and not new and not moved:
        link_file(live, target)
        return WrittenBodies(len(live_bodies), index_digest((url, digest) for url, digest, _ in live_bodies))
    if live is not None:
        copy_file(live, target)
    with closing(_attached(target, staged)) as connection:
        connection.execute("BEGIN")
        if live is None:
            connection.execute(_TABLE)
        for url in moved:
            text, page_text = pages.before(url) or "", pages.page_text(url)
            connection.execute(
                "UPDATE bodies SET text = ?, beside = ? WHERE url = ?",
                (_packed(text, page_text), _mark(page_text), url),
            )
        if live is not None:
            connection.executemany("DELETE FROM bodies WHERE url = ?", [*gone, *((url,) for url in new)])
        for url in new:
            page_text = pages.page_text(url)
            (text,) = connection.execute("SELECT text FROM other.bodies WHERE url = ?", (url,)).fetchone()
            connection.execute(
                "INSERT INTO bodies SELECT url, digest, phrases, ?, ? FROM other.bodies WHERE other.bodies.url = ?",
                (_packed(unpacked(text), page_text), _mark(page_text), url),
            )
        if live is None:
            connection.execute(_INDEX)
        connection.execute("COMMIT")
        if live is not None and len(gone) + len(new) + len(moved) > _MAX_CHANGED_SHARE * len(live_bodies):
            connection.execute("DETACH other")
            connection.execute("VACUUM")
        stored = connection.execute("SELECT url, digest FROM bodies ORDER BY url").fetchall()
    return WrittenBodies(len(stored), index_digest(stored))


def _packed(text: str, page_text: str) -> bytes:
    return Packing(page_text.encode("utf-8")).packed(text)


def _mark(page_text: str) -> bytes:
    """By which another dictionary is told."""
    return hashlib.sha256(page_text.encode("utf-8")).digest()[:8]


def all_digests(file: BodyFile) -> Iterator[tuple[str, str]]:
    """(url, digest) of every text by rising URL, a batch in memory at a time."""
    after = ""
    while pairs := file.digests(after, _BATCH):
        yield from pairs
        after = pairs[-1][0]


def _attached(path: Path, other: Path | None) -> sqlite3.Connection:
    connection = connect_writer(path)
    if other is not None:
        connection.execute("ATTACH ? AS other", (f"{other.resolve().as_uri()}?mode=ro&immutable=1",))
    return connection
