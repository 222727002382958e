"""The SQLite files of a generation that contain the texts of its pages: one row per page, read by URL.

The records of a page repeat nearly all of its text. So a text is compressed with theirs as the dictionary, in a
fourteenth of the bytes that it takes alone. A hash of that dictionary shows when to compress the text again.

Texts that changed since the first file was written are in a second one, so that an edit writes few bytes.
"""

import hashlib
import sqlite3
import threading
import weakref
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from searchsocket.stores.base.index_reader import PageBody
from searchsocket.stores.base.vector_store import index_digest
from searchsocket.stores.local.catalogue.records import connect_memory, connect_writer
from searchsocket.stores.local.layout import BODIES, EDITED_BODIES, NamingDamage
from searchsocket.system.compressed import Packing, packed, unpacked
from searchsocket.system.files import link_file
from searchsocket.text.hidden import storable

_COLUMNS = "url TEXT NOT NULL, digest TEXT NOT NULL, phrases TEXT NOT NULL, text BLOB NOT NULL"
STAGED_TABLE = f"CREATE TABLE IF NOT EXISTS bodies ({_COLUMNS}, PRIMARY KEY (url));"
_TABLE = f"CREATE TABLE bodies ({_COLUMNS}, beside BLOB NOT NULL)"  # `beside`: hash of the dictionary of the text
_INDEX = "CREATE UNIQUE INDEX by_url ON bodies (url, digest)"  # with the digest, so that comparing reads no text
SCHEMA = f"{_TABLE};\n{_INDEX};"
_NAMES = "url, digest, phrases, text, beside"
_ALL = f"CREATE TEMP VIEW texts AS SELECT {_NAMES} FROM first.bodies"
# A deleted page has a row without a digest.
_EDITED = f"""{_ALL} WHERE NOT EXISTS (SELECT 1 FROM edits.bodies newer WHERE newer.url = first.bodies.url)
UNION ALL SELECT {_NAMES} FROM edits.bodies WHERE digest != ''"""
_MAX_EDITED_SHARE = 1 / 8  # of the texts: beyond it, both files become one
_EDITS_PAGE_BYTES = 4_096
_BATCH = 4096

Digests = list[tuple[str, str]]  # (url, digest)
TextOf = Callable[[str], str]  # of the page of a URL


class WrittenBodies(NamedTuple):
    """Contents of a new file."""

    pages: int
    digest: str


def row_of_body(body: PageBody) -> tuple[str, str, str, bytes]:
    """The values of a row, ready for SQLite."""
    # Key phrases are stored with the text, not in the records: an edit that changes them changes one row.
    return storable(body.url), storable(body.digest), storable("\n".join(body.key_phrases)), packed(body.text)


class BodyFile:
    """The texts by URL; safe to share between threads."""

    def __init__(self, generation: Path) -> None:
        self._damage = NamingDamage(generation / BODIES)
        self._lock = threading.Lock()
        with self._damage:
            self._connection = connect_memory()
            _attach_texts(self._connection, generation)
        # Otherwise the connection keeps a deleted file open until the garbage collector runs. At the end of the
        # process, a thread may still read.
        weakref.finalize(self, self._connection.close).atexit = False

    def text(self, url: str, page_text: TextOf) -> str | None:
        """The text of a page; None if it has no text.

        Args:
            page_text: Returns the text of the records of a page.

        Raises:
            IndexCorrupt: The file is damaged.
        """
        with self._damage:
            with self._lock:
                row = self._connection.execute("SELECT text FROM texts WHERE url = ?", (storable(url),)).fetchone()
            return Packing(page_text(url).encode("utf-8")).unpacked(row[0]) if row else None

    def digest(self, url: str) -> str:
        """The digest of the text of a page; "" if it has no text."""
        return self._beside("digest", url)

    def key_phrases(self, url: str) -> tuple[str, ...]:
        """The key phrases of a page; empty if it has no text."""
        return tuple(filter(None, self._beside("phrases", url).split("\n")))

    def _beside(self, column: str, url: str) -> str:
        sql = f"SELECT {column} FROM texts WHERE url = ?"
        with self._damage, self._lock:
            row = self._connection.execute(sql, (storable(url),)).fetchone()
        return row[0] if row else ""

    def digests(self, after: str, limit: int) -> Digests:
        """The next (url, digest) pairs after the URL `after`, in ascending order of URL."""
        with self._damage, self._lock:
            return self._connection.execute(
                "SELECT url, digest FROM texts WHERE url > ? ORDER BY url LIMIT ?", (after, limit)
            ).fetchall()


def drop_unchanged_bodies(staged: Path, live: Path) -> None:
    """Drop staged texts that equal those of the live generation."""
    with closing(connect_writer(staged)) as connection:
        _attach_texts(connection, live)
        connection.execute("DELETE FROM bodies WHERE (url, digest) IN (SELECT url, digest FROM texts)")


class TextSources(NamedTuple):
    """Page texts of a new generation, by URL."""

    page_text: TextOf  # of its records
    touched: Callable[[str], bool]  # True if the records may have changed
    before: Callable[[str], str | None]  # the text of the live generation


