"""Vectors in Postgres with the extension pgvector."""

from searchsocket.extensions.base import Extension, Store

EXTENSION = Extension(
    name="pgvector",
    store=Store(
        settings=f"{__name__}.settings:PgvectorSettings", tables=f"{__name__}.tables:make_tables", name_key="table"
    ),
)
