"""Errors of the service and its client, in our words and with a fix."""

from collections.abc import Mapping

from searchsocket.errors import VectorBackendRefused, VectorBackendUnavailable
from searchsocket.system.retry_after import retry_after_s
from searchsocket.text.provider_words import provider_message

_ADVICE = {
    401: "it rejects the key in {key_env}; set a valid key of this project and run again",
    402: "the account has an unpaid bill, see https://app.pinecone.io",
    403: "the key lacks permission or a quota is used up, see https://app.pinecone.io",
    413: "a request was too large; run again with fewer dimensions (`embeddings.dimensions`)",
    429: "it throttles this project; run again later",
}

_FINAL = (400, 401, 402, 403, 404, 413)  # until somebody changes something


def refusal(error: Exception, index: str, key_env: str, key: str) -> VectorBackendUnavailable:
    """The error to raise.

    Args:
        error: What the vendor's client raised.
        index: That was asked; "" = the list of indexes.
        key: Never told, whatever the service says.
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
