"""The columns of each stage's output that a person asks for first; `searchsocket/types.py` has all of them."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

_COLUMNS = {
    "site_pages": (
        ("url", "string", "canonical URL; one row per page"),
        ("locator", "string", "file or URL in the source"),
        ("raw_hash", "string", "sha256 of its bytes"),
        ("bytes", "int", "size of the page"),
    ),
    "page_mirror": (
        ("url", "string", "canonical URL; one file per page"),
        ("title", "string", "from the page"),
        ("route_file", "string", "route file of the page; empty if unknown"),
        ("incoming_links", "int", "other pages that link here"),
        ("body", "string", "main content as Markdown"),
    ),
    "page_chunks": (
        ("id", "string", "stable key of the chunk"),
        ("url", "string", "its page"),
        ("heading_path", "array<string>", "headings above it, outermost first"),
        ("text", "string", "text that is searched and quoted"),
        ("content_hash", "string", "sha256 of the text that is embedded"),
    ),
    "chunk_embeddings": (
        ("content_hash", "string", "sha256 of the text"),
        ("model_id", "string", "text of the vector"),
        ("vector", "array<float32>", "of unit length"),
    ),
    "search_index": (
        ("id", "string", "stable key of the chunk"),
        ("url", "string", "its page"),
        ("title", "string", "title of the page"),
        ("text", "string", "text that is searched and quoted"),
        ("vector", "array<float32>", "of unit length"),
    ),
    "llms_txt": (
        ("url", "string", "its page; one file each"),
        ("title", "string", "of the page"),
        ("note", "string", "summary in one line"),
        ("size", "int", "bytes of its Markdown"),
    ),
    "code_files": (
        ("url", "string", "path from the project folder; one row per file"),
        ("locator", "string", "the same path"),
        ("raw_hash", "string", "sha256 of its bytes"),
        ("bytes", "int", "size of the file"),
    ),
    "code_chunks": (
        ("id", "string", "stable key of the chunk: path, symbol, number among equals"),
        ("url", "string", "its file"),
        ("symbol", "string", "qualified name of the definition"),
        ("lines", "string", "first and last"),
        ("text", "string", "text that is searched and quoted"),
        ("content_hash", "string", "sha256 of the text that is embedded"),
    ),
    "code_embeddings": (
        ("content_hash", "string", "sha256 of the text"),
        ("model_id", "string", "text of the vector"),
        ("vector", "array<float32>", "of unit length"),
    ),
    "code_index": (
        ("id", "string", "stable key of the chunk"),
        ("url", "string", "its file"),
        ("symbol", "string", "qualified name of the definition"),
        ("text", "string", "text that is searched and quoted"),
        ("vector", "array<float32>", "of unit length"),
    ),
}


def column_schema(stage: str) -> Mapping[str, Any]:
    """The metadata of an asset that names its columns."""
    columns = [dg.TableColumn(name, kind, description) for name, kind, description in _COLUMNS[stage]]
    return {"dagster/column_schema": dg.TableSchema(columns)}
