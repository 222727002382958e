"""Limits of results and tokens per request."""

from searchsocket.errors import InvalidRequest
from searchsocket.search.bounds import LEAST_MAX_TOKENS, MAX_LIMIT, MOST_MAX_TOKENS

DEFAULT_LIMIT = 10


def check_bounds(limit: int | None, max_tokens: int | None, most: int = MAX_LIMIT) -> None:
    """Check the limits of a request.

    Raises:
        InvalidRequest: A limit is out of range.
    """
    if limit is not None and not 1 <= limit <= most:
        raise InvalidRequest(f"limit must be from 1 to {most}, not {limit}")
    if max_tokens is not None and not LEAST_MAX_TOKENS <= max_tokens <= MOST_MAX_TOKENS:
        raise InvalidRequest(f"max_tokens must be from {LEAST_MAX_TOKENS} to {MOST_MAX_TOKENS}, not {max_tokens}")
