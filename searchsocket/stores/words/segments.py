"""Writing a generation's two word indexes: what they hold is decided by its records, not by how these came about.

BM25 weighs a word by how many documents hold it and by how long they are, and tantivy counts deleted documents until
they are merged away. So nothing is deleted here and nothing merged: a page belongs to a share by the hash of its path,
a share is a segment, and a segment with a page that changed is written anew, in path order, from the documents that lie
beside the old one. The others are linked. Each segment costs a query, and a large one costs a small change.
"""

import hashlib
import json
import os
import pickle
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Protocol
from uuid import UUID

import tantivy

from searchsocket.stores.words import PAGES, WORDS
from searchsocket.stores.words.documents import Row, documents_of, schema
from searchsocket.stores.words.kept import SUFFIX, Fields, KeptDocuments, documents_kept_in
from searchsocket.system.copying import link_file
from searchsocket.system.files import write_atomic
from searchsocket.system.memory import return_freed_memory

RECORDS_A_SHARE = 50_000  # at most, but for chance
_HEAP_BYTES = 256_000_000  # a share that takes more becomes several segments
_META = "meta.json"
_PAYLOAD = "payload"  # what it has for the writer's own use: the number of shares
_PART_BITS = 32  # of a segment's number, for which one of its share it is

Segments = list[dict[str, Any]]  # as tantivy's `meta.json` lists them


class WordSource(Protocol):
    """The records of a generation, as their words are written."""

    def count(self) -> int:
        """How many records there are."""

    def paths(self) -> list[bytes]:
        """The sort key of every page."""

    def touched(self) -> list[bytes]:
        """The sort keys of the pages whose words change; some may be gone."""

    def pages(self, paths: Iterable[bytes], *, are_old_kept: bool) -> Iterator[list[Row]]:
        """The records of these pages, page by page in path order, on a page by ordinal and id.

        Args:
            are_old_kept: The document of an old record is there already, so what is long need not be read of it.
        """


def write_words(target: Path, source: WordSource, live: Path | None) -> None:
    """Write both indexes of the records.

    Args:
        target: The generation's folder.
        live: The generation whose records were copied, and whose words are of this kind; None: there is none.

    Raises:
        ValueError, LookupError, TypeError: tantivy cannot write, or the live words are damaged.
    """
    shares = _count_shares(source.count())
    old = None if live is None else _LiveWords(live)
    stays = old is not None and old.shares == shares
    stale = {_share_of(path, shares) for path in source.touched()} if stays else None
    segments: dict[str, Segments] = {}
    for part in (WORDS, PAGES):
        (target / part).mkdir()
        segments[part] = [] if old is None or stale is None else old.link(part, target / part, stale)
    kept = (lambda _: None) if old is None else old.documents(stale)
    fields = {part: schema(part) for part in (WORDS, PAGES)}
    for share, paths in sorted(_by_share(source.paths(), shares, stale).items()):
        # One index after the other: each holds all that it says in memory until it is written.
        with TemporaryFile(dir=target) as wholes:
            count = 0
            with (
                _segment(target, WORDS, share, segments) as writer,
                documents_kept_in(target / WORDS / _docs_file(share)) as keeping,
            ):
                for rows in source.pages(paths, are_old_kept=old is not None):
                    documents, whole = documents_of(rows, kept)
                    for row, document in zip(rows, documents, strict=True):
                        writer.add_document(tantivy.Document.from_dict(document, fields[WORDS]))
                        keeping.add(row.doc, document)
                    pickle.dump(whole, wholes)
                    count += 1
            wholes.seek(0)
            with _segment(target, PAGES, share, segments) as writer:
                for _ in range(count):
                    whole = pickle.load(wholes)  # noqa: S301  nobody else can write to this file
                    writer.add_document(tantivy.Document.from_dict(whole, fields[PAGES]))
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

    def documents(self, shares: Collection[int] | None) -> Callable[[int], Fields | None]:
        """Gives the document of a record of some shares by its `doc` number; None: of any."""
        held = {_share_of_segment(segment) for segment in self._segments[WORDS]}
        wanted = sorted(held if shares is None else held.intersection(shares))
        files = [KeptDocuments(self._generation / WORDS / _docs_file(share)) for share in wanted]
        return lambda doc: next((found for file in files if (found := file.get(doc)) is not None), None)


def _count_shares(records: int) -> int:
    shares = 1
    while records > shares * RECORDS_A_SHARE:
        shares *= 2
    return shares


def _by_share(paths: Iterable[bytes], shares: int, stale: Collection[int] | None) -> dict[int, list[bytes]]:
    """The pages of every share that is written: all, or those that are stale, even where they hold none any more."""
    found: dict[int, list[bytes]] = {share: [] for share in (range(shares) if stale is None else stale)}
    for path in paths:
        if (share := _share_of(path, shares)) in found:
            found[share].append(path)
    return found


def _share_of(path: bytes, shares: int) -> int:
    return int.from_bytes(hashlib.sha256(path).digest()[:4]) * shares >> 32


def _docs_file(share: int) -> str:
    """Named like the first segment of the share, with which it is linked."""
    return f"{UUID(int=share << _PART_BITS).hex}{SUFFIX}"


def _share_of_segment(segment: dict[str, Any]) -> int:
    return UUID(segment["segment_id"]).int >> _PART_BITS


@contextmanager
def _segment(target: Path, part: str, share: int, segments: dict[str, Segments]) -> Iterator[tantivy.IndexWriter]:
    """A writer of one share: its segment is moved to the index, and listed."""
    folder = target / f".{part}"
    folder.mkdir()
    writer = tantivy.Index(schema(part), str(folder), reuse=False).writer(_HEAP_BYTES, 1)
    yield writer
    writer.commit()
    writer.wait_merging_threads()
    for number, segment in enumerate(json.loads((folder / _META).read_bytes())["segments"]):
        # tantivy draws its names by lot; the same records shall give the same files.
        old, new = UUID(segment["segment_id"]), UUID(int=(share << _PART_BITS) + number)
        for path in sorted(folder.glob(f"{old.hex}.*")):
            os.replace(path, target / part / path.name.replace(old.hex, new.hex))
        segments[part].append(segment | {"segment_id": str(new)})
    shutil.rmtree(folder)
    return_freed_memory()  # the next writer has threads of its own, which take theirs anew


def _write_meta(folder: Path, part: str, shares: int, segments: Segments) -> None:
    """List the segments of an index as tantivy does."""
    tantivy.Index(schema(part), str(folder), reuse=False)  # writes an empty list
    meta = json.loads((folder / _META).read_bytes())
    meta |= {"segments": sorted(segments, key=_share_of_segment), _PAYLOAD: str(shares)}
    write_atomic(folder / _META, json.dumps(meta, indent=1).encode())
    (folder / ".managed.json").unlink()  # names what a writer may delete: there is none
    for lock in folder.glob("*.lock"):
        lock.unlink()
