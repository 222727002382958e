"""Objects in a folder: a mounted disk, or the root of a web server."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from searchsocket.errors import ArtifactsUnavailable
from searchsocket.extensions.fleet.objects.base import BLOCK_BYTES, ObjectChanged, ObjectInfo, ObjectMissing
from searchsocket.system.errors import system_error
from searchsocket.system.files import TEMPORARY, replacing


class FolderObjects:
    """Implements `Objects`. The folder's mode and the umask decide who may read it."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.address = root.as_uri()

    def stream(self, name: str) -> Iterator[bytes]:
        """Yield the object in blocks."""
        with self._reporting("cannot read", name), open(self._root / name, "rb") as file:
            while block := file.read(BLOCK_BYTES):
                yield block

    def size(self, name: str) -> int | None:
        """Return the bytes of the object; None if it does not exist."""
        try:
            with self._reporting("cannot read", name):
                return (self._root / name).stat().st_size
        except ObjectMissing:
            return None

    def put(self, name: str, data: bytes) -> None:
        """Write a small object; readers see the old or the new content, never a part."""
        self._write(name, lambda file: file.write(data))

    def put_file(self, name: str, path: Path) -> None:
        """Write an object from a file; readers see the old or the new content, never a part."""
        with open(path, "rb") as source:
            self._write(name, lambda file: shutil.copyfileobj(source, file, BLOCK_BYTES))

    def version(self, name: str) -> str | None:
        """Return the hash of the content of the object; None if it does not exist."""
        try:
            return hashlib.sha256(b"".join(self.stream(name))).hexdigest()
        except ObjectMissing:
            return None

    def age_s(self, name: str) -> float:
        """Return the seconds since the object was written, by the clock of the drive: that of a new file."""
        path = self._root / name
        with (
            self._reporting("cannot read", name),
            tempfile.TemporaryFile(prefix=TEMPORARY, dir=path.parent, buffering=0) as file,
        ):
            file.write(b"\n")
            return os.fstat(file.fileno()).st_mtime - path.stat().st_mtime

    def put_if(self, name: str, data: bytes, version: str | None) -> str:
        """Write a small object if it still has this version; a lock file beside it excludes other writers."""
        from filelock import FileLock  # reading needs no lock

        path = self._root / name
        with self._reporting("cannot write", name):
            path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(path.with_name(f".{path.name}.lock")):
                if self.version(name) != version:
                    raise ObjectChanged(f"{self.address}: {name} was changed by another process")
                self.put(name, data)
        return hashlib.sha256(data).hexdigest()

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        """Yield every object whose name begins with `prefix`, in no order."""
        for folder, _, names in os.walk(self._root / prefix):
            for name in names:
                path = Path(folder) / name
                with suppress(FileNotFoundError), self._reporting("cannot read", name):  # deleted since the listing
                    stat = path.stat()
                    modified = datetime.fromtimestamp(stat.st_mtime, UTC)
                    yield ObjectInfo(path.relative_to(self._root).as_posix(), stat.st_size, modified)

    def folders(self, prefix: str = "") -> Sequence[str]:
        """Return the names of the folders directly below `prefix`, sorted."""
        with self._reporting("cannot list", prefix), os.scandir(self._root / prefix) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir())

    def delete(self, names: Sequence[str]) -> None:
        """Remove objects; missing ones are ignored."""
        for name in names:
            with self._reporting("cannot remove", name):
                (self._root / name).unlink(missing_ok=True)

    def _write(self, name: str, write: Callable[[BinaryIO], object]) -> None:
        path = self._root / name
        with self._reporting("cannot write", name):
            path.parent.mkdir(parents=True, exist_ok=True)
            # A prune removes the leftovers of interrupted writes.
            with replacing(path, path.parent) as file:
                write(file)

    @contextmanager
    def _reporting(self, action: str, name: str) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            raise ObjectMissing(f"{self.address}: there is no {name}") from error
        except OSError as error:
            raise system_error(action, self._root / name, error, ArtifactsUnavailable) from error
