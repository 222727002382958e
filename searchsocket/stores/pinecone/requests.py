"""Requests that are the same for both kinds of index; only the names of the vendor's methods differ."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from searchsocket.stores.pinecone.connection import PineconeConnection
from searchsocket.stores.pinecone.filters import Where
from searchsocket.stores.pinecone.namespace import unless_absent


class NamespaceRequests:
    """The writes by filter of a `Namespace`.

    Args:
        methods: The vendor's, of this index.
    """

    set_argument: ClassVar[str]  # how the vendor's `update` calls the values

    def __init__(self, connection: PineconeConnection, methods: Any, index: str, namespace: str) -> None:
        self._connection = connection
        self._methods = methods
        self._index = index
        self._namespace = namespace

    def update(self, where: Where, values: Mapping[str, Any]) -> int | None:
        """See `Namespace.update`."""
        answer = self._write("update", filter=where, **{self.set_argument: values})
        matched: int | None = answer.matched_records if answer else 0
        return matched

    def delete(self, where: Where) -> None:
        """See `Namespace.delete`."""
        self._write("delete", filter=where)

    def clear(self) -> None:
        """See `Namespace.clear`."""
        self._write("delete", delete_all=True)

    def _upsert(self, **rows: Sequence[Any]) -> int | None:
        """Write rows whole; the place of the write in the log."""
        answer = self._connection.write(lambda: self._methods.upsert(namespace=self._namespace, **rows), self._index)
        return log_position(answer, "lsn_committed")

    def _read(self, name: str, **options: Any) -> Any:
        method = getattr(self._methods, name)
        return self._connection.read(lambda: method(namespace=self._namespace, **options), self._index)

    def _write(self, name: str, **options: Any) -> Any:
        method = getattr(self._methods, name)
        return self._connection.write(
            lambda: unless_absent(lambda: method(namespace=self._namespace, **options)), self._index
        )


def log_position(answer: Any, name: str) -> int | None:
    """The position in the service's log of writes that an answer reports; None if it reports none."""
    position: int | None = getattr(answer.response_info, name) if answer.response_info else None
    return position
