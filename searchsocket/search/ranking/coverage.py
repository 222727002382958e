"""Share of a query that the best passages contain in names and sentences; code contains any word by chance.

The examples of a documentation are of recipes, travel and shopping, so questions about these have their words there.
"""

from collections.abc import Sequence

from searchsocket.search.ranking.pages import query_words
from searchsocket.stores.base import ReadableRecord
from searchsocket.text.words import index_text

_LEAST = 1 / 3  # of the query's words


def is_covered(q: str, best: Sequence[ReadableRecord]) -> bool:
    """Return True if one of these passages contains over a third of the query's words; code alone is not judged."""
    asked, _ = query_words(q)
    is_prose = False
    for one in best if asked else ():
        sentences = _sentences(one)
        is_prose |= bool(sentences)
        if len(asked.intersection(index_text(f"{_names(one)}\n{sentences}").split())) > _LEAST * len(asked):
            return True
    return not is_prose


def _names(readable: ReadableRecord) -> str:
    page, at = readable.record.page, readable.record.chunk.at
    openings = "\n".join(opening.title for opening in readable.text.openings)
    headings = "\n".join(at.heading_path)
    return f"{page.title}\n{page.url.replace('/', ' ')}\n{headings}\n{at.title}\n{openings}"


def _sentences(readable: ReadableRecord) -> str:
    """The text without its code."""
    text = readable.text
    ends = (*text.starts[1:], len(text.text))
    return "".join(
        text.text[start:end] for start, end, kind in zip(text.starts, ends, text.kinds, strict=True) if kind != "c"
    )
