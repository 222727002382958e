"""Writing a generation's two word indexes: what they hold is decided by its records, not by how these came about.

BM25 weighs a word by how many documents hold it and by how long they are, and tantivy counts deleted documents until
they are merged away. So nothing is deleted here and nothing merged: a page belongs to a share by the hash of its path,
a share is a segment, and a segment with a page that changed is written anew, in path order, from the documents that the
old one stored. The others are linked. Each segment costs a query, and a large one costs a small change.
"""

import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any
from uuid import UUID

import tantivy

from searchsocket.stores.local.build.copying import link_file
from searchsocket.stores.local.layout import PAGES, WORDS
from searchsocket.stores.local.words.documents import ROW_OF_NEW, Row, documents_of, schema
from searchsocket.system.files import write_atomic

RECORDS_A_SHARE = 50_000  # at most, but for chance
_HEAP_BYTES = 256_000_000  # a share that takes more becomes several segments
_META = "meta.json"
_PAYLOAD = "payload"  # what it has for the writer's own use: the number of shares
_PART_BITS = 32  # of a segment's number, for which one of its share it is

Segments = list[dict[str, Any]]  # as tantivy's `meta.json` lists them


def write_words(target: Path, merge: sqlite3.Connection, live: Path | None, after_doc: int) -> None:
    """Write both indexes of the records.

    Args:
        target: The generation's folder.
        merge: To the new records, with a table `touched (sort)` that names the pages whose words change.
        live: The generation whose records were copied, and whose words are of this kind; None: there is none.
        after_doc: Above it, records are new.

    Raises:
        ValueError, LookupError, TypeError: tantivy cannot write, or the live words are damaged.
    """
    shares = _place_pages(merge)
    old = None if live is None else _LiveWords(live)
    stays = old is not None and old.shares == shares
    stale = {_share_of(sort, shares) for (sort,) in merge.execute("SELECT sort FROM touched")} if stays else None
    segments: dict[str, Segments] = {}
    for part in (WORDS, PAGES):
        (target / part).mkdir()
        segments[part] = [] if old is None or stale is None else old.link(part, target / part, stale)
    kept = (lambda _: None) if old is None else old.documents(stale)
    for share in range(shares) if stale is None else sorted(stale):
        pages = _pages(merge, share, 0 if old is None else after_doc)
        with _segment(target, WORDS, share, segments) as records, _segment(target, PAGES, share, segments) as wholes:
            for rows in pages:
                documents, whole = documents_of(rows, kept)
                for document in documents:
                    records.add_document(document)
                wholes.add_document(whole)
    for part in (WORDS, PAGES):
        _write_meta(target / part, part, shares, segments[part])


class _LiveWords:
    """The words of the live generation."""

    def __init__(self, generation: Path) -> None:
        self._generation = generation
        self._segments: dict[str, Segments] = {}
        for part in (WORDS, PAGES):
            meta = json.loads((generation / part / _META).read_bytes())
            self._segments[part] = meta["segments"]
            self.shares = int(meta[_PAYLOAD])

    def link(self, part: str, target: Path, stale: Collection[int]) -> Segments:
        """Take over the segments of all shares but the stale ones; returns them."""
        stay = [segment for segment in self._segments[part] if _share_of_segment(segment) not in stale]
        names = {UUID(segment["segment_id"]).hex for segment in stay}
        for path in sorted((self._generation / part).iterdir()):
            if path.name.partition(".")[0] in names:
                link_file(path, target / path.name)
        return stay

    def documents(self, shares: Collection[int] | None) -> Callable[[int], tantivy.Document | None]:
        """Gives the document of a record of some shares by its `doc` number; None: of any."""
        index = tantivy.Index.open(str(self._generation / WORDS))
        index.config_reader("manual")
        index.reload()
        searcher = index.searcher()
        addresses = [
            tantivy.DocAddress(ordinal, place)
            for ordinal, segment in enumerate(self._segments[WORDS])
            if shares is None or _share_of_segment(segment) in shares
            for place in range(segment["max_doc"])
        ]
        places = dict(zip(searcher.fast_field_values("doc", addresses), addresses, strict=True))
        return lambda doc: searcher.doc(places[doc]) if doc in places else None


def _place_pages(merge: sqlite3.Connection) -> int:
    """A table `placed` of which page is in which share; returns how many shares there are."""
    (records,) = merge.execute("SELECT count(*) FROM records").fetchone()
    shares = 1
    while records > shares * RECORDS_A_SHARE:
        shares *= 2
    merge.execute("CREATE TEMP TABLE placed (share INTEGER, sort BLOB, PRIMARY KEY (share, sort)) WITHOUT ROWID")
    sorts = [sort for (sort,) in merge.execute("SELECT DISTINCT sort FROM records")]
    merge.executemany("INSERT INTO placed VALUES (?, ?)", ((_share_of(sort, shares), sort) for sort in sorts))
    return shares


def _share_of(sort: bytes, shares: int) -> int:
    return int.from_bytes(hashlib.sha256(sort).digest()[:4]) * shares >> 32


def _share_of_segment(segment: dict[str, Any]) -> int:
    return UUID(segment["segment_id"]).int >> _PART_BITS


def _pages(merge: sqlite3.Connection, share: int, after_doc: int) -> Iterator[list[Row]]:
    """The records of each page of a share, in path order."""
    # What is long is read of new records only.
    columns = [f"CASE WHEN doc > {after_doc} THEN {name} END" if name in ROW_OF_NEW else name for name in _COLUMNS]
    rows = merge.execute(
        f"SELECT {', '.join(columns)} FROM placed CROSS JOIN records ON records.sort = placed.sort "
        "WHERE share = ? ORDER BY placed.sort, ordinal, id",
        (share,),
    )
    for _, page in groupby(map(Row._make, rows), key=attrgetter("sort")):
        yield list(page)


_COLUMNS = ["records.sort" if name == "sort" else name for name in Row._fields]


@contextmanager
def _segment(target: Path, part: str, share: int, segments: dict[str, Segments]) -> Iterator[tantivy.IndexWriter]:
    """A writer of one share: its segment is moved to the index, and listed."""
    folder = target / f".{part}"
    folder.mkdir()
    writer = tantivy.Index(schema(part), str(folder), reuse=False).writer(_HEAP_BYTES, 1)
    yield writer
    writer.commit()
    writer.wait_merging_threads()
    for place, segment in enumerate(json.loads((folder / _META).read_bytes())["segments"]):
        # tantivy draws its names by lot; the same records shall give the same files.
        old, new = UUID(segment["segment_id"]), UUID(int=(share << _PART_BITS) + place)
        for path in sorted(folder.glob(f"{old.hex}.*")):
            os.replace(path, target / part / path.name.replace(old.hex, new.hex))
        segments[part].append(segment | {"segment_id": str(new)})
    shutil.rmtree(folder)


def _write_meta(folder: Path, part: str, shares: int, segments: Segments) -> None:
    """List the segments of an index as tantivy does."""
    tantivy.Index(schema(part), str(folder), reuse=False)  # writes an empty list
    meta = json.loads((folder / _META).read_bytes())
    meta |= {"segments": sorted(segments, key=_share_of_segment), _PAYLOAD: str(shares)}
    write_atomic(folder / _META, json.dumps(meta, indent=1).encode())
    (folder / ".managed.json").unlink()  # names what a writer may delete: there is none
    for lock in folder.glob("*.lock"):
        lock.unlink()
