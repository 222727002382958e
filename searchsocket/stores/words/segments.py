"""Write a generation's two word indexes. Their contents depend on its records only, not on earlier generations.

BM25 weighs a word by the number and length of the documents with it, and tantivy counts deleted documents until they
are merged away. So no document is deleted here and no segment merged. The hash of the path of a page decides its share,
and a share is a segment. A segment with a changed page is written again, in path order, from the documents stored next
to the old one. Other segments are linked, and so are unchanged documents. More segments make queries slower; larger
segments make small changes slower.
"""

import hashlib
import heapq
import json
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Protocol
from uuid import UUID

import tantivy
from pydantic_core import from_json, to_json

from searchsocket.stores.words import PAGES, WORDS
from searchsocket.stores.words.documents import WordRow, documents_of, schema
from searchsocket.stores.words.page_documents import SUFFIX, Fields, PageDocuments, StoredPages, page_writer
from searchsocket.system.files import link_file, write_atomic
from searchsocket.system.memory import return_freed_memory
from searchsocket.system.processes import map_batches

RECORDS_A_SHARE = 12_500  # at most, except by chance
_MAX_PARALLEL_RECORDS = 200_000
_HEAP_BYTES = 256_000_000  # a share that needs more becomes several segments
_META = "meta.json"
_PAYLOAD = "payload"  # key for the writer's own use: the number of shares
_PART_BITS = 32  # of a segment's number: the index of the segment in its share
_Item = tuple[str, PageDocuments | list[WordRow]]  # a stored page, or the rows of a new one, by path
Segments = list[dict[str, Any]]  # as tantivy's `meta.json` lists them


class WordSource(Protocol):
    """The records of a generation, as their words are written."""

    def count(self) -> int:
        """The number of records."""

    def touched(self) -> list[bytes]:
        """The sort keys of the pages whose words change, deleted pages included; of all pages if no words are kept."""

    def pages(self, paths: Iterable[bytes]) -> Iterator[list[WordRow]]:
        """The records of these pages, page by page in path order, and within a page by ordinal and id.

        Long columns of an old record are not read, because its document is stored.
        """


def write_words(target: Path, source: WordSource, live: Path | None, workers: int = 0) -> None:
    """Write both indexes of the records.

    Args:
        target: The generation's folder.
        source: Picklable if there are workers.
        live: The generation whose records were copied, with words of the same format; None if there is none.
        workers: Processes that may write shares; each needs the memory of one. Below two, this process writes all.

    Raises:
        ValueError, LookupError, TypeError: tantivy cannot write, or the live words are damaged.
    """
    shares = _count_shares(source.count())
    old = None if live is None else _LiveWords(live)
    touched: dict[int, list[bytes]] = {}
    for path in sorted(source.touched()):
        touched.setdefault(_share_of(path, shares), []).append(path)
    stays = old is not None and old.shares == shares
    stale = sorted(touched if stays else range(shares))
    segments: dict[str, Segments] = {}
    for part in (WORDS, PAGES):
        (target / part).mkdir()
        segments[part] = old.link(part, target / part, stale) if old is not None and stays else []
    jobs = [_ShareJob(target, share, shares, source, live, touched.get(share, [])) for share in stale]
    # Each job carries the ids and numbers of all records: beyond this, sending them costs more than it saves.
    workers = min(workers, len(jobs)) if source.count() <= _MAX_PARALLEL_RECORDS else 0
    for written in map_batches(_write_share, jobs, workers=workers if workers > 1 else 0, lost=_write_share):
        for part in (WORDS, PAGES):
            segments[part] += written[part]
    for part in (WORDS, PAGES):
        _write_meta(target / part, part, shares, segments[part])


@dataclass(frozen=True, slots=True)
class _ShareJob:
    """One share, with everything that another process needs to write its words."""

    target: Path
    share: int
    shares: int
    source: WordSource
    live: Path | None
    touched: Sequence[bytes]  # sort keys of the pages of this share that were changed, added or deleted


def _write_share(job: _ShareJob) -> dict[str, Segments]:
    """Write the segments of a share; safe to repeat after a process died while writing them."""
    old = None if job.live is None else _LiveWords(job.live)
    stored = old.share(job.share) if old is not None and old.shares == job.shares else None
    pages = stored.pages() if stored else old.pages(job.share, job.shares) if old is not None else iter(())
    changed = [path.decode() for path in job.touched]
    fields = {part: schema(part) for part in (WORDS, PAGES)}
    for part in (WORDS, PAGES):
        for path in (job.target / part).glob(f"{_prefix_of(job.share)}*"):  # of a dead process
            path.unlink()
    documents_file = job.target / WORDS / _docs_file(job.share)
    segments: dict[str, Segments] = {}
    # One index after the other: each has all its words in memory until it is written.
    with TemporaryFile(dir=job.target) as wholes:
        with (
            _segments(job, WORDS, segments) as writer,
            page_writer(documents_file, stored, changed) as documents,
        ):
            for page in _updated_pages(pages, job.touched, job.source):
                documents.add(page)
                _add_records(writer, page, fields[WORDS])
                wholes.write(page.whole.encode() + b"\n")
        wholes.seek(0)
        with _segments(job, PAGES, segments) as writer:
            for whole in wholes:
                writer.add_document(tantivy.Document.from_dict(from_json(whole), fields[PAGES]))
    return segments


