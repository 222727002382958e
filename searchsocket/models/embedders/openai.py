"""Embedder for OpenAI, and for servers with its protocol (spec 11.1).

The key stays in the client: no error, log line or representation contains it, even if a server sends it back.
"""

import base64
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING

import numpy as np

from searchsocket.errors import (
    BadVectors,
    ConfigError,
    ConfigMissing,
    EmbedderRefused,
    EmbedderUnavailable,
    KeyMissing,
    SearchSocketError,
    TextsRefused,
)
from searchsocket.models.calling.provider import ProviderFailure, Rates, Refusal, charged_tokens, json_object
from searchsocket.models.embedders.base import Limits, TextKind, checked
from searchsocket.models.embedders.openai_key import KEY_VARIABLE, MODEL_ID_PREFIX, has_key, key_of, key_variable
from searchsocket.models.paying.cost import estimate_tokens, price_of
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Vector, Vectors

if TYPE_CHECKING:
    from searchsocket.models.embedders.openai_client import OpenAIClient
    from searchsocket.project.settings.model import EmbeddingSettings
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec

DEFAULT_MODEL = "text-embedding-3-small"
DEFAULT_URL = "https://api.openai.com/v1"
INSTALL_HINT = "install it with `pip install searchsocket[openai]`"
_DIMENSIONS = {"text-embedding-3-large": 3072, "text-embedding-3-small": 1536, "text-embedding-ada-002": 1536}
_VOCABULARY = "cl100k_base"  # of these models
_SHORTENED = ("text-embedding-3-large", "text-embedding-3-small")  # models that can return fewer dimensions
_LIMITS = Limits(texts=2_048, tokens_a_text=8_192, tokens=300_000)
# Limits without the vocabulary. A token is at least one byte, so 8,192 bytes have at most the 8,192 tokens that a text
# may have, and 300,000 bytes at most those of a request. The estimate counts one token for every four bytes.
_MAX_TEXT_BYTES = _LIMITS.tokens_a_text
_BYTES_A_TOKEN = 3  # of prose and code about four; a text that is still too long is cut when the server refuses it
_GUESSED_LIMITS = Limits(_LIMITS.texts, _LIMITS.tokens_a_text // 4, _LIMITS.tokens // 4)
_TIMEOUT_S = 60.0
_MAYBE_FORMAT = (400, 422)  # statuses of servers that do not know `encoding_format: base64`
_BYTES_A_NUMBER = 32  # of a vector in JSON; in base64 it takes 6
_MAX_OTHER_BYTES = 1_000_000  # of an answer besides its vectors


def make_openai(settings: "EmbeddingSettings", environ: Mapping[str, str], *, calls: bool = True) -> "OpenAIEmbedder":
    """Create the configured embedder; calls nothing.

    Args:
        calls: False if nothing will be embedded, so that no key is needed.

    Raises:
        ConfigMissing: The key or the library is missing.
        ConfigError: The size of the model's vectors, or its price, is unknown.
    """
    if calls and not has_key(settings, environ):
        raise KeyMissing(
            f"the openai provider needs its key in ${key_variable(settings)} or ${KEY_VARIABLE}; set it, or embed on "
            "this machine with `EMBEDDINGS_PROVIDER=local searchsocket index --force`",
            f"set ${key_variable(settings)}, or embed on this machine with `EMBEDDINGS_PROVIDER=local`",
        )
    model = settings.model or DEFAULT_MODEL
    dimensions = settings.dimensions or _DIMENSIONS.get(model)
    if dimensions is None:
        raise ConfigError(f"the vector size of {model!r} is unknown; set embeddings.dimensions")
    return OpenAIEmbedder(
        model,
        dimensions,
        key_of(settings, environ) or "none",
        base_url=settings.base_url or DEFAULT_URL,
        price_per_million_tokens_usd=price_of(model, settings.price_per_million_tokens_usd),
        key_variable=KEY_VARIABLE if environ.get(KEY_VARIABLE, "").strip() else key_variable(settings),
        max_tokens=settings.max_tokens or 0,
    )


class OpenAIEmbedder:
    """Embedder of one model at one address.

    A text is cut after `max_tokens`, at most 8,192. If tokens cannot be counted, it is cut after three bytes for each
    of `max_tokens`, or after 8,192 bytes.
    """

    tolerance = 1e-3  # the order of its sums varies; cosines of equal texts stay above 0.999
    is_instant = False
    is_remote = True

    def __init__(
        self,
        model: str,
        dimensions: int,
        key: str,
        *,
        base_url: str = DEFAULT_URL,
        price_per_million_tokens_usd: float = 0.0,
        timeout_s: float | None = None,
        key_variable: str = "",
        max_tokens: int = 0,
    ) -> None:
        """Create the client; calls nothing.

        Args:
            key_variable: Name of the key's variable, for advice.
            max_tokens: Maximum tokens of a text; 0 = the model's own.
            timeout_s: Deadline of a request, from its connection to the last byte of the answer; None = 60.

        Raises:
            ConfigMissing: The library is not installed.
            ConfigError: The address cannot be used.
        """
        self.model_id = f"{MODEL_ID_PREFIX}{model}-{dimensions}"
        self.dimensions = dimensions
        self.price_per_million_tokens_usd = price_per_million_tokens_usd
        self._count = vocabulary_of(model)
        most = _LIMITS if self._count else _GUESSED_LIMITS
        self._max_tokens = min(max_tokens or _LIMITS.tokens_a_text, _LIMITS.tokens_a_text)
        self._max_bytes = min(_BYTES_A_TOKEN * max_tokens or _MAX_TEXT_BYTES, _MAX_TEXT_BYTES)
        self.limits = replace(most, tokens_a_text=min(self._max_tokens, most.tokens_a_text))
        self._body: JsonObject = {"model": model, "encoding_format": "base64"}
        if model in _SHORTENED and dimensions != _DIMENSIONS[model]:
            self._body["dimensions"] = dimensions
        self._lock = threading.Lock()
        self._rates = Rates(time.monotonic)
        self._charged = 0  # tokens that were not reported yet
        self._has_base64 = False  # the server has answered in base64
        key_fix = f"set a key that may use the model in {f'${key_variable}' if key_variable else 'its variable'}"
        self._client = _client(key, base_url, timeout_s or _TIMEOUT_S, key_fix)

    def embed(self, texts: Sequence[str], kind: TextKind) -> Vectors:
        """Embed texts in order (see `Embedder.embed`); queries and passages are embedded alike. One attempt."""
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        max_bytes = len(texts) * self.dimensions * _BYTES_A_NUMBER + _MAX_OTHER_BYTES
        try:
            content, headers = self._answer([self._cut(text) for text in texts], max_bytes)
        except ProviderFailure as failure:
            refusal = failure.refusal
        else:
            self._rates.note(headers)
            body = json_object(content, self.model_id, BadVectors)
            with self._lock:  # unusable vectors are charged too
                self._charged += _charge(body, texts)
            return checked(self._rows(body, len(texts)), len(texts), self.dimensions, self.model_id)
        raise _error_of(refusal)

    def _rows(self, body: JsonObject, count: int) -> Vectors:
        try:
            return _rows(body, count, self.model_id)
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            reason = self._client.reason_in(body) or type(error).__name__  # some servers answer a refusal with 200
            raise BadVectors(f"{self.model_id} did not answer with embeddings ({reason})") from error

    def _answer(self, texts: Sequence[str], max_bytes: int) -> tuple[bytes, Mapping[str, str]]:
        """Request vectors in base64, which is a fifth of the bytes; as numbers from a server that refuses base64."""
        try:
            answer = self._client.embeddings(texts, self._body, max_bytes)
            self._has_base64 = True
            return answer
        except ProviderFailure as failure:
            if self._has_base64 or failure.refusal.status not in _MAYBE_FORMAT:
                raise
        numbers: JsonObject = {**self._body, "encoding_format": "float"}
        answer = self._client.embeddings(texts, numbers, max_bytes)
        self._body = numbers
        return answer

    def count_tokens(self, text: str) -> int:
        """Count tokens with the model's vocabulary; an estimate if that is not installed."""
        count = self._count(_utf8(text)) if self._count else estimate_tokens(text)
        return min(count, self.limits.tokens_a_text)

    def wait_s(self, tokens: int) -> float:
        """Return the seconds until a call of so many tokens is accepted, by the limits in earlier answers."""
        return self._rates.wait_s(tokens)

    def charged_tokens(self) -> int:
        """Return the tokens charged since the last call; an estimate for answers that do not report them."""
        with self._lock:
            charged, self._charged = self._charged, 0
        return charged

    def _cut(self, text: str) -> str:
        """Cut a text to the provider's limit; an empty text, which it would refuse, becomes a space."""
        text = _utf8(text)
        if self._count:
            return longest_start(text, self._max_tokens, self._count) or " "
        return text.encode("utf-8")[: self._max_bytes].decode("utf-8", "ignore") or " "


def _error_of(refusal: Refusal) -> SearchSocketError:
    if refusal.is_transient:
        return EmbedderUnavailable(
            refusal.message,
            refusal.retry_after_s,
            is_limit=refusal.is_rate_limit,
            is_fault=refusal.status == HTTPStatus.INTERNAL_SERVER_ERROR,
        )
    if refusal.is_of_content:
        return TextsRefused(refusal.message, refusal.fix, reason=refusal.reason)
    return EmbedderRefused(refusal.message, refusal.fix)


def _client(key: str, base_url: str, timeout_s: float, key_fix: str) -> "OpenAIClient":
    try:
        from searchsocket.models.embedders.openai_client import OpenAIClient
    except ImportError as error:
        raise ConfigMissing(f"the openai provider needs {error.name}; {INSTALL_HINT}") from error
    return OpenAIClient(key, base_url, timeout_s, key_fix)


def _utf8(text: str) -> str:
    """Replace lone surrogates, so that hostile input does not stop the run."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _charge(body: JsonObject, texts: Sequence[str]) -> int:
    """Return the tokens of an answer: as charged, or estimated if it reports none."""
    return charged_tokens(body, sum(map(len, texts)), len(texts)) or sum(map(estimate_tokens, texts))


def _rows(body: JsonObject, count: int, origin: str) -> Vectors:
    """Return the vectors of an answer, in the order of the texts."""
    rows: dict[int, Vector] = {}
    items = body["data"]
    has_indices = any("index" in item for item in items)
    for position, item in enumerate(items):
        vector = item["embedding"]
        rows[int(item["index"]) if has_indices else position] = (
            np.frombuffer(base64.b64decode(vector, validate=True), dtype="<f4")
            if isinstance(vector, str)
            else np.array(vector, dtype=np.float32)
        )
    if sorted(rows) != list(range(count)):
        raise BadVectors(f"{origin} returned {len(rows)} vectors for {count} texts")
    return np.stack([rows[index] for index in range(count)])


def vocabulary_of(model: str) -> Callable[[str], int] | None:
    """Return a token counter of the model, for valid UTF-8; None if it is unknown or not installed.

    The vocabulary is loaded at the first count, in 0.7 s and 100 MB.
    """
    if model not in _DIMENSIONS or find_spec("bpe_openai") is None:
        return None
    return lambda text: _counter()(text)


@cache
def _counter() -> Callable[[str], int]:
    # The public function returns a list of tokens, in ten times the time; this private function only counts.
    from bpe_openai._bindings import tokenizer_for_encoding

    count: Callable[[str], int] = tokenizer_for_encoding(_VOCABULARY).count
    return count


def longest_start(text: str, max_tokens: int, count: Callable[[str], int]) -> str:
    """Return the longest beginning of a text with at most so many tokens."""
    if len(text.encode("utf-8")) <= max_tokens or count(text) <= max_tokens:  # a token is at least one byte
        return text
    fits, beyond = 0, len(text)
    while beyond - fits > 1:
        middle = (fits + beyond) // 2
        if count(text[:middle]) <= max_tokens:
            fits = middle
        else:
            beyond = middle
    return text[:fits]
