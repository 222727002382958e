"""Continuation tokens: the signed position of the next part of an answer. The service stores nothing.

A token contains the request, the index and generation that answered, and the offset. A token that was changed, or that
belongs to another index or an older generation, is refused with an error.
"""

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

from searchsocket.errors import ContinuationGone
from searchsocket.types import Generation

_MAC_BYTES = 16
_LABEL = b"searchsocket continuation 2"  # separates these signatures from other uses of the same key


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
