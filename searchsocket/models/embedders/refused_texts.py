"""Embed a batch although the server refuses some of its texts (spec 11.1).

A refused batch is halved until each refused text stands alone. Such a text is cut, until the server takes it, or is
left out: it gets a fixed vector that is near no other, so words alone find it. A server that refuses a plain word too
refuses everything, and ends the run.
"""

import hashlib
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np

from searchsocket.errors import EmbedderRefused, EmbedderUnavailable, TextsRefused
from searchsocket.models.embedders.base import Embedder, checked
from searchsocket.types import Vector, Vectors

_PLAIN_WORD = "word"
_MAX_REFUSALS = 16  # in a row, until the plain word is sent
_MAX_CUTS, _MAX_BLIND_CUTS = 12, 4  # requests for one text; blind if the server does not complain of its length
_LEAST_BYTES = 24  # of a text after its cut
_CLOSE = 8  # a cut is good enough within an eighth of the length
_OF_LENGTH = re.compile(
    r"length|too (?:long|large|big|many)|token|context|maximum|exceed|longer|truncat", re.IGNORECASE
)
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]{0,9}(?![\w.]*\d)")
_BYTES_A_TOKEN = 3


class TextItem(Protocol):
    """A text of a batch."""

    @property
    def key(self) -> str: ...
    @property
    def position(self) -> int: ...
    @property
    def text(self) -> str: ...


@dataclass(frozen=True, slots=True)
class RefusedText:
    """A text that the server refused."""

    key: str  # its content hash
    position: int
    reason: str
    is_cut: bool  # False: left out


@cache
def placeholder(dimensions: int) -> Vector:
    """Vector of texts that the server refuses: of unit length, and with a cosine of about 0 to any text.

    It marks such texts in every cache and store. Its signs are fixed, so that it can be recognised.
    """
    blocks = (hashlib.sha256(f"no vector {number}".encode()).digest() for number in range(-(-dimensions // 256)))
    bits = np.unpackbits(np.frombuffer(b"".join(blocks), dtype=np.uint8))[:dimensions]
    vector: Vector = (bits.astype(np.float32) * 2 - 1) / np.float32(np.sqrt(dimensions))
    return vector


class PatientEmbedder:
    """Embeds the batches of one run; safe to share between threads."""

    def __init__(self, embedder: Embedder) -> None:
        self.refused: list[RefusedText] = []
        self._embedder = embedder
        self._lock = threading.Lock()
        self._rows: dict[str, Vector] = {}  # of batches that are not complete: a retry does not pay for them again
        self._refusals = self._most_refusals = 0  # the first refusal is checked with the plain word
        self._max_texts = 1 << 30  # of a request
        self._refused_bytes = 1 << 30  # smallest length that was refused; such texts are sent alone
        self._accepted_bytes = 0  # the length to which the last text was cut

    def embed(self, batch: Sequence[TextItem]) -> Vectors:
        """Embed a batch in order; a text that is left out has the `placeholder`.

        Raises:
            EmbedderRefused: The server refuses every text.
            EmbedderUnavailable, BadVectors: As `Embedder.embed`.
        """
        self._split([item for item in batch if item.key not in self._rows])
        return np.stack([self._rows.pop(item.key) for item in batch])

    def _split(self, items: Sequence[TextItem]) -> int:
        """Embed items in as few requests as the server takes; return the number of those that it refused alone."""
        long = [item for item in items if _size(item.text) >= self._refused_bytes] if len(items) > 1 else []
        if long:
            short = [item for item in items if _size(item.text) < self._refused_bytes]
            return self._split(short) + sum(self._split([item]) for item in long)
        most = self._max_texts
        if len(items) > most:
            return sum(self._split(items[start : start + most]) for start in range(0, len(items), most))
        if not items:
            return 0
        try:
            rows = self._send([item.text for item in items])
        except TextsRefused as refusal:
            if len(items) == 1:
                self._embed_alone(items[0], refusal)
                return 1
            middle = len(items) // 2
            refused = self._split(items[:middle]) + self._split(items[middle:])
            if not refused:  # the request had too many texts
                self._max_texts = min(self._max_texts, max(middle, 1))
            return refused
        except EmbedderUnavailable as error:
            if error.is_fault:  # small servers fail on large requests; the caller tries again after a pause
                self._max_texts = min(self._max_texts, max(len(items) // 2, 1))
            raise
        self._rows.update(zip((item.key for item in items), rows, strict=True))
        return 0

    def _embed_alone(self, item: TextItem, refusal: TextsRefused) -> None:
        """Cut a refused text to what the server takes, or leave it out."""
        is_too_long = bool(_OF_LENGTH.search(refusal.reason))
        row: Vector | None = None
        accepted, refused = 0, _size(item.text)
        size = stated = _stated_bytes(refusal.reason, refused) if is_too_long else 0
        if not stated and is_too_long and self._accepted_bytes < refused:
            size = self._accepted_bytes
        for _ in range(_MAX_CUTS if is_too_long else _MAX_BLIND_CUTS):
            size = size or (accepted + refused) // 2
            if size < _LEAST_BYTES:
                break
            try:
                row = self._send([_start(item.text, size)])[0]
            except TextsRefused:
                refused = size
            else:
                accepted = size
            size = 0
            is_close = accepted == stated or refused - accepted <= refused // _CLOSE
            if accepted and (is_close or not is_too_long):
                break
        if row is not None and is_too_long:
            self._accepted_bytes, self._refused_bytes = accepted, min(refused, self._refused_bytes)
        vector = placeholder(self._embedder.dimensions) if row is None else row
        with self._lock:
            self._rows[item.key] = vector
            self.refused.append(RefusedText(item.key, item.position, refusal.reason, is_cut=row is not None))

    def _send(self, texts: Sequence[str]) -> Vectors:
        """Send one request.

        Raises:
            TextsRefused: The server refuses these texts.
            EmbedderRefused: It refuses every text.
        """
        try:
            rows = self._embedder.embed(texts, "passage")
        except TextsRefused as refusal:
            with self._lock:
                self._refusals += 1
                is_suspect = self._refusals > self._most_refusals
            if is_suspect:
                self._check_server(refusal)
            raise
        with self._lock:
            self._refusals, self._most_refusals = 0, _MAX_REFUSALS
        return checked(rows, len(texts), self._embedder.dimensions, self._embedder.model_id)

    def _check_server(self, refusal: TextsRefused) -> None:
        """Raise EmbedderRefused if the server refuses a plain word too."""
        try:
            self._embedder.embed([_PLAIN_WORD], "passage")
        except TextsRefused:
            raise EmbedderRefused(refusal.problem, refusal.fix) from refusal
        with self._lock:
            self._refusals, self._most_refusals = 0, _MAX_REFUSALS


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _start(text: str, size: int) -> str:
    """Return the beginning of a text, of at most so many bytes."""
    return text.encode("utf-8", "replace")[:size].decode("utf-8", "ignore")


def _stated_bytes(reason: str, size: int) -> int:
    """Return the length that a reason such as `maximum is 512 tokens, requested 633` allows; 0 = it states none."""
    numbers = sorted(number for found in _NUMBER.findall(reason) if (number := int(found.replace(",", ""))) > 1)
    if not numbers:
        return 0
    guess = size * numbers[0] // numbers[-1] if numbers[0] < numbers[-1] else _BYTES_A_TOKEN * numbers[0]
    return guess if _LEAST_BYTES <= guess < size else 0
