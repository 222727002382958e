"""Object store interface: bytes by name, in a folder, a bucket or on a web server."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit, urlunsplit

from searchsocket.errors import ArtifactInvalid, ArtifactsUnavailable

BLOCK_BYTES = 1 << 20  # what is in memory of a file that is moved


class ObjectMissing(ArtifactsUnavailable):
    """The object does not exist."""


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """One existing object."""

    name: str
    bytes: int
    modified: datetime  # UTC


class Objects(Protocol):
    """Objects below one address. Names are relative, with `/` between their parts.

    Every method raises `ArtifactsUnavailable` where the place cannot be reached or refuses.
    """

    address: str  # for messages: without what may be secret

    def stream(self, name: str) -> Iterator[bytes]:
        """The object in blocks; `closing` ends it early.

        Raises:
            ObjectMissing: It is not there.
        """

    def size(self, name: str) -> int | None:
        """Bytes of the object; None where there is none."""

    def put(self, name: str, data: bytes) -> None:
        """Write a small object; a reader sees all of it, or the old content."""

    def put_file(self, name: str, path: Path) -> None:
        """Write an object from a file, in blocks, likewise whole or not at all."""

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        """Every object whose name begins with `prefix`, which ends with `/`; in no order."""

    def delete(self, names: Sequence[str]) -> None:
        """Remove objects; missing ones are ignored."""


def read(objects: Objects, name: str, max_bytes: int) -> bytes:
    """A small object as a whole.

    Raises:
        ObjectMissing: It is not there.
        ArtifactInvalid: It is larger.
    """
    data = bytearray()
    with closing(objects.stream(name)) as blocks:  # type: ignore[type-var]  # a generator, which can be closed
        for block in blocks:
            data += block
            if len(data) > max_bytes:
                raise ArtifactInvalid(f"{objects.address}: {name} is larger than {max_bytes:,} bytes")
    return bytes(data)


def redacted_address(url: str) -> str:
    """An address for messages: without user, password, query and fragment."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", "")).rstrip("/")
