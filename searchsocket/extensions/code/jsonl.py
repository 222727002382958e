"""Server of the JSONL protocol: answers one request per line until the input ends, also after invalid lines.

If a request limits its tokens, an answer has the best results that fit, and a token for the next part.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from datetime import UTC, datetime
from typing import BinaryIO, Literal, NamedTuple, get_args
from uuid import uuid4

from searchsocket.errors import Busy, InvalidRequest, SearchSocketError
from searchsocket.extensions.code.chunk_ids import ChunkIds
from searchsocket.extensions.code.pipeline.staleness import configuration_digest
from searchsocket.extensions.code.search.answer import CodeQuery, CodeResult
from searchsocket.extensions.code.search.candidates import MAX_RESULTS
from searchsocket.extensions.code.serving.service import CodeService, TermMatch
from searchsocket.extensions.code.serving.upkeep import CodeUpkeep
from searchsocket.search.bounds import (
    DEFAULT_MAX_TOKENS,
    LEAST_MAX_TOKENS,
    MAX_LINES,
    MAX_PLACES,
    MAX_QUERY_CHARS,
    MOST_MAX_TOKENS,
)
from searchsocket.search.content.answer import MAX_TOKEN_CHARS
from searchsocket.search.continuation import cut_to, json_tokens
from searchsocket.system.json_text import JsonObject
from searchsocket.text.hidden import visible_in

Op = Literal["status", "sync", "search", "fetch"]
OPS: tuple[Op, ...] = get_args(Op)
MAX_CHUNK_ID = 2**32 - 1
MAX_REQUEST_BYTES = 1 << 20  # of a line with its newline
_READ_BYTES = 1 << 16
_MAX_WORDS = 200
Line = bytes | Literal["too large"]
MAX_PER_FILE = 2
_MAX_TRIES = 3
_LEAST_OF_A_LINE = 50  # tokens, even if the names before the line take them all
Answer = JsonObject
Opened = tuple[CodeService, CodeUpkeep]


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


@dataclass(slots=True)
class LineServer:
    """The protocol over one scope's source code."""

    open: Callable[[], Opened]  # with the current settings
    ids: ChunkIds
    scope: str
    on_error: Callable[
        [BaseException], None
    ]  # called with unexpected exceptions, which callers see as `internal error`
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    code: CodeService = field(init=False)
    upkeep: CodeUpkeep = field(init=False)
    _configuration: str = field(init=False)

    def __post_init__(self) -> None:
        self.code, self.upkeep = self.open()
        self._configuration = configuration_digest(self.upkeep.project.root)

    def serve(self, requests: BinaryIO, answers: BinaryIO) -> None:
        """Answer every line, until the input ends or the client stops reading."""
        for line in request_lines(requests):
            answer = _error("request too large") if line == "too large" else self.answer(line)
            try:
                answers.write(_encode(answer))
                answers.flush()
            except OSError:
                return

    def answer(self, line: bytes) -> Answer:
        """Return the answer to a line."""
        try:
            request = parse_request(line)
        except BadLine as error:
            return _error(str(error), error.op)
        ops: Mapping[str, Callable[[LineRequest], Answer]] = {
            "status": lambda _: {"data": self._status()},
            "sync": lambda _: {"data": self._sync()},
            "search": lambda command: in_parts(self.code, self.scope, command, self._search),
            "fetch": lambda command: in_parts(self.code, self.scope, command, self._fetch),
        }
        try:
            return {"ok": True, "op": request.op, **ops[request.op](request)}
        except SearchSocketError as error:
            return _error(str(error), request.op)
        except Exception as error:  # noqa: BLE001  (a defect: reported, and the next line is answered)
            self.on_error(error)
            return _error("internal error", request.op)

    def _status(self) -> Answer:
        report = self.upkeep.status(self.scope, self.clock())
        return {
            "indexed": report.indexed,
            "dirty": report.dirty,
            "generation": report.generation,
            "files": report.files,
            "chunks": report.chunks,
            "changed": report.changed.count,
            "new": report.new.count,
            "deleted": report.deleted.count,
            "marked": report.marked.count,
            "configuration_changed": report.configuration_changed,
            "skip_reasons": report.skip_reasons,
        }

    def _sync(self) -> Answer:
        """Sync with the current settings.

        Raises:
            ConfigError: The settings are invalid; the index stays dirty, and the previous settings stay in use.
        """
        configuration = configuration_digest(self.upkeep.project.root)
        if configuration != self._configuration:
            self.code, self.upkeep = self.open()
            self._configuration = configuration
        result = self.upkeep.sync(self.scope, str(uuid4()))
        return {
            "changed": result.changed,
            "generation": result.generation,
            "files": result.files,
            "chunks": result.chunks,
            "embedded": result.embedded,
            "skip_reasons": result.skip_reasons,
            "warnings": list(result.warnings),
        }

    def _search(self, request: LineRequest) -> list[Answer]:
        if request.is_hybrid:
            query = CodeQuery(request.q, request.top_k, max_per_file=MAX_PER_FILE)
            code_results = self.code.search(query, self.scope).results
            results = [TermMatch(result, result.score, result.why.terms) for result in code_results]
        else:
            results = self.code.by_terms(request.q, self.scope, request.top_k, MAX_PER_FILE)
        numbers = self.ids.of(self.scope, [result.id for result, _, _ in results])
        return [
            _result(number, result, score, terms)
            for number, (result, score, terms) in zip(numbers, results, strict=True)
        ]

    def _fetch(self, request: LineRequest) -> list[Answer]:
        return [self._lines(number, request.max_lines) for number in dict.fromkeys(request.ids)]

    def _lines(self, number: int, max_lines: int) -> Answer:
        record_id = self.ids.record_id(self.scope, number)
        try:
            chunks = self.code.fetch_chunks([record_id], self.scope, max_lines) if record_id else None
        except InvalidRequest:  # the chunk no longer exists
            chunks = None
        if chunks is None:
            raise InvalidRequest(f"unknown chunk_id {number}: search again")
        if not chunks:
            raise InvalidRequest(f"the file of chunk_id {number} was deleted: sync, then search again")
        [lines] = chunks
        return {
            "chunk_id": number,
            "path": lines.file,
            "start_line": lines.first_line,
            "end_line": lines.last_line,
            "lines": list(lines.text),
            "changed_since": lines.changed_since,
        }