def _add_records(writer: tantivy.IndexWriter, page: PageDocuments, fields: tantivy.Schema) -> None:
    """Index the records of a page."""
    # Documents that tantivy reads as JSON leave its memory in pieces: of all records, 20 MB more.
    for document in page.new_documents:
        writer.add_document(tantivy.Document.from_dict(document, fields))
    if not page.new_documents:
        for line in page.records:
            writer.add_json(line)


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
        """Link the segments of all shares except the stale ones, and return them."""
        stay = [segment for segment in self._segments[part] if _share_of_segment(segment) not in stale]
        names = {UUID(segment["segment_id"]).hex for segment in stay}
        for path in sorted((self._generation / part).iterdir()):
            if path.name.partition(".")[0] in names:
                link_file(path, target / path.name)
        return stay

    def pages(self, share: int, shares: int) -> Iterator[PageDocuments]:
        """The stored pages of a share when the number of shares has changed, in path order."""
        first, last = share * self.shares // shares, ((share + 1) * self.shares - 1) // shares
        merged = heapq.merge(*(self.share(old).pages() for old in range(first, last + 1)), key=attrgetter("path"))
        return (page for page in merged if _share_of(page.path.encode(), shares) == share)

    def share(self, share: int) -> StoredPages:
        """The documents of a share of that generation."""
        return StoredPages(self._generation / WORDS / _docs_file(share))


def _count_shares(records: int) -> int:
    shares = 1
    while records > shares * RECORDS_A_SHARE:
        shares *= 2
    return shares


def _share_of(path: bytes, shares: int) -> int:
    return int.from_bytes(hashlib.sha256(path).digest()[:4]) * shares >> 32


def _docs_file(share: int) -> str:
    """The name of a share's file of documents, like its first segment, so that both are linked together."""
    return f"{UUID(int=share << _PART_BITS).hex}{SUFFIX}"


def _prefix_of(share: int) -> str:
    """The prefix of the names of all files of a share."""
    return UUID(int=share << _PART_BITS).hex[: -_PART_BITS // 4]


def _share_of_segment(segment: dict[str, Any]) -> int:
    return UUID(segment["segment_id"]).int >> _PART_BITS


@contextmanager
def _segments(job: _ShareJob, part: str, segments: dict[str, Segments]) -> Iterator[tantivy.IndexWriter]:
    """A writer of one share: its segments are moved to the index, and listed."""
    folder = job.target / f".{part}-{job.share}"
    shutil.rmtree(folder, ignore_errors=True)  # of a dead process
    folder.mkdir()
    writer = tantivy.Index(schema(part), str(folder), reuse=False).writer(_HEAP_BYTES, 1)
    yield writer
    writer.commit()
    writer.wait_merging_threads()
    segments[part] = []
    for number, segment in enumerate(json.loads((folder / _META).read_bytes())["segments"]):
        # tantivy chooses random names; the same records must give the same files.
        old, new = UUID(segment["segment_id"]), UUID(int=(job.share << _PART_BITS) + number)
        for path in sorted(folder.glob(f"{old.hex}.*")):
            os.replace(path, job.target / part / path.name.replace(old.hex, new.hex))
        segments[part].append(segment | {"segment_id": str(new)})
    shutil.rmtree(folder)
    return_freed_memory()  # the next writer has its own threads, which allocate new memory


def _write_meta(folder: Path, part: str, shares: int, segments: Segments) -> None:
    """List the segments of an index as tantivy does."""
    tantivy.Index(schema(part), str(folder), reuse=False)  # writes an empty list
    meta = json.loads((folder / _META).read_bytes())
    meta |= {"segments": sorted(segments, key=_share_of_segment), _PAYLOAD: str(shares)}
    write_atomic(folder / _META, json.dumps(meta, indent=1).encode())
    (folder / ".managed.json").unlink()  # lists files that a writer may delete; no writer deletes here
    for lock in folder.glob("*.lock"):
        lock.unlink()


def _updated_pages(
    stored: Iterable[PageDocuments], touched: Sequence[bytes], source: WordSource
) -> Iterator[PageDocuments]:
    """The pages of a share in path order.

    Args:
        stored: The previous pages, in path order.
        touched: The sort keys of the pages of this share that were changed, added or deleted.

    Raises:
        ValueError, TypeError, LookupError: The stored pages are damaged.
    """
    changed = {path.decode() for path in touched}
    old: Iterator[_Item] = ((page.path, page) for page in stored)
    new: Iterator[_Item] = ((rows[0].sort.decode(), rows) for rows in source.pages(touched))
    documents: dict[int, str] = {}  # of the last changed page, which precedes its new rows
    for path, item in heapq.merge(old, new, key=itemgetter(0)):
        if not isinstance(item, PageDocuments):
            yield _page(item, documents)
        elif path in changed:
            documents = dict(zip(item.docs, item.records, strict=True))
        else:
            yield item


def _page(rows: Sequence[WordRow], documents_by_doc: dict[int, str]) -> PageDocuments:
    def stored(doc: int) -> Fields | None:
        return from_json(documents_by_doc[doc]) if doc in documents_by_doc else None

    documents, whole = documents_of(rows, stored)
    lines = [to_json(fields).decode() for fields in (*documents, whole)]
    return PageDocuments(rows[0].sort.decode(), [row.doc for row in rows], lines, documents)
