"""Records as the rows that are staged."""

from typing import Any

from searchsocket.content.markdown.chunk_text import chunk_text, text_of_code
from searchsocket.stores.local.catalogue import plain
from searchsocket.stores.local.catalogue.columns import record_of, values_of
from searchsocket.text.storable import storable
from searchsocket.types import Code, Record


def row_of(record: Record) -> tuple[Any, ...]:
    """The values of `RECORD_NAMES`, ready for SQLite."""
    values = values_of(record)
    if isinstance(body := record.chunk.body, Code):  # nothing else is said of it
        text = storable(body.text)
        return (*values, *plain.packed(text_of_code(text), text))
    clean = record_of(values, record)  # with clean texts
    return (*values, *plain.packed(chunk_text(clean.page, clean.chunk), clean.chunk.body.text))
