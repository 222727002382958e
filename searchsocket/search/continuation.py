"""Continuation tokens: the signed position of the next part of an answer. The service stores nothing.

It carries what was asked, the index and generation that answered, and how much was given. Whoever changed it, made it,
or sends it to another index or after a publish is told so, and never answered with something else.
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
_LABEL = b"searchsocket continuation 2"  # so that a key which is used for more signs nothing else of this form


class Position(NamedTuple):
    """Position at which an answer continues."""

    request: Any  # JSON: what `Continuations.word` was given
    offset: int


class Continuations:
    """Makes words and reads them.

    Args:
        key: What all services of a project share, of any length; read once, when the first word is made or read.
            Without it, words are good in this process alone.
    """

    def __init__(self, key: Callable[[], bytes] = lambda: secrets.token_bytes(32)) -> None:
        self._make_key = key

    @cached_property
    def _key(self) -> bytes:
        return hmac.digest(self._make_key(), _LABEL, hashlib.sha256)

    def word(self, kind: str, generation: Generation, request: object, offset: int) -> str:
        """The word for what follows the first `offset` parts of an answer.

        Args:
            kind: Of the request, so that one of another kind takes no word of this.
            request: JSON of all that decides what follows.
        """
        payload = json.dumps(
            [kind, *_place(generation), generation.name, offset, request], separators=(",", ":")
        ).encode()
        return base64.urlsafe_b64encode(self._mac(payload) + payload).decode().rstrip("=")

    def position(self, word: str, kind: str, generation: Generation) -> Position:
        """The position in a token.

        Raises:
            ContinuationGone: It is none of ours, was changed, or is of another request, index or generation.
        """
        try:
            data = base64.b64decode(word + "=" * (-len(word) % 4), altchars="-_", validate=True)
        except (ValueError, binascii.Error) as error:
            raise _foreign() from error
        mac, payload = data[:_MAC_BYTES], data[_MAC_BYTES:]
        if not hmac.compare_digest(mac, self._mac(payload)):
            raise _foreign()
        of, *place, name, offset, request = json.loads(payload)
        if of != kind:
            raise ContinuationGone(f"the continuation token belongs to {of}, not to {kind}")
        if place != _place(generation):
            raise ContinuationGone("the continuation token belongs to another folder")
        if name != generation.name:
            raise ContinuationGone(
                f"the continuation token belongs to generation {name!r}, and {generation.name!r} is live now; "
                f"leave the "
                f"token out to start again"
            )
        return Position(request, offset)

    def _mac(self, payload: bytes) -> bytes:
        return hmac.digest(self._key, payload, hashlib.sha256)[:_MAC_BYTES]


def _foreign() -> ContinuationGone:
    return ContinuationGone(
        "the continuation token is invalid; leave it out to start again. Services on several machines need the "
        "same $SEARCHSOCKET_SIGNING_SECRET"
    )


def _place(generation: Generation) -> list[str]:
    return [generation.project_id, generation.scope]
