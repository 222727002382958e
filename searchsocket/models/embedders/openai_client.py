"""OpenAI's client over the bounded HTTP of this package: its own HTTP library is a fork of httpx."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import httpx
import httpx2
import openai

from searchsocket.errors import BadVectors
from searchsocket.models.calling.provider import ProviderFailure, Refusal, check_key, host_of, reason_in, refusal_of
from searchsocket.system.bounded_http import BodyLimit, at_most, bounded_client, failure_reason
from searchsocket.system.exchange import EnvironmentRefused
from searchsocket.system.json_text import JsonObject
from searchsocket.text.provider_words import provider_message

_MAX_BYTES = 1_000_000  # limit of an answer, unless the caller allows more


class OpenAITransport(httpx2.BaseTransport):
    """Sends each request of OpenAI's client once, within one deadline and one limit of bytes."""

    def __init__(self, timeout_s: float) -> None:
        self._client = bounded_client(timeout_s, _MAX_BYTES)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer with the body as it arrives.

        Raises:
            httpx2.TransportError: The request failed; its cause is httpx's error. Also raised by reading the body.
        """
        sent = self._client.build_request(
            request.method, str(request.url), content=request.read(), headers=request.headers.multi_items()
        )
        with _errors_of(request):  # the client above follows redirects
            answer = self._client.send(sent, stream=True, follow_redirects=False)
        return httpx2.Response(answer.status_code, headers=answer.headers.multi_items(), stream=_Body(answer, request))

    def close(self) -> None:
        """Close all connections."""
        self._client.close()


class _Body(httpx2.SyncByteStream):
    """The body of a response."""

    def __init__(self, answer: httpx.Response, request: httpx2.Request) -> None:
        self._answer = answer
        self._request = request

    def __iter__(self) -> Iterator[bytes]:
        with _errors_of(self._request):
            yield from self._answer.iter_raw()

    def close(self) -> None:
        self._answer.close()


@contextmanager
def _errors_of(request: httpx2.Request) -> Iterator[None]:
    """Turn errors of httpx into those of its fork."""
    try:
        yield
    except httpx.TimeoutException as error:
        raise httpx2.ReadTimeout(str(error), request=request) from error
    except httpx.TransportError as error:
        raise httpx2.ReadError(str(error), request=request) from error


class OpenAIClient:
    """Requests embeddings with OpenAI's client, one attempt each: the caller knows if somebody waits."""

    def __init__(self, key: str, base_url: str, timeout_s: float, key_fix: str) -> None:
        """Open no connection yet.

        Args:
            timeout_s: Deadline of a request, from its connection to the last byte of the answer.
            key_fix: Advice if the key is at fault.

        Raises:
            ConfigError: The address cannot be used, or a header cannot contain the key.
        """
        self._host = host_of(base_url, "embeddings")
        check_key(key, f"the embedding key contains invalid characters; {key_fix}")
        self._timeout_s = timeout_s
        self._key_fix = key_fix
        http = httpx2.Client(transport=OpenAITransport(timeout_s), timeout=timeout_s, follow_redirects=True)
        self._client = openai.OpenAI(api_key=key, base_url=base_url, timeout=timeout_s, max_retries=0, http_client=http)

    def embeddings(self, texts: Sequence[str], options: JsonObject, max_bytes: int) -> tuple[bytes, Mapping[str, str]]:
        """Return the body and the headers of an answer.

        Args:
            options: Other fields of the request.
            max_bytes: Limit of the body.

        Raises:
            ProviderFailure: No answer, or one that is not a success.
            BadVectors: The body is too large or damaged.
        """
        try:
            with at_most(max_bytes):
                answer = self._client.embeddings.with_raw_response.create(input=list(texts), **options)
        except openai.OpenAIError as error:
            failure = self._failure(error)
        else:
            return answer.content, answer.headers
        # Raised outside the handler, so that the traceback does not contain the provider's message with the key.
        raise failure

    def reason_in(self, body: JsonObject) -> str:
        """Return the reason that an answer states for a refusal, without the key; "" if it states none."""
        return provider_message(reason_in(body), self._client.api_key)

    def _failure(self, error: openai.OpenAIError) -> ProviderFailure | BadVectors:
        if isinstance(error, openai.APIStatusError):
            refusal = refusal_of(
                self._host,
                error.status_code,
                error.response.content,
                error.response.headers,
                self._client.api_key,
                code=str(error.code or ""),
                key_fix=self._key_fix,
                fix="fix embeddings.model, embeddings.dimensions or embeddings.base_url",
            )
            return ProviderFailure(refusal)
        cause = getattr(error.__cause__, "__cause__", None)
        if isinstance(error, openai.APITimeoutError):
            problem = f"{self._host} did not answer within {self._timeout_s:g} seconds"
        elif isinstance(cause, BodyLimit):
            return BadVectors(f"{self._host} sent an invalid answer: {cause}")
        else:
            problem = f"{self._host} cannot be reached ({failure_reason(cause or error)})"
        return ProviderFailure(Refusal(problem, is_transient=not isinstance(cause, EnvironmentRefused)))
