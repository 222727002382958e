"""The documents of a share, beside its segment: that is written anew from them, without analysing a text again.

tantivy can store documents itself, in twice the bytes: it packs few of them together, by a faster and weaker method.
Pages lie in frames by their paths, each page with the documents of its records and its own, as JSON, which tantivy
reads by itself. A frame with no changed page is taken over as it is.
"""

import hashlib
import json
import mmap
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self

from searchsocket.system.compressed import packed, unpacked

SUFFIX = ".docs"
_A_FRAME = 500  # records, about: of fewer, words are said again more often; of more, more is written for one page
_MOST = 600  # records, but for the last page: a frame is in memory some times over while it is packed
_END_BYTES = 8  # in which the file says where its list of frames begins

Fields = dict[str, Any]  # what a document holds, by the names of its fields: lists of texts, and its number
Listed = tuple[str, list[int]]  # a page: its path as it sorts, the `doc` numbers of its records


class PageDocuments(NamedTuple):
    """Indexed documents of one page."""

    path: str  # as it sorts
    docs: Sequence[int]  # of its records
    lines: Sequence[str]  # the documents of these records and then of the page, as JSON
    new_documents: Sequence[Fields] = ()  # the documents of the records, where they were made just now

    @property
    def records(self) -> Sequence[str]:
        """The documents of its records."""
        return self.lines[:-1]

    @property
    def whole(self) -> str:
        """The document of the page."""
        return self.lines[-1]


class Frame(NamedTuple):
    """Pages that are packed together, in path order."""

    listed: Sequence[Listed]  # at least one
    data: bytes

    def pages(self) -> list[PageDocuments]:
        """Raises what `StoredPages` does."""
        lines, found, end = unpacked(self.data).split("\n"), [], 0
        for path, docs in self.listed:
            start, end = end, end + len(docs) + 1
            found.append(PageDocuments(path, docs, lines[start:end]))
        if end != len(lines):
            raise ValueError("the documents of a frame do not match its index")
        return found

    @classmethod
    def of(cls, pages: Sequence[PageDocuments]) -> Self:
        """Pack some pages."""
        lines = [line for page in pages for line in page.lines]
        return cls([(page.path, list(page.docs)) for page in pages], packed("\n".join(lines)))


class PageWriter:
    """Writes pages in path order: frames, then where each begins and which pages it holds."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._frames: list[tuple[int, Sequence[Listed]]] = []
        self._pages: list[PageDocuments] = []
        self._record_count = 0  # records of these

    def add(self, page: PageDocuments) -> None:
        """Keep a page."""
        if _begins_a_frame(page) or self._record_count >= _MOST:
            self._flush()
        self._pages.append(page._replace(new_documents=()))
        self._record_count += len(page.docs)

    def take_over(self, frame: Frame) -> None:
        """Keep the pages of a frame as they lie in another file."""
        self._flush()
        self._write(frame)

    def _flush(self) -> None:
        if self._pages:
            self._write(Frame.of(self._pages))
            self._pages, self._record_count = [], 0

    def _write(self, frame: Frame) -> None:
        self._frames.append((self._file.tell(), frame.listed))
        self._file.write(frame.data)

    def finish(self) -> None:
        """Write what is left, durably."""
        self._flush()
        end = self._file.tell()
        self._file.write(packed(json.dumps(self._frames, ensure_ascii=False, separators=(",", ":"))))
        self._file.write(end.to_bytes(_END_BYTES, "little"))
        self._file.flush()
        os.fsync(self._file.fileno())


def _begins_a_frame(page: PageDocuments) -> bool:
    """By the page alone, so that an edit moves few pages into another frame."""
    drawn = int.from_bytes(hashlib.sha256(page.path.encode()).digest()[-4:])
    return drawn * _A_FRAME < len(page.docs) << 32


@contextmanager
def page_writer(path: Path) -> Iterator[PageWriter]:
    """A writer of a new file, whole when the block ends."""
    with open(path, "xb") as file:
        writer = PageWriter(file)
        yield writer
        writer.finish()


class StoredPages:
    """The pages of a share.

    Raises:
        ValueError, TypeError, LookupError: The file is damaged. So does every method.
    """

    def __init__(self, path: Path) -> None:
        with open(path, "rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._end = int.from_bytes(self._data[-_END_BYTES:], "little")
        self._frames: list[tuple[int, list[Listed]]] = json.loads(unpacked(self._data[self._end : -_END_BYTES]))

    def frames(self) -> Iterator[Frame]:
        """All of them, in path order; one is read at a time."""
        ends = [*(start for start, _ in self._frames), self._end][1:]
        for (start, listed), end in zip(self._frames, ends, strict=True):
            yield Frame([(path, docs) for path, docs in listed], self._data[start:end])

    def pages(self) -> Iterator[PageDocuments]:
        """All pages, in path order."""
        return (page for frame in self.frames() for page in frame.pages())


def one_by_one(pages: Iterable[PageDocuments]) -> Iterator[Frame]:
    """Each page as a frame of its own."""
    return (Frame.of([page]) for page in pages)
