"""Share of a query that the best passages contain in names and sentences, without code.

Code examples are about recipes, travel and shopping, so they contain the words of questions about these by chance.
"""

from collections.abc import Sequence

from searchsocket.search.ranking.names import COMPARISON, query_words
from searchsocket.stores.base import ReadableRecord
from searchsocket.text.words import index_words

_LEAST = 1 / 3  # of the query's words


def is_covered(q: str, best: Sequence[ReadableRecord]) -> bool:
    """Return True if one of these passages contains over a third of the query's words, or none of them has prose."""
    subject = _subject(q)
    is_prose = False
    for readable in best if subject else ():
        sentences = _sentences(readable)
        is_prose |= bool(sentences)
        words = index_words("\n".join([*_names(readable), sentences]))
        if len(subject.intersection(words)) > _LEAST * len(subject):
            return True
    return not is_prose


def is_named(q: str, best: Sequence[ReadableRecord]) -> bool:
    """Return True if a third of the query or more is the title or a heading of a passage: `call` in "call vs fork"."""
    subject = _subject(q)
    names = (query_words(name)[0] for readable in best for name in _names(readable) if name)
    return any(words and words <= subject and len(words) >= _LEAST * len(subject) for words in names)


def _subject(q: str) -> frozenset[str]:
    words, _ = query_words(q)
    return words - COMPARISON or words


def _names(readable: ReadableRecord) -> list[str]:
    page, at = readable.record.page, readable.record.chunk.at
    openings = (opening.title for opening in readable.text.openings)
    return [page.title, page.url.replace("/", " "), *at.heading_path, at.title, *openings]


def _sentences(readable: ReadableRecord) -> str:
    """Return the text without its code."""
    text = readable.text
    ends = (*text.starts[1:], len(text.text))
    return "".join(
        text.text[start:end] for start, end, kind in zip(text.starts, ends, text.kinds, strict=True) if kind != "c"
    )
