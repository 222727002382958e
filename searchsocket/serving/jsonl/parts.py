"""Answers in parts, if a request limits their tokens: the best results that fit, and a token for the next part."""

from collections.abc import Callable, Sequence
from dataclasses import astuple, replace
from typing import NamedTuple

from searchsocket.errors import Busy, InvalidRequest
from searchsocket.search.bounds import DEFAULT_MAX_TOKENS
from searchsocket.search.content.budget import cut_to, json_tokens
from searchsocket.serving.code import CodeService
from searchsocket.serving.jsonl.requests import LineRequest
from searchsocket.system.json_text import JsonObject

_MAX_TRIES = 3
_LEAST_OF_A_LINE = 50  # tokens, even if the names before the line take them all
Answer = JsonObject


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
        token = continuations.word(kind, generation, [*query, max_tokens], part.after)
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
