"""Object store interface: bytes by name, in a folder, a bucket or on a web server; and the objects below a prefix."""

from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit, urlunsplit

from searchsocket.errors import ArtifactInvalid, ArtifactsUnavailable

BLOCK_BYTES = 1 << 20  # of a transferred file that are in memory at a time
_READS = 20  # of an object that others write


class ObjectMissing(ArtifactsUnavailable):
    """The object does not exist."""


class ObjectChanged(ArtifactsUnavailable):
    """Another process wrote the object while it was read, or after the version that a write expects."""


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """One existing object."""

    name: str
    bytes: int
    modified: datetime  # UTC


class Objects(Protocol):
    """Objects below one address. Names are relative, with `/` between their parts.

    Every method raises `ArtifactsUnavailable` if the object store cannot be reached or refuses.
    """

    address: str  # for messages: without what may be secret

    def stream(self, name: str) -> Iterator[bytes]:
        """The object in blocks; `closing` ends it early.

        Raises:
            ObjectMissing: It does not exist.
            ObjectChanged: Another process replaced it while it was read.
        """

    def size(self, name: str) -> int | None:
        """Bytes of the object; None if it does not exist."""

    def put(self, name: str, data: bytes) -> None:
        """Write a small object; a reader sees all of it, or the old content."""

    def put_file(self, name: str, path: Path) -> None:
        """Write an object from a file, in blocks, likewise whole or not at all."""

    def version(self, name: str) -> str | None:
        """The version of an object, another one after each write; None if there is no such object."""

    def age_s(self, name: str) -> float:
        """Seconds since the object was written, by the clock of the object store.

        Raises:
            ObjectMissing: It does not exist.
        """

    def put_if(self, name: str, data: bytes, version: str | None) -> str:
        """Write a small object if it still has this version; None = if it does not exist. Returns the new version.

        Raises:
            ObjectChanged: It has another version. If the answer to an earlier try was lost, it may be this very write.
        """

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        """Every object whose name begins with `prefix`, which ends with `/`; in no order."""

    def folders(self, prefix: str = "") -> Sequence[str]:
        """Names of the folders directly below `prefix`, which is empty or ends with `/`; sorted."""

    def delete(self, names: Sequence[str]) -> None:
        """Remove objects; missing ones are ignored."""


def read(objects: Objects, name: str, max_bytes: int) -> bytes:
    """A small object as a whole.

    Raises:
        ObjectMissing: It does not exist.
        ArtifactInvalid: It is larger.
    """
    for _ in range(_READS):
        try:
            return _read_once(objects, name, max_bytes)
        except ObjectChanged:
            continue
    raise _changing(objects, name)


def _read_once(objects: Objects, name: str, max_bytes: int) -> bytes:
    data = bytearray()
    with closing(objects.stream(name)) as blocks:  # type: ignore[type-var]  # a generator, which can be closed
        for block in blocks:
            data += block
            if len(data) > max_bytes:
                raise ArtifactInvalid(f"{objects.address}: {name} is larger than {max_bytes:,} bytes")
    return bytes(data)


def read_version(objects: Objects, name: str, max_bytes: int) -> tuple[bytes, str | None]:
    """A small object and the version that it had; (b"", None) if there is no such object.

    Raises:
        ArtifactInvalid: It is larger.
    """
    for _ in range(_READS):
        version = objects.version(name)
        if version is None:
            return b"", None
        with suppress(ObjectMissing, ObjectChanged):
            data = _read_once(objects, name, max_bytes)
            if objects.version(name) == version:
                return data, version
    raise _changing(objects, name)


def _changing(objects: Objects, name: str) -> ArtifactsUnavailable:
    return ArtifactsUnavailable(f"{objects.address}: {name} changed during every attempt to read it")


def redacted_address(url: str) -> str:
    """An address for messages: without user, password, query and fragment."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", "")).rstrip("/")


class ObjectsBelow:
    """Implements `Objects`."""

    def __init__(self, objects: Objects, prefix: str) -> None:
        """`prefix`: without `/` at its end."""
        self._objects = objects
        self._prefix = f"{prefix}/"
        self.address = f"{objects.address}/{prefix}"

    def stream(self, name: str) -> Iterator[bytes]:
        """Yield the object in blocks."""
        return self._objects.stream(self._prefix + name)

    def size(self, name: str) -> int | None:
        """Return the bytes of the object; None if it does not exist."""
        return self._objects.size(self._prefix + name)

    def put(self, name: str, data: bytes) -> None:
        """Write a small object; readers see the old or the new content, never a part."""
        self._objects.put(self._prefix + name, data)

    def put_file(self, name: str, path: Path) -> None:
        """Write an object from a file; readers see the old or the new content, never a part."""
        self._objects.put_file(self._prefix + name, path)

    def version(self, name: str) -> str | None:
        """Return the version of an object, another one after each write; None if it does not exist."""
        return self._objects.version(self._prefix + name)

    def age_s(self, name: str) -> float:
        """Return the seconds since the object was written, by the clock of the object store."""
        return self._objects.age_s(self._prefix + name)

    def put_if(self, name: str, data: bytes, version: str | None) -> str:
        """Write a small object if it still has this version, and return the new version."""
        return self._objects.put_if(self._prefix + name, data, version)

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        """Yield every object whose name begins with `prefix`, in no order."""
        for info in self._objects.list(self._prefix + prefix):
            yield replace(info, name=info.name.removeprefix(self._prefix))

    def folders(self, prefix: str = "") -> Sequence[str]:
        """Return the names of the folders directly below `prefix`, sorted."""
        return self._objects.folders(self._prefix + prefix)

    def delete(self, names: Sequence[str]) -> None:
        """Remove objects; missing ones are ignored."""
        self._objects.delete([self._prefix + name for name in names])
