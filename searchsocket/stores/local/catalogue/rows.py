"""Records as the rows that are staged; other processes can make them."""

from collections.abc import Sequence
from operator import itemgetter

from searchsocket.content.markdown.chunk_text import chunk_text, text_of_code
from searchsocket.stores.base.vector_store import RecordRows, check_records, model_id_of
from searchsocket.stores.local.catalogue.columns import NAMES, record_of, values_of
from searchsocket.stores.local.catalogue.packed_texts import packed_plain
from searchsocket.stores.local.catalogue.records import path_key
from searchsocket.stores.words.documents import WordRow, words_of
from searchsocket.text.storable import storable
from searchsocket.types import Code, Record, Scope

_WORD_COLUMNS = itemgetter(*[NAMES.index(name) + 1 for name in WordRow._fields])  # after the sort key


def rows_of(records: Sequence[Record], scope: Scope, project_id: str) -> RecordRows:
    """The rows of some records, for `Publisher.upsert_rows`.

    Args:
        project_id: The project that owns the index.

    Raises:
        ProjectMismatch, InvalidScope: A record belongs to another project or scope.
        EmbeddingModelMismatch: The records have two models.
    """
    check_records(records, scope, project_id)
    rows = [(path_key(record.page.url), *_row_of(record)) for record in records]
    words = words_of(map(WordRow._make, map(_WORD_COLUMNS, rows)))
    return RecordRows(model_id_of(records), [record.content_hash for record in records], rows, words)


def _row_of(record: Record) -> tuple[object, ...]:
    values = values_of(record)
    if isinstance(body := record.chunk.body, Code):  # nothing else is said of it
        text = storable(body.text)
        return (*values, *packed_plain(text_of_code(text), text))
    clean = record_of(values, record)  # with clean texts
    return (*values, *packed_plain(chunk_text(clean.page, clean.chunk), clean.chunk.body.text))
