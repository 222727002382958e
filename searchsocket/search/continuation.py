"""Parts of an answer: what fits into a token budget, and signed tokens with the position of the next part.

A token contains the request, the index and generation that answered, and the offset. A token that was changed, or that
belongs to another index or an older generation, is refused with an error.
"""

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from searchsocket.errors import ContinuationGone, InvalidRequest
from searchsocket.search.bounds import LEAST_MAX_TOKENS, MAX_LIMIT, MOST_MAX_TOKENS
from searchsocket.text.token_count import count_tokens
from searchsocket.types import Generation

_MAC_BYTES = 16
_LABEL = b"searchsocket continuation 2"  # separates these signatures from other uses of the same key

OVERHEAD = 120  # tokens per passage for its names, scores and source
_ENOUGH = 0.98  # of the budget; the search for the cut ends there
_CHARS_PER_TOKEN = 4  # approximate; that search starts here, so that it does not count a long text

R = TypeVar("R")
DEFAULT_LIMIT = 10


class Position(NamedTuple):
    """Position at which an answer continues."""

    request: Any  # JSON: the `request` of `Continuations.word`
    offset: int


class Continuations:
    """Makes and reads continuation tokens.

    Args:
        key: Returns the secret that all services of a project share, of any length; called once, on first use.
            By default tokens are valid in this process only.
    """

    def __init__(self, key: Callable[[], bytes] = lambda: secrets.token_bytes(32)) -> None:
        self._make_key = key

    @cached_property
    def _key(self) -> bytes:
        return hmac.digest(self._make_key(), _LABEL, hashlib.sha256)

    def make_token(self, kind: str, generation: Generation, request: object, offset: int) -> str:
        """Return the token for the results after the first `offset` ones.

        Args:
            kind: Kind of the request; other kinds refuse the token.
            request: JSON of all values that determine the next results.
        """
        payload = json.dumps(
            [kind, *_index(generation), generation.name, offset, request], separators=(",", ":")
        ).encode()
        return base64.urlsafe_b64encode(self._mac(payload) + payload).decode().rstrip("=")

    def position(self, word: str, kind: str, generation: Generation) -> Position:
        """Return the position in a token.

        Raises:
            ContinuationGone: The token is not valid, or belongs to another kind of request, index or generation.
        """
        try:
            data = base64.b64decode(word + "=" * (-len(word) % 4), altchars="-_", validate=True)
        except (ValueError, binascii.Error) as error:
            raise _invalid_token() from error
        mac, payload = data[:_MAC_BYTES], data[_MAC_BYTES:]
        if not hmac.compare_digest(mac, self._mac(payload)):
            raise _invalid_token()
        token_kind, *index, name, offset, request = json.loads(payload)
        if token_kind != kind:
            raise ContinuationGone(f"the continuation token belongs to {token_kind}, not to {kind}")
        if index != _index(generation):
            raise ContinuationGone("the continuation token belongs to another folder")
        if name != generation.name:
            raise ContinuationGone(
                f"the continuation token belongs to generation {name!r}, and {generation.name!r} is live now; "
                "remove the token to start again"
            )
        return Position(request, offset)

    def _mac(self, payload: bytes) -> bytes:
        return hmac.digest(self._key, payload, hashlib.sha256)[:_MAC_BYTES]


def _invalid_token() -> ContinuationGone:
    return ContinuationGone(
        "the continuation token is invalid; remove it to start again. Services on several machines need the "
        "same $SEARCHSOCKET_SIGNING_SECRET"
    )


def _index(generation: Generation) -> list[str]:
    return [generation.project_id, generation.scope]


def json_tokens(value: object) -> int:
    """Count the tokens of a value as JSON, with its escaped line breaks and quotes."""
    return count_tokens(json.dumps(value, ensure_ascii=False))


def fitting(results: Sequence[R], text_of: Callable[[R], str], max_tokens: int) -> tuple[R, ...]:
    """Return the first results that fit whole; the first one always."""
    remaining = max_tokens
    for number, result in enumerate(results):
        remaining -= json_tokens(text_of(result)) + OVERHEAD
        if remaining < 0 and number:
            return tuple(results[:number])
    return tuple(results)


def cut_to(text: str, max_tokens: int) -> str:
    """Return the longest beginning of a text that fits, cut after a paragraph, else a line, else a word."""
    fits, beyond = 0, min(len(text), _CHARS_PER_TOKEN * max(1, max_tokens))
    while json_tokens(text[:beyond]) <= max_tokens:
        if beyond == len(text):
            return text
        fits, beyond = beyond, min(len(text), 2 * beyond)
    while beyond - fits > max(8, int(fits * (1 - _ENOUGH))):
        middle = (fits + beyond) // 2
        if json_tokens(text[:middle]) <= max_tokens:
            fits = middle
        else:
            beyond = middle
    for mark in ("\n\n", "\n", " "):
        end = text.rfind(mark, fits // 2, fits)
        if end > 0:
            return text[: end + len(mark)]
    return text[:fits]


def check_bounds(limit: int | None, max_tokens: int | None, most: int = MAX_LIMIT) -> None:
    """Check the limits of a request.

    Raises:
        InvalidRequest: A limit is out of range.
    """
    if limit is not None and not 1 <= limit <= most:
        raise InvalidRequest(f"limit must be from 1 to {most}, not {limit}")
    if max_tokens is not None and not LEAST_MAX_TOKENS <= max_tokens <= MOST_MAX_TOKENS:
        raise InvalidRequest(f"max_tokens must be from {LEAST_MAX_TOKENS} to {MOST_MAX_TOKENS}, not {max_tokens}")
