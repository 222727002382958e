"""Objects below a prefix of an object store, through the client of the whole."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from searchsocket.stores.artifacts.objects.base import ObjectInfo, Objects


class ObjectsBelow:
    """Implements `Objects`."""

    def __init__(self, objects: Objects, prefix: str) -> None:
        """`prefix`: without `/` at its end."""
        self._objects = objects
        self._prefix = f"{prefix}/"
        self.address = f"{objects.address}/{prefix}"

    def stream(self, name: str) -> Iterator[bytes]:
        """See `Objects.stream`."""
        return self._objects.stream(self._prefix + name)

    def size(self, name: str) -> int | None:
        """See `Objects.size`."""
        return self._objects.size(self._prefix + name)

    def put(self, name: str, data: bytes) -> None:
        """See `Objects.put`."""
        self._objects.put(self._prefix + name, data)

    def put_file(self, name: str, path: Path) -> None:
        """See `Objects.put_file`."""
        self._objects.put_file(self._prefix + name, path)

    def version(self, name: str) -> str | None:
        """See `Objects.version`."""
        return self._objects.version(self._prefix + name)

    def put_if(self, name: str, data: bytes, version: str | None) -> str:
        """See `Objects.put_if`."""
        return self._objects.put_if(self._prefix + name, data, version)

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        """See `Objects.list`."""
        for info in self._objects.list(self._prefix + prefix):
            yield replace(info, name=info.name.removeprefix(self._prefix))

    def folders(self, prefix: str = "") -> Sequence[str]:
        """See `Objects.folders`."""
        return self._objects.folders(self._prefix + prefix)

    def delete(self, names: Sequence[str]) -> None:
        """See `Objects.delete`."""
        self._objects.delete([self._prefix + name for name in names])
