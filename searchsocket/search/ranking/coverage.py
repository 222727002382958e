"""Share of a query that the best passages contain in names and sentences; code contains any word by chance.

The examples of a documentation are of recipes, travel and shopping, so questions about these have their words there.
"""

from collections.abc import Sequence

from searchsocket.search.ranking.names import COMPARISON, query_words
from searchsocket.stores.base import ReadableRecord
from searchsocket.text.words import index_text

_LEAST = 1 / 3  # of the query's words


def is_covered(q: str, best: Sequence[ReadableRecord]) -> bool:
    """Return True if one of these passages contains over a third of the query's words; code alone is not judged."""
    asked = _subject(q)
    is_prose = False
    for one in best if asked else ():
        sentences = _sentences(one)
        is_prose |= bool(sentences)
        words = index_text("\n".join([*_names(one), sentences])).split()
        if len(asked.intersection(words)) > _LEAST * len(asked):
            return True
    return not is_prose


def is_named(q: str, best: Sequence[ReadableRecord]) -> bool:
    """Return True if a third of the query or more is the title or a heading of a passage: `call` in "call vs fork"."""
    asked = _subject(q)
    names = (query_words(name)[0] for one in best for name in _names(one) if name)
    return any(words and words <= asked and len(words) >= _LEAST * len(asked) for words in names)


def _subject(q: str) -> frozenset[str]:
    words, _ = query_words(q)
    return words - COMPARISON or words


def _names(readable: ReadableRecord) -> list[str]:
    page, at = readable.record.page, readable.record.chunk.at
    openings = (opening.title for opening in readable.text.openings)
    return [page.title, page.url.replace("/", " "), *at.heading_path, at.title, *openings]


def _sentences(readable: ReadableRecord) -> str:
    """The text without its code."""
    text = readable.text
    ends = (*text.starts[1:], len(text.text))
    return "".join(
        text.text[start:end] for start, end, kind in zip(text.starts, ends, text.kinds, strict=True) if kind != "c"
    )
