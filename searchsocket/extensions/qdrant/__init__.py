"""Vectors in Qdrant."""

from searchsocket.extensions.base import Extension, Store

EXTENSION = Extension(
    name="qdrant",
    store=Store(
        settings=f"{__name__}.settings:QdrantSettings", tables=f"{__name__}.tables:make_tables", name_key="collection"
    ),
)
