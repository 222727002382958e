"""Continuation of a list of occurrences: an offset and a short hash of the query."""

import hashlib
import json
from collections.abc import Sequence

from searchsocket.errors import ContinuationGone
from searchsocket.search.continuation import Continuations
from searchsocket.types import Generation

MAX_CHARS = 400
_KIND = "find"


def continuation_of(request: Sequence[object], generation: Generation, offset: int, words: Continuations) -> str:
    """Return the token for the occurrences after the first `offset` ones.

    Args:
        request: The text and filters of the request; plain values.
    """
    return words.word(_KIND, generation, _digest(request), offset)


def offset_of(continuation: str, request: Sequence[object], generation: Generation, words: Continuations) -> int:
    """Return the number of occurrences in previous answers.

    Raises:
        ContinuationGone: The token is not valid, or belongs to another query or a generation that is not live.
    """
    if not continuation:
        return 0
    digest, offset = words.position(continuation[:MAX_CHARS], _KIND, generation)
    if digest != _digest(request):
        raise ContinuationGone("the continuation belongs to another query; send it with the same words and filters")
    return offset


def _digest(request: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(request).encode("utf-8", "replace")).hexdigest()[:16]
