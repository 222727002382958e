"""Answers in parts of so many tokens, where a line asks for that: the best that fits, and a token to go on with."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, replace
from typing import Any, NamedTuple

from searchsocket.errors import Busy, InvalidRequest
from searchsocket.search.bounds import DEFAULT_MAX_TOKENS
from searchsocket.search.content.budget import cut_to, json_tokens
from searchsocket.serving.code import CodeService
from searchsocket.serving.jsonl.requests import LineRequest

_MAX_TRIES = 3
_LEAST_OF_A_LINE = 50  # tokens, also where the names before it take all there are
Answer = Mapping[str, Any]


class _Some(NamedTuple):
    """Part of a result that fits."""

    data: list[Answer]
    after: int  # pieces that were given by now: results, or lines
    is_all: bool


def in_parts(
    code: CodeService, scope: str, request: LineRequest, find: Callable[[LineRequest], list[Answer]]
) -> Answer:
    """The fields of an answer: `data`, and where it is a part, whether it is `truncated` and its `continuation_token`.

    Raises:
        ContinuationGone: The token is none, or of another operation or generation.
        InvalidRequest: The token is of another query, or of other ids.
    """
    if not request.max_tokens and not request.token:
        return {"data": find(request)}
    words, kind = code.continuations, f"op {request.op}"
    for _ in range(_MAX_TRIES):
        generation, rest, offset = code.generation(scope), request, 0
        if request.token:
            (q, top_k, is_hybrid, ids, max_lines, max_tokens), offset = words.position(request.token, kind, generation)
            if (q, tuple(ids)) != (request.q, request.ids):
                raise InvalidRequest(
                    "the continuation_token belongs to another request; send the same q, or the same ids"
                )
            before = {"top_k": top_k, "is_hybrid": is_hybrid, "max_lines": max_lines}
            rest = replace(request, **before, max_tokens=request.max_tokens or max_tokens)
        max_tokens = rest.max_tokens or DEFAULT_MAX_TOKENS
        fit = _lines if request.op == "fetch" else _results
        some = fit(find(rest), offset, max_tokens)
        if code.generation(scope) != generation:
            continue
        if some.is_all:
            return {"data": some.data, "truncated": False}
        _, *what, _, _ = astuple(rest)
        token = words.word(kind, generation, [*what, max_tokens], some.after)
        return {"data": some.data, "truncated": True, "continuation_token": token}
    raise Busy("the index changed during every attempt to read it; try again")


def _results(answers: Sequence[Answer], offset: int, max_tokens: int) -> _Some:
    """As many results as fit, and one in any case."""
    data: list[Answer] = []
    for one in answers[offset:]:
        max_tokens -= json_tokens(one)
        if max_tokens < 0 and data:
            break
        data.append(one)
    after = offset + len(data)
    return _Some(data, after, after >= len(answers))


def _lines(answers: Sequence[Answer], offset: int, max_tokens: int) -> _Some:
    """As many lines as fit, each under its chunk; of a first one that is too long alone, its beginning."""
    data: list[Answer] = []
    at = 0  # of all lines, where the chunk begins
    for one in answers:
        skipped = max(0, offset - at)
        at += len(one["lines"])
        left: list[str] = one["lines"][skipped:]
        lines: list[str] = []
        if not left:
            continue
        max_tokens -= json_tokens({**one, "lines": []})
        for line in left:
            fits = json_tokens(line) <= max_tokens
            if not fits and (data or lines):
                break
            lines.append(line if fits else cut_to(line, max(max_tokens, _LEAST_OF_A_LINE)))
            max_tokens -= json_tokens(lines[-1])
        if lines:
            data.append({**one, "lines": lines})
        if len(lines) < len(left):
            return _Some(data, at - len(left) + len(lines), is_all=False)
    return _Some(data, at, is_all=True)
