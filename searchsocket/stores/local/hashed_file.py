"""Write the big files of a generation: each byte is written and hashed once."""

import hashlib
from pathlib import Path
from types import TracebackType
from typing import Self

from searchsocket.stores.local.layout import FileEntry


class HashedFile:
    """A new file that computes its size and hash during the write, so it need not be read again."""

    def __init__(self, path: Path) -> None:
        self._file = open(path, "xb")  # noqa: SIM115  `__exit__` closes it
        self._sha256 = hashlib.sha256()
        self._bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def write(self, data: memoryview, /) -> None:
        self._file.write(data)
        self._sha256.update(data)
        self._bytes += data.nbytes

    @property
    def entry(self) -> FileEntry:
        """The manifest entry of the bytes written so far."""
        return FileEntry(self._bytes, self._sha256.hexdigest())