def _result(number: int, result: CodeResult, score: float, terms: tuple[str, ...]) -> Answer:
    first, _, last = result.lines.partition("-")
    return {
        "chunk_id": number,
        "path": result.file,
        "start_line": int(first),
        "end_line": int(last),
        "score": round(score, 6),
        "snippet": result.preview,
        "why": list(terms),
        "symbol": result.symbol,
        "changed_since": result.changed_since,
    }


def _error(message: str, op: str = "") -> Answer:
    return {"ok": False, "op": op, "error": message}


def _encode(answer: Answer) -> bytes:
    return json.dumps(visible_in(answer), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class _ResultPart(NamedTuple):
    """Part of a result that fits."""

    data: list[Answer]
    after: int  # results, or lines, in this and earlier parts
    is_all: bool


def in_parts(
    code: CodeService, scope: str, request: LineRequest, find: Callable[[LineRequest], list[Answer]]
) -> Answer:
    """Return the fields of an answer: `data` and, in answers with parts, `truncated` and `continuation_token`.

    Raises:
        ContinuationGone: The token is invalid, or of another operation or generation.
        InvalidRequest: The token is of another query, or of other ids.
    """
    if not request.max_tokens and not request.token:
        return {"data": find(request)}
    continuations, kind = code.continuations, f"op {request.op}"
    for _ in range(_MAX_TRIES):
        generation, full_request, offset = code.generation(scope), request, 0
        if request.token:
            state, offset = continuations.position(request.token, kind, generation)
            q, top_k, is_hybrid, ids, max_lines, max_tokens = state
            if (q, tuple(ids)) != (request.q, request.ids):
                raise InvalidRequest(
                    "the continuation_token belongs to another request; send the same q, or the same ids"
                )
            first_fields = {"top_k": top_k, "is_hybrid": is_hybrid, "max_lines": max_lines}
            full_request = replace(request, **first_fields, max_tokens=request.max_tokens or max_tokens)
        max_tokens = full_request.max_tokens or DEFAULT_MAX_TOKENS
        fit = _lines if request.op == "fetch" else _results
        part = fit(find(full_request), offset, max_tokens)
        if code.generation(scope) != generation:
            continue
        if part.is_all:
            return {"data": part.data, "truncated": False}
        _, *query, _, _ = astuple(full_request)
        token = continuations.make_token(kind, generation, [*query, max_tokens], part.after)
        return {"data": part.data, "truncated": True, "continuation_token": token}
    raise Busy("the index changed during every attempt to read it; try again")


def _results(answers: Sequence[Answer], offset: int, max_tokens: int) -> _ResultPart:
    """Return the results that fit, and at least one."""
    data: list[Answer] = []
    for answer in answers[offset:]:
        max_tokens -= json_tokens(answer)
        if max_tokens < 0 and data:
            break
        data.append(answer)
    after = offset + len(data)
    return _ResultPart(data, after, after >= len(answers))


def _lines(answers: Sequence[Answer], offset: int, max_tokens: int) -> _ResultPart:
    """Return the lines that fit, each under its chunk; of a first line that is too long, its beginning."""
    data: list[Answer] = []
    at = 0  # position of the chunk among all lines
    for answer in answers:
        skipped = max(0, offset - at)
        at += len(answer["lines"])
        remaining: list[str] = answer["lines"][skipped:]
        lines: list[str] = []
        if not remaining:
            continue
        max_tokens -= json_tokens({**answer, "lines": []})
        for line in remaining:
            fits = json_tokens(line) <= max_tokens
            if not fits and (data or lines):
                break
            lines.append(line if fits else cut_to(line, max(max_tokens, _LEAST_OF_A_LINE)))
            max_tokens -= json_tokens(lines[-1])
        if lines:
            data.append({**answer, "lines": lines})
        if len(lines) < len(remaining):
            return _ResultPart(data, at - len(remaining) + len(lines), is_all=False)
    return _ResultPart(data, at, is_all=True)
