"""Read the lines of the input, and parse the request in each, or report the mistake in it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO, Literal, get_args

from searchsocket.extensions.code.search.by_terms import MAX_RESULTS
from searchsocket.search.bounds import LEAST_MAX_TOKENS, MAX_LINES, MAX_PLACES, MAX_QUERY_CHARS, MOST_MAX_TOKENS
from searchsocket.search.content.query import MAX_TOKEN_CHARS
from searchsocket.system.json_text import JsonObject

Op = Literal["status", "sync", "search", "fetch"]
OPS: tuple[Op, ...] = get_args(Op)
MAX_CHUNK_ID = 2**32 - 1
MAX_REQUEST_BYTES = 1 << 20  # of a line with its newline
_READ_BYTES = 1 << 16
_MAX_WORDS = 200
Line = bytes | Literal["too large"]


class BadLine(Exception):
    """A line without a valid request; the message is the error in the answer."""

    def __init__(self, message: str, op: Op | Literal[""] = "") -> None:
        super().__init__(message)
        self.op: Op | Literal[""] = op  # "" if the line names no operation


@dataclass(frozen=True, slots=True)
class LineRequest:
    """One request."""

    op: Op
    q: str = ""
    top_k: int = MAX_RESULTS
    is_hybrid: bool = False  # by meaning too, in the order of `searchsocket code search`
    ids: tuple[int, ...] = ()
    max_lines: int = MAX_LINES
    max_tokens: int | None = None  # None: all results
    token: str = ""  # of the previous answer


def request_lines(stream: BinaryIO) -> Iterator[Line]:
    """Yield each line without its end, or "too large" for a line that is skipped.

    The last line needs no newline.
    """
    while True:
        line = stream.readline(MAX_REQUEST_BYTES + 1)
        if not line:
            return
        if len(line) <= MAX_REQUEST_BYTES:
            yield line.rstrip(b"\r\n")
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(_READ_BYTES)
        yield "too large"


def parse_request(line: bytes) -> LineRequest:
    """Parse the request in a line.

    Raises:
        BadLine: The line is not a valid request.
    """
    if not line.strip():
        raise BadLine("invalid request: empty")
    try:
        fields = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise BadLine(f"invalid request: not UTF-8 at byte {error.start}") from error
    except RecursionError as error:
        raise BadLine("invalid request: nested too deeply") from error
    except ValueError as error:
        raise BadLine(f"invalid request: {str(error)[:_MAX_WORDS]}") from error
    if not isinstance(fields, dict):
        raise BadLine("invalid request: not an object")
    op = fields.get("op")
    if op not in OPS:
        raise BadLine("unknown op" if isinstance(op, str) else "invalid request: op must be a string")
    if op == "search":
        return _search(op, fields)
    return _fetch(op, fields) if op == "fetch" else LineRequest(op)


def _search(op: Op, fields: JsonObject) -> LineRequest:
    q, mode = fields.get("q"), fields.get("mode")
    if not isinstance(q, str) or not q.strip():
        raise BadLine("invalid request: q must be a non-empty string", op)
    if len(q) > MAX_QUERY_CHARS:
        raise BadLine(f"invalid request: q has at most {MAX_QUERY_CHARS} characters", op)
    if mode not in (None, "terms", "hybrid"):
        raise BadLine('invalid request: mode must be "terms" or "hybrid"', op)
    request = LineRequest(op, q=q, top_k=_count(op, fields, "top_k", MAX_RESULTS), is_hybrid=mode == "hybrid")
    return _with_part(request, fields)


def _fetch(op: Op, fields: JsonObject) -> LineRequest:
    ids = fields.get("ids")
    if not isinstance(ids, list) or not all(_is_whole(each) and 0 <= each <= MAX_CHUNK_ID for each in ids):
        raise BadLine("invalid request: ids must be an array of uint32", op)
    if not ids:
        raise BadLine("invalid request: ids is empty", op)
    request = LineRequest(op, ids=tuple(ids[:MAX_PLACES]), max_lines=_count(op, fields, "max_lines", MAX_LINES))
    return _with_part(request, fields)


def _with_part(request: LineRequest, fields: JsonObject) -> LineRequest:
    max_tokens, token = fields.get("max_tokens"), fields.get("continuation_token")
    if max_tokens is not None and not (_is_whole(max_tokens) and LEAST_MAX_TOKENS <= max_tokens <= MOST_MAX_TOKENS):
        bounds = f"an integer from {LEAST_MAX_TOKENS} to {MOST_MAX_TOKENS}"
        raise BadLine(f"invalid request: max_tokens must be {bounds}", request.op)
    if token is not None and not (isinstance(token, str) and len(token) <= MAX_TOKEN_CHARS):
        raise BadLine("invalid request: continuation_token must be a string from a previous answer", request.op)
    return replace(request, max_tokens=max_tokens, token=token or "")


def _count(op: Op, fields: JsonObject, name: str, most: int) -> int:
    """Return a number, at most `most`; a missing or non-positive number counts as `most`."""
    value = fields.get(name)
    if value is not None and not _is_whole(value):
        raise BadLine(f"invalid request: {name} must be an integer", op)
    return min(value, most) if value is not None and value > 0 else most


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
