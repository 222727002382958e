"""Short summary of a document from its own text."""

from collections.abc import Sequence

from searchsocket.content.markdown.chunk_text import chunk_text
from searchsocket.types import Lines, Record

_MAX_CHARS = 320
_MAX_NAMES = 12
_OF_SENTENCES = "pl"


def summary_of(records: Sequence[Record], common: str = "") -> str:
    """A page's description, or its first whole sentences; of a source file its first comment and what it defines.

    Args:
        records: All of the document, by ordinal; at least one.
        common: A description that tells no page from another.
    """
    if isinstance(records[0].chunk.at, Lines):
        return _of_code(records)
    description = records[0].page.description
    if description and description != common:
        return description
    for record in records:
        if record.chunk.kind != "summary" and (sentences := _first_sentences(record)):
            return sentences
    return description or records[0].page.title


def _first_sentences(record: Record) -> str:
    said = chunk_text(record.page, record.chunk)
    summary = ""
    for start, end, kind in zip(said.starts, [*said.starts[1:], len(said.text)], said.kinds, strict=True):
        sentence = said.text[start:end].strip()
        if kind not in _OF_SENTENCES or not sentence:
            if summary:
                break
            continue
        if summary and len(summary) + len(sentence) >= _MAX_CHARS:
            break
        summary = f"{summary} {sentence}".strip()
    return summary if len(summary) <= 2 * _MAX_CHARS else summary[: 2 * _MAX_CHARS].rsplit(" ", 1)[0] + " …"


def _of_code(records: Sequence[Record]) -> str:
    places = [record.chunk.at for record in records if isinstance(record.chunk.at, Lines)]
    doc = next((" ".join(at.doc.split()) for at in places if at.doc), "")
    names = list(dict.fromkeys(name for at in places for name in at.heading_path if "." not in name))
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    defines = f"defines {', '.join(names[:_MAX_NAMES])}{more}" if names else ""
    return "; ".join(filter(None, (doc[:_MAX_CHARS], defines)))
