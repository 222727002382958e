"""Where the next occurrences begin: the word carries no more of the query than what tells it from others."""

import hashlib
import json

from searchsocket.errors import ContinuationGone
from searchsocket.search.continuation import Continuations
from searchsocket.search.occurrences.answer import FindQuery
from searchsocket.types import Generation

MAX_CHARS = 400
_KIND = "find"


def continuation_of(query: FindQuery, generation: Generation, offset: int, words: Continuations) -> str:
    """The word for what follows the first `offset` occurrences."""
    return words.word(_KIND, generation, _digest(query), offset)


def offset_of(query: FindQuery, generation: Generation, words: Continuations) -> int:
    """How many occurrences were given before.

    Raises:
        ContinuationGone: The word is none of ours, of other words or filters, or of a generation that is not live.
    """
    if not query.continuation:
        return 0
    asked, offset = words.position(query.continuation[:MAX_CHARS], _KIND, generation)
    if asked != _digest(query):
        raise ContinuationGone("the continuation belongs to another query; send it with the same words and filters")
    return offset


def _digest(query: FindQuery) -> str:
    asked = [query.q, query.whole_words, query.match_case, query.path_prefix, query.tags, query.filters]
    return hashlib.sha256(json.dumps(asked).encode("utf-8", "replace")).hexdigest()[:16]
