"""Where the next part of an answer begins, as a word that callers send back: the service keeps nothing of it."""

import base64
import binascii
import hashlib
import json

from searchsocket.errors import ContinuationGone
from searchsocket.search.occurrences.answer import FindQuery
from searchsocket.stores.base import IndexReader

MAX_CHARS = 400


def continuation_of(query: FindQuery, reader: IndexReader, offset: int) -> str:
    """The word for what follows the first `offset` occurrences."""
    told = json.dumps([reader.generation.name, offset, _digest(query)])
    return base64.urlsafe_b64encode(told.encode()).decode()


def offset_of(query: FindQuery, reader: IndexReader) -> int:
    """How many occurrences were given before.

    Raises:
        ContinuationGone: The word is none of ours, of other words or filters, or of a generation that is not live.
    """
    if not query.continuation:
        return 0
    try:
        generation, offset, digest = json.loads(base64.urlsafe_b64decode(query.continuation[:MAX_CHARS]))
        is_ours = isinstance(offset, int) and offset > 0 and digest == _digest(query)
    except (ValueError, TypeError, binascii.Error) as error:
        raise ContinuationGone("the continuation is none that this service gave; leave it out to begin anew") from error
    if not is_ours:
        raise ContinuationGone("the continuation belongs to another query; send it with the same words and filters")
    if generation != reader.generation.name:
        raise ContinuationGone(
            f"the continuation is of generation {str(generation)[:40]!r}, and {reader.generation.name!r} is live by "
            "now; leave it out to begin anew"
        )
    return int(offset)


def _digest(query: FindQuery) -> str:
    asked = [query.q, query.whole_words, query.match_case, query.path_prefix, query.tags, query.filters]
    return hashlib.sha256(json.dumps(asked).encode("utf-8", "replace")).hexdigest()[:16]
