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
    """The word for what follows the first `offset` occurrences.

    Args:
        request: What was looked for, and where; plain values.
    """
    return words.word(_KIND, generation, _digest(request), offset)


def offset_of(continuation: str, request: Sequence[object], generation: Generation, words: Continuations) -> int:
    """The number of occurrences that were already returned.

    Raises:
        ContinuationGone: The word is none of ours, of other words or filters, or of a generation that is not live.
    """
    if not continuation:
        return 0
    digest, offset = words.position(continuation[:MAX_CHARS], _KIND, generation)
    if digest != _digest(request):
        raise ContinuationGone("the continuation belongs to another query; send it with the same words and filters")
    return offset


def _digest(request: Sequence[object]) -> str:
    return hashlib.sha256(json.dumps(request).encode("utf-8", "replace")).hexdigest()[:16]
