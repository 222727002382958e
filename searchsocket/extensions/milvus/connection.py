"""One Milvus server: the client is imported and connected at the first call, and errors never contain the token."""

import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from searchsocket.errors import ConfigMissing, VectorBackendRefused, VectorBackendUnavailable

# After a server was unreachable, grpc refuses every call for up to two minutes, even from new clients.
_RECONNECTING = {
    "grpc.use_local_subchannel_pool": 1,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 1_000,
}


class MilvusConnection:
    """Connection to Milvus, made at the first call. Safe to share between threads."""

    def __init__(self, uri: str, token: str, timeout_s: float, *, token_env: str = "") -> None:
        """Connects to nothing yet.

        Args:
            uri: Address of a server, or a file that ends in `.db` for Milvus Lite.
            token: `user:password` or an API key; "" = none.
            timeout_s: For each call.
            token_env: The variable with the token, for errors.
        """
        self._uri = uri
        self._token = token
        self._token_env = token_env
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._client: Any = None
        self._loaded: set[str] = set()

    def __repr__(self) -> str:
        return f"MilvusConnection({self._name})"

    def load(self, collection: str) -> None:
        """Load a collection so that it can be queried: Lite has none loaded when it starts.

        Raises:
            VectorBackendUnavailable: See `call`; also if there is no such collection.
        """
        if collection not in self._loaded:
            self.call("load_collection", collection)
            self._loaded.add(collection)

    def forget(self, collection: str) -> None:
        """Load a collection again before its next query, because it was created, dropped or released."""
        self._loaded.discard(collection)

    def call(self, name: str, *arguments: object, timeout_s: float = 0.0, **options: object) -> Any:
        """Call a method of `MilvusClient`.

        Args:
            timeout_s: 0 = that of every call.

        Raises:
            VectorBackendUnavailable: The server cannot be reached, or refuses.
        """
        with self._errors():
            return getattr(self._connected(), name)(*arguments, timeout=timeout_s or self._timeout_s, **options)

    @property
    def _name(self) -> str:
        """The server without user and password."""
        parts = urlsplit(self._uri)
        return f"{parts.scheme}://{parts.hostname}:{parts.port or ''}".rstrip(":") if parts.scheme else self._uri

    def _connected(self) -> Any:
        with self._lock:
            if self._client is None:
                options = {"grpc_options": _RECONNECTING} if urlsplit(self._uri).scheme else {}
                self._client = _client_class()(uri=self._uri, token=self._token, timeout=self._timeout_s, **options)
            return self._client

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (ConfigMissing, VectorBackendUnavailable):
            raise
        except Exception as error:  # noqa: BLE001  pymilvus raises its own errors, grpc's and plain ones
            secrets = [self._token, *self._token.split(":"), urlsplit(self._uri).password or ""]
            raise refusal(error, self._name, self._token_env, secrets) from None


def _client_class() -> Callable[..., Any]:
    # The client reads this variable at its import, and then rejects the file path of Milvus Lite.
    address = os.environ.pop("MILVUS_URI", None)
    try:
        from pymilvus import MilvusClient
    except ImportError as error:
        raise ConfigMissing(
            "vector.provider is milvus, which needs the client: pip install 'searchsocket[milvus]'"
        ) from error
    finally:
        if address is not None:
            os.environ["MILVUS_URI"] = address
    logging.getLogger("pymilvus").setLevel(logging.CRITICAL)  # it raises all that it logs
    client: Callable[..., Any] = MilvusClient
    return client


_MAX_CHARS = 300
_NO_COLLECTION, _DENIED_TO_ALL = 100, 9  # codes of the server
# A retry fails until somebody changes something.
_FINAL: dict[object, str] = {
    "UNAUTHENTICATED": "it rejects the token in {token_env}; set a valid token and run again",
    "PERMISSION_DENIED": "the user of the token in {token_env} lacks permission; use another token",
    _NO_COLLECTION: "a collection is missing; `searchsocket index --resync` creates and fills it, without "
    "embedding again",
    _DENIED_TO_ALL: "it rejects writes: its memory, its disk or a quota is used up",
}


def refusal(error: Exception, server: str, token_env: str, secrets: Iterable[str]) -> VectorBackendUnavailable:
    """The error to raise.

    Args:
        error: The error of the vendor's client; its cause is grpc's error, if any.
        server: Without user and password.
        token_env: The variable with the token; "" = there is none.
        secrets: Removed from the message of the server.
    """
    causes = list(_causes(error))
    text = _text_of(causes[-1])
    for secret in secrets:
        text = text.replace(secret, "***") if len(secret) > 3 else text
    advice = next((_FINAL[code] for cause in causes if (code := _code_of(cause)) in _FINAL), "")
    if advice:
        advice = advice.format(token_env=token_env or "the environment")
        return VectorBackendRefused(f"Milvus at {server}: {advice} ({text})")
    return VectorBackendUnavailable(f"Milvus at {server}: {text}")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ if error.__cause__ is not error else None


def _code_of(error: BaseException) -> object:
    """The name of a grpc code, or the number of a server code."""
    code = getattr(error, "code", None)
    return code().name if callable(code) else code


def _text_of(error: BaseException) -> str:
    """The message of an error, in one line; grpc errors return it from a method."""
    details = getattr(error, "details", None)
    plain = str(getattr(error, "message", "") or error)
    text = f"{_code_of(error)}: {details()}" if callable(details) else plain
    return "".join(char if char.isprintable() else "?" for char in text.split("\n")[0])[:_MAX_CHARS]