def write_bodies(
    target: Path, live: Path | None, staged: Path, urls: Collection[str], pages: TextSources
) -> WrittenBodies:
    """Write the texts of a generation, live and staged, of all pages that have records.

    Args:
        target: The folder of the generation.
        live: The folder of the live generation, or None. Its files are linked if they stay unchanged.
        urls: Of all pages that have records.
    """
    with closing(connect_writer(staged)) as connection:
        rows = connection.execute("SELECT url, digest FROM bodies ORDER BY url")
        new = {url: digest for url, digest in rows if url in urls}
    old, first, edited = ([], 0, set[str]()) if live is None else _live_texts(live)
    gone = [url for url, *_ in old if url not in urls]
    stays = set(urls).difference(new)
    moved = [
        url for url, _, beside in old if url in stays and pages.touched(url) and _mark(pages.page_text(url)) != beside
    ]
    changed = {*gone, *new, *moved}
    is_edit = live is not None and len(edited | changed) <= _MAX_EDITED_SHARE * first
    if live is not None and is_edit:
        link_file(live / BODIES, target / BODIES)
    if live is not None and is_edit and not changed:
        if edited:
            link_file(live / EDITED_BODIES, target / EDITED_BODIES)
    else:
        with closing(connect_writer(target / (EDITED_BODIES if is_edit else BODIES))) as connection:
            if is_edit:
                connection.execute(f"PRAGMA page_size = {_EDITS_PAGE_BYTES}")
            _attach(connection, staged, "staged")
            if live is not None:
                _attach_texts(connection, live)
            connection.execute("BEGIN")
            connection.execute(_TABLE)
            if live is not None and (edited or not is_edit):
                _copy(connection, "edits.bodies" if is_edit else "texts", changed)
            if is_edit:
                connection.executemany("INSERT INTO main.bodies VALUES (?, '', '', '', '')", [(url,) for url in gone])
            for url in moved:
                _insert(connection, "texts", url, pages.before(url) or "", pages.page_text(url))
            for url in new:
                (text,) = connection.execute("SELECT text FROM staged.bodies WHERE url = ?", (url,)).fetchone()
                _insert(connection, "staged.bodies", url, unpacked(text), pages.page_text(url))
            connection.execute(_INDEX)
            connection.execute("COMMIT")
    digests = {url: digest for url, digest, _ in old if url in stays} | new
    return WrittenBodies(len(digests), index_digest(sorted(digests.items())))


def _live_texts(live: Path) -> tuple[list[tuple[str, str, bytes]], int, set[str]]:
    """URL, digest and mark of each text; how many are in the first file; the URLs in the second one."""
    with closing(connect_memory()) as connection:
        has_edits = _attach_texts(connection, live)
        texts = connection.execute("SELECT url, digest, beside FROM texts").fetchall()
        (first,) = connection.execute("SELECT count(*) FROM first.bodies").fetchone()
        edited = connection.execute("SELECT url FROM edits.bodies").fetchall() if has_edits else []
    return texts, first, {url for (url,) in edited}


def _copy(connection: sqlite3.Connection, source: str, changed: Collection[str]) -> None:
    """Copy the unchanged texts of a file."""
    connection.execute("CREATE TEMP TABLE changed (url TEXT PRIMARY KEY)")
    connection.executemany("INSERT INTO changed VALUES (?)", [(url,) for url in changed])
    connection.execute(
        f"INSERT INTO main.bodies SELECT {_NAMES} FROM {source} WHERE url NOT IN (SELECT url FROM changed) ORDER BY url"
    )


def _insert(connection: sqlite3.Connection, source: str, url: str, text: str, page_text: str) -> None:
    packed_text = Packing(page_text.encode("utf-8")).packed(text)
    connection.execute(
        f"INSERT INTO main.bodies SELECT url, digest, phrases, ?, ? FROM {source} WHERE url = ?",
        (packed_text, _mark(page_text), url),
    )


def _mark(page_text: str) -> bytes:
    """A short hash that differs for another dictionary."""
    return hashlib.sha256(page_text.encode("utf-8")).digest()[:8]


def all_digests(file: BodyFile) -> Iterator[tuple[str, str]]:
    """Yield (url, digest) of every text in ascending order of URL, with one batch in memory at a time."""
    after = ""
    while pairs := file.digests(after, _BATCH):
        yield from pairs
        after = pairs[-1][0]


def _attach_texts(connection: sqlite3.Connection, generation: Path) -> bool:
    """Make the texts of a generation available in SQL as `texts`; return True if it has a second file."""
    _attach(connection, generation / BODIES, "first")
    has_edits = (generation / EDITED_BODIES).exists()
    if has_edits:
        _attach(connection, generation / EDITED_BODIES, "edits")
    connection.execute(_EDITED if has_edits else _ALL)
    return has_edits


def _attach(connection: sqlite3.Connection, path: Path, name: str) -> None:
    connection.execute(f"ATTACH ? AS {name}", (f"{path.resolve().as_uri()}?mode=ro&immutable=1",))
