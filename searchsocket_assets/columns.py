"""Main columns of each stage's output, as Dagster shows them; `searchsocket/types.py` has all fields."""

from collections.abc import Mapping

import dagster as dg

_COLUMNS = {
    "site_pages": (
        ("url", "string", "canonical URL; one row per page"),
        ("locator", "string", "file or URL in the source"),
        ("raw_hash", "string", "SHA-256 of the bytes"),
        ("bytes", "int", "size of the page in bytes"),
    ),
    "page_mirror": (
        ("url", "string", "canonical URL; one file per page"),
        ("title", "string", "title of the page"),
        ("route_file", "string", "route file of the page; empty if unknown"),
        ("incoming_links", "int", "number of pages that link to this page"),
        ("body", "string", "main content as Markdown"),
    ),
    "page_chunks": (
        ("id", "string", "stable key of the chunk"),
        ("url", "string", "URL path of the page"),
        ("heading_path", "array<string>", "headings above the chunk, outermost first"),
        ("text", "string", "text that search and snippets use"),
        ("content_hash", "string", "SHA-256 of the embedded text"),
    ),
    "chunk_embeddings": (
        ("content_hash", "string", "SHA-256 of the embedded text"),
        ("model_id", "string", "embedding model"),
        ("vector", "array<float32>", "embedding, a vector of length 1"),
    ),
    "search_index": (
        ("id", "string", "stable key of the chunk"),
        ("url", "string", "URL path of the page"),
        ("title", "string", "title of the page"),
        ("text", "string", "text that search and snippets use"),
        ("vector", "array<float32>", "embedding, a vector of length 1"),
    ),
    "llms_txt": (
        ("url", "string", "URL path of the page; one file per page"),
        ("title", "string", "title of the page"),
        ("note", "string", "one-line summary of the page"),
        ("size", "int", "size of the Markdown file in bytes"),
    ),
    "static_search": (
        ("file", "string", "name of the file: its kind and the hash of its contents"),
        ("bytes", "int", "size of the file in bytes"),
    ),
    "code_files": (
        ("url", "string", "path from the project folder; one row per file"),
        ("locator", "string", "path from the project folder"),
        ("raw_hash", "string", "SHA-256 of the bytes"),
        ("bytes", "int", "size of the file in bytes"),
    ),
    "code_chunks": (
        ("id", "string", "stable key of the chunk: path, symbol, number"),
        ("url", "string", "path of the file from the project folder"),
        ("symbol", "string", "qualified name of the definition"),
        ("lines", "string", "first and last line"),
        ("text", "string", "text that search and snippets use"),
        ("content_hash", "string", "SHA-256 of the embedded text"),
    ),
    "code_embeddings": (
        ("content_hash", "string", "SHA-256 of the embedded text"),
        ("model_id", "string", "embedding model"),
        ("vector", "array<float32>", "embedding, a vector of length 1"),
    ),
    "code_index": (
        ("id", "string", "stable key of the chunk"),
        ("url", "string", "path of the file from the project folder"),
        ("symbol", "string", "qualified name of the definition"),
        ("text", "string", "text that search and snippets use"),
        ("vector", "array<float32>", "embedding, a vector of length 1"),
    ),
}


def column_schema(stage: str) -> Mapping[str, dg.TableSchema]:
    """The metadata of an asset with its columns."""
    columns = [dg.TableColumn(name, kind, description) for name, kind, description in _COLUMNS[stage]]
    return {"dagster/column_schema": dg.TableSchema(columns)}
