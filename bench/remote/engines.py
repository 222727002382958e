"""Stores of vectors, as values that can be sent to other processes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from searchsocket.stores.base.vectors import VectorIndex


def _nothing(_: str) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Engine:
    """One of the stores on another machine."""

    kind: str
    address: str
    secret: str
    name: str  # of what is kept there
    before: Callable[[str], None] = field(default=_nothing)  # hears of each call

    @property
    def preload(self) -> list[str]:
        """Modules that take their time to load."""
        return ["pymilvus"] if self.kind == "milvus" else ["pinecone"]

    def vectors(self, project_id: str) -> VectorIndex:
        """An index there, over a connection of its own."""
        return self._milvus(project_id) if self.kind == "milvus" else self._pinecone(project_id)

    def _milvus(self, project_id: str) -> VectorIndex:
        from searchsocket.extensions.milvus.connection import MilvusConnection
        from searchsocket.extensions.milvus.index import MilvusVectors

        before = self.before

        class Heard(MilvusConnection):
            def call(self, name: str, *arguments: Any, **options: Any) -> Any:
                before(name)
                return super().call(name, *arguments, **options)

        return MilvusVectors(Heard(self.address, self.secret, timeout_s=60.0), self.name, project_id)

    def _pinecone(self, project_id: str) -> VectorIndex:
        from searchsocket.extensions.pinecone.connection import PineconeConnection
        from searchsocket.extensions.pinecone.tables import PineconeTables
        from searchsocket.stores.table_vectors import TableVectors

        before = self.before

        class Heard(PineconeConnection):
            def read(self, ask: Callable[[], Any], index: str = "") -> Any:
                before("read")
                return super().read(ask, index)

            def write(self, ask: Callable[[], Any], index: str = "") -> Any:
                before("write")
                return super().write(ask, index)

        return TableVectors(
            PineconeTables(Heard(self.secret, host=self.address, timeout_s=60.0), self.name), project_id
        )


@contextmanager
def pinecone_of_the_tests() -> Iterator[tuple[Engine, Any]]:
    """The server of the tests, which sees writes late, with its counters."""
    from tests.extensions.pinecone.server.running import running
    from tests.extensions.pinecone.server.service import Service

    with running(Service(key="bench-key", max_lag=3)) as service:
        yield Engine("pinecone", service.base_url, "bench-key", "bench"), service
