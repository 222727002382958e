"""OpenAI's client over the bounded HTTP of this package: its own HTTP library is a fork of httpx."""

import httpx
import httpx2

from searchsocket.system.bounded_http import bounded_client

_MAX_BYTES = 1_000_000  # limit of an answer, unless the caller allows more


class OpenAITransport(httpx2.BaseTransport):
    """Sends each request of OpenAI's client once, within one deadline and one limit of bytes."""

    def __init__(self, timeout_s: float) -> None:
        self._client = bounded_client(timeout_s, _MAX_BYTES)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Answer with the whole body.

        Raises:
            httpx2.TransportError: The request failed; its cause is httpx's error.
        """
        try:
            answer = self._client.request(
                request.method,
                str(request.url),
                content=request.read(),
                headers=request.headers.multi_items(),
                follow_redirects=False,  # the client above decides that
            )
        except httpx.TimeoutException as error:
            raise httpx2.ReadTimeout(str(error), request=request) from error
        except httpx.TransportError as error:
            raise httpx2.ReadError(str(error), request=request) from error
        return httpx2.Response(answer.status_code, headers=answer.headers.multi_items(), content=answer.content)

    def close(self) -> None:
        """Close all connections."""
        self._client.close()


def openai_http(timeout_s: float) -> httpx2.Client:
    """Return the HTTP client for OpenAI's client."""
    return httpx2.Client(transport=OpenAITransport(timeout_s), timeout=timeout_s, follow_redirects=True)
