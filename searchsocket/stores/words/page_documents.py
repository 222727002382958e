"""The stored documents of a share, next to its segment: a new segment is written from them without analysing texts.

tantivy can store documents itself, in twice the bytes: it compresses fewer together, by a faster and weaker method.
Pages are stored in frames, in path order. Each page has the documents of its records and its own, as JSON that tantivy
can read. Pages that changed since the file was written are in a second file, so that an edit writes few bytes.
"""

import heapq
import json
import mmap
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from searchsocket.system.compressed import packed, unpacked
from searchsocket.system.files import link_file

SUFFIX = ".docs"
_EDITS = ".edits"  # suffix of the second file
_MAX_EDITED_SHARE = 1 / 8  # of the pages: beyond it, both files become one
_A_FRAME = 500  # records: smaller frames compress worse, larger ones need more memory
_END_BYTES = 8  # at the end of the file: the offset of its list of frames

Fields = dict[str, Any]  # a document by the names of its fields: lists of texts, and its number
Listed = tuple[str, list[int]]  # a page: its sort key, the `doc` numbers of its records; empty for a deleted page


class PageDocuments(NamedTuple):
    """Indexed documents of one page."""

    path: str  # sort key
    docs: Sequence[int]  # of its records
    lines: Sequence[str]  # the documents of these records and then of the page, as JSON
    new_documents: Sequence[Fields] = ()  # the documents of the records, if they are new

    @property
    def records(self) -> Sequence[str]:
        """The documents of its records."""
        return self.lines[:-1]

    @property
    def whole(self) -> str:
        """The document of the page."""
        return self.lines[-1]


class PageWriter:
    """Writes pages in frames, then the list of frames: offset and pages of each."""

    def __init__(self, file: BinaryIO, edited: Collection[str] | None) -> None:
        """Args: edited: paths of the pages to write, None = all."""
        self._file = file
        self._edited = edited
        self._left = set(edited or ())  # pages in `edited` that were not added yet
        self._frames: list[tuple[int, Sequence[Listed]]] = []
        self._pages: list[PageDocuments] = []
        self._record_count = 0  # records of these

    def add(self, page: PageDocuments) -> None:
        """Write a page if it is one of the edited pages."""
        if self._edited is None or page.path in self._edited:
            self._left.discard(page.path)
            self._add(page)

    def _add(self, page: PageDocuments) -> None:
        if self._record_count >= _A_FRAME:
            self._flush()
        self._pages.append(page._replace(new_documents=()))
        self._record_count += len(page.docs)

    def _flush(self) -> None:
        if self._pages:
            self._frames.append((self._file.tell(), [(page.path, list(page.docs)) for page in self._pages]))
            self._file.write(packed("\n".join(line for page in self._pages for line in page.lines)))
            self._pages, self._record_count = [], 0

    def finish(self) -> None:
        """Write the remaining pages and sync the file; edited pages that were not added are recorded as deleted."""
        for path in sorted(self._left):
            self._add(PageDocuments(path, [], [""]))
        self._flush()
        end = self._file.tell()
        self._file.write(packed(json.dumps(self._frames, ensure_ascii=False, separators=(",", ":"))))
        self._file.write(end.to_bytes(_END_BYTES, "little"))
        self._file.flush()
        os.fsync(self._file.fileno())


class _PageFile:
    """The pages of one file; raises the same errors as `StoredPages`."""

    def __init__(self, path: Path) -> None:
        with open(path, "rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._end = int.from_bytes(self._data[-_END_BYTES:], "little")
        self._frames: list[tuple[int, list[Listed]]] = json.loads(unpacked(self._data[self._end : -_END_BYTES]))

    def __len__(self) -> int:
        return sum(len(listed) for _, listed in self._frames)

    def pages(self) -> Iterator[PageDocuments]:
        """Yield all pages in the order of the file; one frame is in memory at a time."""
        ends = [*(start for start, _ in self._frames), self._end][1:]
        for (start, listed), end in zip(self._frames, ends, strict=True):
            lines, after = unpacked(self._data[start:end]).split("\n"), 0
            if sum(len(docs) + 1 for _, docs in listed) != len(lines):
                raise ValueError("the documents of a frame do not match its index")
            for path, docs in listed:
                first, after = after, after + len(docs) + 1
                yield PageDocuments(path, docs, lines[first:after])


class StoredPages:
    """The pages of a share, in one file, or in two if some changed since the first one was written.

    Raises:
        ValueError, TypeError, LookupError: A file is damaged; also raised by every method.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._first = _PageFile(path)
        edits = path.with_suffix(_EDITS)
        self._edited = {page.path: page for page in _PageFile(edits).pages()} if edits.exists() else {}

    def pages(self) -> Iterator[PageDocuments]:
        """All pages, in path order."""
        same = (page for page in self._first.pages() if page.path not in self._edited)
        edited = sorted((page for page in self._edited.values() if page.docs), key=attrgetter("path"))
        return heapq.merge(same, edited, key=attrgetter("path"))

    def edited(self, changed: Collection[str]) -> set[str] | None:
        """The paths of the pages that differ from the first file, `changed` included; None if there are too many."""
        paths = self._edited.keys() | set(changed)
        return paths if len(paths) <= _MAX_EDITED_SHARE * len(self._first) else None

    def link(self, path: Path) -> None:
        """Link the first file to another path."""
        link_file(self._path, path)


@contextmanager
def page_writer(path: Path, stored: StoredPages | None, changed: Collection[str]) -> Iterator[PageWriter]:
    """A writer of all pages of a share, in path order; its files are complete when the block ends.

    Args:
        path: The first file. It is linked if few pages differ from it.
        stored: The previous pages; None = write all.
        changed: The paths of pages that were added, changed or deleted.
    """
    edited = None if stored is None else stored.edited(changed)
    if stored is not None and edited is not None:
        stored.link(path)
        path = path.with_suffix(_EDITS)
    with open(path, "xb") as file:
        writer = PageWriter(file, edited)
        yield writer
        writer.finish()
