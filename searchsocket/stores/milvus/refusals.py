"""Errors of a server and its client, in our words and with a fix."""

from collections.abc import Iterable, Iterator

from searchsocket.errors import VectorBackendRefused, VectorBackendUnavailable

_MAX_CHARS = 300
_NO_COLLECTION, _DENIED_TO_ALL = 100, 9  # codes of the server
# Until somebody changes something.
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
        error: What the vendor's client raised; what it knows of grpc's is its cause.
        server: Without user and password.
        token_env: Where the token was found; "" = there is none.
        secrets: Never told, whatever the server says.
    """
    causes = list(_causes(error))
    text = _text_of(causes[-1])
    for secret in secrets:
        text = text.replace(secret, "***") if len(secret) > 3 else text
    advice = next((_FINAL[code] for each in causes if (code := _code_of(each)) in _FINAL), "")
    if advice:
        advice = advice.format(token_env=token_env or "the environment")
        return VectorBackendRefused(f"Milvus at {server}: {advice} ({text})")
    return VectorBackendUnavailable(f"Milvus at {server}: {text}")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ if error.__cause__ is not error else None


def _code_of(error: BaseException) -> object:
    """The name of grpc's, or the number of the server's."""
    code = getattr(error, "code", None)
    return code().name if callable(code) else code


def _text_of(error: BaseException) -> str:
    """The message of an error, in one line; grpc errors return it from a method."""
    details = getattr(error, "details", None)
    plain = str(getattr(error, "message", "") or error)
    text = f"{_code_of(error)}: {details()}" if callable(details) else plain
    return "".join(char if char.isprintable() else "?" for char in text.split("\n")[0])[:_MAX_CHARS]
