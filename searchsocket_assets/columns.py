"""The columns of each stage's output that a person asks for first; `searchsocket/types.py` has all of them."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

_COLUMNS = {
    "site_pages": (
        ("url", "string", "canonical address; one row each"),
        ("locator", "string", "where the source finds it: a file, an address"),
        ("raw_hash", "string", "sha256 of its bytes"),
        ("bytes", "int", "size of the page"),
    ),
    "page_mirror": (
        ("url", "string", "canonical address; one file each"),
        ("title", "string", "as the page says it"),
        ("route_file", "string", "the route that made it; empty for none"),
        ("incoming_links", "int", "other pages that link here"),
        ("body", "string", "main content as Markdown"),
    ),
    "page_chunks": (
        ("id", "string", "stable key of the chunk"),
        ("url", "string", "its page"),
        ("heading_path", "array<string>", "headings above it, outermost first"),
        ("text", "string", "what is searched and quoted"),
        ("content_hash", "string", "sha256 of the text that is embedded"),
    ),
    "chunk_embeddings": (
        ("content_hash", "string", "sha256 of the text"),
        ("model_id", "string", "whose vector it is"),
        ("vector", "array<float32>", "of unit length"),
    ),
    "search_index": (
        ("id", "string", "stable key of the chunk"),
        ("url", "string", "its page"),
        ("title", "string", "title of the page"),
        ("text", "string", "what is searched and quoted"),
        ("vector", "array<float32>", "of unit length"),
    ),
    "llms_txt": (
        ("url", "string", "its page; one file each"),
        ("title", "string", "of the page"),
        ("note", "string", "what it says, in a line"),
        ("size", "int", "bytes of its Markdown"),
    ),
    "code_files": (
        ("url", "string", "path from the project's top; one row each"),
        ("locator", "string", "the same path"),
        ("raw_hash", "string", "sha256 of its bytes"),
        ("bytes", "int", "size of the file"),
    ),
    "code_chunks": (
        ("id", "string", "stable key of the chunk: path, symbol, number among equals"),
        ("url", "string", "its file"),
        ("symbol", "string", "qualified name of what is defined"),
        ("lines", "string", "first and last"),
        ("text", "string", "what is searched and quoted"),
        ("content_hash", "string", "sha256 of the text that is embedded"),
    ),
    "code_embeddings": (
        ("content_hash", "string", "sha256 of the text"),
        ("model_id", "string", "whose vector it is"),
        ("vector", "array<float32>", "of unit length"),
    ),
    "code_index": (
        ("id", "string", "stable key of the chunk"),
        ("url", "string", "its file"),
        ("symbol", "string", "qualified name of what is defined"),
        ("text", "string", "what is searched and quoted"),
        ("vector", "array<float32>", "of unit length"),
    ),
}


def column_schema(stage: str) -> Mapping[str, Any]:
    """The metadata of an asset that names its columns."""
    columns = [dg.TableColumn(name, kind, description) for name, kind, description in _COLUMNS[stage]]
    return {"dagster/column_schema": dg.TableSchema(columns)}
