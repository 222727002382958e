"""One project of Pinecone: the client is imported at the first request, and errors never contain the key."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

from searchsocket.errors import ConfigMissing, VectorBackendRefused, VectorBackendUnavailable
from searchsocket.system.retry_after import retry_after_s
from searchsocket.text.provider_words import provider_message

T = TypeVar("T")
_READ_TRIES = 2  # a kept-alive connection may be closed; more tries would delay the query
_WRITE_TRIES = 6
_MAX_WAIT_S = 20.0
_MAX_ANSWER_BYTES = 64_000_000  # sixteen times the service's documented maximum


class PineconeConnection:
    """Connection to Pinecone, made at the first call. Safe to share between threads."""

    def __init__(
        self,
        key: str,
        *,
        key_env: str = "PINECONE_API_KEY",
        host: str = "",
        timeout_s: float = 10.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Connects to nothing yet.

        Args:
            key: The project's.
            key_env: The variable with the key, for errors.
            host: Address of the list of indexes; "" = the service's own.
            timeout_s: For each request.
            sleep: Waits seconds before another try.
        """
        self.timeout_s = timeout_s
        self.sleep = sleep
        self._key = key
        self._key_env = key_env
        self._host = host
        self._lock = threading.Lock()
        self._client: Any = None
        self._data: dict[str, Any] = {}  # clients by host
        self._lost: set[str] = set()

    def __repr__(self) -> str:
        return f"PineconeConnection({self._host or 'Pinecone'})"

    def indexes(self) -> Any:
        """The vendor's client of the list of indexes.

        Raises:
            ConfigMissing: It is not installed.
        """
        with self._lock:
            if self._client is None:
                self._client = self._new_client()
                self._bound(self._client.indexes)
            return self._client.indexes

    def data(self, host: str) -> Any:
        """The vendor's client of one index."""
        self.indexes()
        with self._lock:
            if host not in self._data:
                index = self._client.index(host=host)
                self._bound(index)
                self._data[host] = index
            return self._data[host]

    def _bound(self, client: Any) -> None:
        """Give a vendor's client a transport that ends requests in time and tries each once.

        The client has no setting for it. Its own transport tries again for up to four minutes.
        """
        from searchsocket.system.bounded_http import BoundedTransport

        client._http._client._transport = BoundedTransport(self.timeout_s, _MAX_ANSWER_BYTES, keep_s=60.0)

    def was_lost(self, index: str) -> bool:
        """Return True if the index was unreachable since the last call, so its address may have changed."""
        with self._lock:
            was_lost = index in self._lost
            self._lost.discard(index)
            return was_lost

    def read(self, ask: Callable[[], T], index: str = "") -> T:
        """The answer to a read; a failure is retried once.

        Raises:
            VectorBackendUnavailable: The service cannot be reached, or refuses.
        """
        return self._tried(ask, index, _READ_TRIES)

    def write(self, ask: Callable[[], T], index: str = "") -> T:
        """The answer to a write; a failure is retried as long as that may help.

        Raises:
            VectorBackendUnavailable: The service cannot be reached, or refuses.
        """
        return self._tried(ask, index, _WRITE_TRIES)

    def _tried(self, ask: Callable[[], T], index: str, tries: int) -> T:
        def wait_s(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            usual_s = 0.0 if tries == _READ_TRIES else 0.25 * 2**state.attempt_number
            return min(max(usual_s, pause_s(error)), _MAX_WAIT_S)

        def is_worth_it(error: BaseException) -> bool:
            return is_passing(error) and (tries > _READ_TRIES or not pause_s(error))

        tried = Retrying(
            stop=stop_after_attempt(tries),
            wait=wait_s,
            retry=retry_if_exception(is_worth_it),
            sleep=self.sleep,
            reraise=True,
        )
        try:
            return tried(ask)
        except (ConfigMissing, VectorBackendUnavailable):
            raise
        except Exception as error:  # noqa: BLE001  the client's own errors, and plain ones for unsent requests
            with self._lock:
                self._lost.add(index)
            raise refusal(error, index, self._key_env, self._key) from None

    def _new_client(self) -> Any:
        try:
            from pinecone import Pinecone, RetryConfig
        except ImportError as error:
            raise ConfigMissing(
                "vector.provider is pinecone, which needs the client: pip install 'searchsocket[pinecone]'"
            ) from error
        logging.getLogger("pinecone").setLevel(logging.CRITICAL)  # it raises all that it logs
        try:
            return Pinecone(
                api_key=self._key,
                host=self._host or "https://api.pinecone.io",  # never what the client finds in the environment
                timeout=self.timeout_s,
                retry_config=RetryConfig(max_retries=0),
            )
        except ValueError as error:
            raise ConfigMissing(
                f"the key in {self._key_env} is invalid; check it for spaces and line breaks"
            ) from error


_ADVICE = {
    401: "it rejects the key in {key_env}; set a valid key of this project and run again",
    402: "the account has an unpaid bill, see https://app.pinecone.io",
    403: "the key lacks permission or a quota is used up, see https://app.pinecone.io",
    413: "a request was too large; run again with fewer dimensions (`embeddings.dimensions`)",
    429: "it throttles this project; run again later",
}

_FINAL = (400, 401, 402, 403, 404, 413)  # a retry fails until somebody changes something


def refusal(error: Exception, index: str, key_env: str, key: str) -> VectorBackendUnavailable:
    """The error to raise.

    Args:
        error: The error of the vendor's client.
        index: The index of the request; "" = the list of indexes.
        key: Removed from the message of the service.
    """
    what = f"Pinecone index {index!r}" if index else "Pinecone"
    status = getattr(error, "status_code", None)
    text = provider_message(str(getattr(error, "message", "") or error).split("\n")[0], key)
    if status == 404 and index:
        advice = "it does not exist; `searchsocket index --resync` creates and fills it, without embedding again"
    else:
        advice = _ADVICE.get(status or 0, "").format(key_env=key_env or "the environment")
    reply = f"{status}: {text}" if status else f"{text or type(error).__name__}"
    message = f"{what}: {advice} ({reply})" if advice else f"{what}: {reply}"
    if status in _FINAL:
        return VectorBackendRefused(message)
    return VectorBackendUnavailable(message, retry_after_s=pause_s(error) or 1.0)


def is_passing(error: BaseException) -> bool:
    """Return True if the same request may succeed in a moment; no request of ours is applied twice."""
    status = getattr(error, "status_code", None)
    return status in (408, 429, 500, 502, 503, 504) if status else _is_broken(error)


def pause_s(error: BaseException | None) -> float:
    """Seconds that the service asks us to wait; 0 if it does not."""
    headers: Mapping[str, str] = getattr(error, "headers", None) or {}
    return retry_after_s(headers) or 0.0


def _is_broken(error: BaseException) -> bool:
    from pinecone.errors.exceptions import PineconeConnectionError, PineconeTimeoutError, ResponseParsingError

    return isinstance(error, PineconeConnectionError | PineconeTimeoutError | ResponseParsingError)
