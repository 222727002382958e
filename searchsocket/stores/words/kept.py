"""The documents of a share, beside its segment: that is written anew from them, without analysing a text again.

tantivy can store documents itself, in twice the bytes: it packs few of them together, by a faster and weaker method.
"""

import json
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from pydantic_core import from_json, to_json

from searchsocket.system.compressed import packed, unpacked

SUFFIX = ".docs"
_A_FRAME = 500  # documents: of fewer, words are said again more often; of more, more are read for one
_END_BYTES = 8  # in which the file says where its list of frames begins

Fields = dict[str, Any]  # what a document holds, by the names of its fields: lists of texts, and its number


class DocumentWriter:
    """Writes documents in the order in which they come: frames, then where each begins and which documents it holds."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._frames: list[tuple[int, list[int]]] = []  # where each begins, its documents
        self._docs: list[int] = []
        self._lines: list[bytes] = []

    def add(self, doc: int, fields: Fields) -> None:
        """Keep a document."""
        self._docs.append(doc)
        self._lines.append(to_json(fields))
        if len(self._docs) == _A_FRAME:
            self._flush()

    def _flush(self) -> None:
        if self._docs:
            self._frames.append((self._file.tell(), self._docs))
            self._file.write(packed(b"\n".join(self._lines).decode()))
            self._docs, self._lines = [], []

    def finish(self) -> None:
        """Write what is left, durably."""
        self._flush()
        end = self._file.tell()
        self._file.write(packed(json.dumps(self._frames)))
        self._file.write(end.to_bytes(_END_BYTES, "little"))
        self._file.flush()
        os.fsync(self._file.fileno())


@contextmanager
def documents_kept_in(path: Path) -> Iterator[DocumentWriter]:
    """A writer of a new file, whole when the block ends."""
    with open(path, "xb") as file:
        writer = DocumentWriter(file)
        yield writer
        writer.finish()


class KeptDocuments:
    """The documents of a share; one frame is held, since they are asked for in the order in which they lie.

    Raises:
        ValueError, TypeError, LookupError: The file is damaged. So does every method.
    """

    def __init__(self, path: Path) -> None:
        with open(path, "rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        end = int.from_bytes(self._data[-_END_BYTES:], "little")
        frames = json.loads(unpacked(self._data[end:-_END_BYTES]))
        starts = [start for start, _ in frames]
        self._bounds = list(zip(starts, [*starts, end][1:], strict=True))
        self._at = {doc: number for number, doc in enumerate(doc for _, docs in frames for doc in docs)}
        self._frame = -1
        self._lines: list[str] = []

    def get(self, doc: int) -> Fields | None:
        """A document by its number; None where it is not here."""
        if (at := self._at.get(doc)) is None:
            return None
        frame, line = divmod(at, _A_FRAME)
        if frame != self._frame:
            start, end = self._bounds[frame]
            self._lines, self._frame = unpacked(self._data[start:end]).split("\n"), frame
        fields: Fields = from_json(self._lines[line])
        return fields
