"""The documentation says which store is tried with which case."""

from pathlib import Path

from contract.store.suite import StoreContract
from contract.table import page

from searchsocket.extensions import built_in
from searchsocket.testing.vector_index import LingeringRowsContract, VectorIndexContract, VectorUpkeepContract
from tests.conftest import GoldenCheck
from tests.extensions.milvus import test_milvus_vectors
from tests.extensions.pgvector import test_pgvector
from tests.extensions.pinecone import test_pinecone_vectors
from tests.extensions.qdrant import test_qdrant
from tests.stores import test_installed_store, test_local_store, test_memory_store

PAGE = Path(__file__).parents[2] / "docs" / "contract.md"
PARTS = (
    (
        StoreContract,
        {
            "memory": test_memory_store.TestMemoryStore,
            "local": test_local_store.TestLocalStore,
            "Milvus Lite": test_milvus_vectors.TestMilvusStore,
            "Milvus server": test_milvus_vectors.TestMilvusServerStore,
            "Pinecone": test_pinecone_vectors.TestPineconeStore,
            "pgvector": test_pgvector.TestPgvectorStore,
            "Qdrant": test_qdrant.TestQdrantStore,
            "SQLite": test_installed_store.TestSqliteStore,
        },
    ),
    *(
        (
            contract,
            {
                "memory": getattr(test_memory_store, f"TestMemory{name}"),
                "Milvus Lite": getattr(test_milvus_vectors, f"TestMilvus{name}"),
                "Milvus server": getattr(test_milvus_vectors, f"TestMilvus{name}"),
                "Pinecone": getattr(test_pinecone_vectors, f"TestPinecone{name}"),
                "pgvector": test_pgvector.TestPgvectorStore,
                "Qdrant": test_qdrant.TestQdrantStore,
                "SQLite": test_installed_store.TestSqliteStore,
            },
        )
        for contract, name in (
            (LingeringRowsContract, "Lingering"),
            (VectorIndexContract, "Vectors"),
            (VectorUpkeepContract, "Upkeep"),
        )
    ),
)


def test_the_page_says_who_is_tried_with_what(golden: GoldenCheck) -> None:
    golden(PAGE, page(PARTS))


def test_every_store_of_the_product_is_tried() -> None:
    """A new store without its tests would be offered."""
    for _, stores in PARTS[1:]:
        names = " ".join(stores).lower()
        assert [entry.name for entry in built_in() if entry.store and entry.name not in names] == []
