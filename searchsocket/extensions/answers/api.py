"""`POST /api/answer`, as a stream of events or as one JSON."""

import json
from collections.abc import AsyncIterator, Iterator
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any

from anyio import CancelScope, CapacityLimiter, to_thread
from fastapi import FastAPI, Request
from pydantic import Field
from starlette.responses import Response, StreamingResponse

from search_api.endpoints.common import BODY_ERRORS, ERRORS, caller_of, json_response, note_search
from search_api.errors import status_of
from search_api.extension import Added, AppContext
from search_api.gate.queries import CostlyQueries
from searchsocket.errors import SearchSocketError
from searchsocket.extensions.answers.answer import AnswerPassages, Event, SentenceAnswer, whole_answer
from searchsocket.extensions.answers.engine import Answers, Question
from searchsocket.extensions.answers.prompt import Turn
from searchsocket.extensions.answers.script import add_script
from searchsocket.extensions.answers.settings import AnswersSettings
from searchsocket.extensions.answers.spending import MAX_ANSWERS
from searchsocket.search.bounds import MAX_QUERY_CHARS
from searchsocket.serving.answers import INTERNAL, public_message, to_json
from searchsocket.serving.capabilities import fields
from searchsocket.serving.capabilities.base import Caller
from searchsocket.serving.capabilities.base import Request as Body
from searchsocket.serving.service import OnError

MAX_HISTORY = 4
MAX_ANSWER_CHARS = 8_000
_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "With `stream: true`, events: `passages`, `sentence`, `citation`, `done`, `refused`, `error`.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


class HistoryTurn(Body):
    """An earlier question and its answer."""

    question: Annotated[str, Field(min_length=1, max_length=MAX_QUERY_CHARS)]
    answer: Annotated[str, Field(max_length=MAX_ANSWER_CHARS)]


class AnswerRequest(Body):
    """The body of `POST /api/answer`."""

    q: fields.Text
    history: Annotated[
        list[HistoryTurn],
        Field(max_length=MAX_HISTORY, description="Earlier questions and answers, the oldest first, for a follow-up."),
    ] = []
    scope: fields.ScopeName | None = None
    path_prefix: fields.PathPrefix = ""
    stream: Annotated[bool, Field(description="True: server-sent events, false: one JSON. Default: false.")] = False


def add_endpoints(context: AppContext) -> Added:
    """Add the endpoint, if the settings enable answers."""
    if context.project.settings.section(AnswersSettings).enable:
        answers = Answers(
            context.project,
            context.environ,
            context.services.content,
            clock=context.clock,
            on_error=context.on_error,
        )
        context.app.state.answers = answers
        add_answer(context.app, f"{context.prefix}/answer", answers, context.on_error)
        add_script(context.app, f"{context.prefix}/answer")
    return Added()


def add_answer(app: FastAPI, path: str, answers: Answers, on_error: OnError) -> None:
    """Serve answers at `path`."""
    retrieval = CostlyQueries()
    threads = CapacityLimiter(2 * MAX_ANSWERS)  # most of them wait for the model

    async def next_event(events: Iterator[Event]) -> Event | None:
        return await to_thread.run_sync(next, events, None, limiter=threads)

    async def rest(events: Iterator[Event], caller: Caller) -> AsyncIterator[bytes]:
        """Yield the events as text; an error ends them with `error`."""
        try:
            while event := await next_event(events):
                yield _event(event.name, to_json(event.data, sources=caller.trusted))
        except Exception as error:  # noqa: BLE001  (the status is sent already)
            on_error(error)
            code, message = _public(error)
            yield _event("error", json.dumps({"code": code, "message": message}).encode())

    async def stream(first: Event, events: Iterator[Event], caller: Caller) -> AsyncIterator[bytes]:
        try:
            yield _event(first.name, to_json(first.data, sources=caller.trusted))
            async for text in rest(events, caller):
                yield text
        finally:
            with CancelScope(shield=True):  # the visitor may have left; the request to the model ends too
                await to_thread.run_sync(_close, events)

    @app.post(
        path,
        operation_id="answer",
        summary="Answer a question in sentences with citations",
        response_model=SentenceAnswer,
        responses=ERRORS | BODY_ERRORS | _STREAM,
    )
    async def post_answer(request: Request, body: AnswerRequest) -> Response:
        caller = caller_of(request)
        turns = tuple(Turn(turn.question, turn.answer) for turn in body.history)
        events = answers.events(Question(body.q, turns, body.scope, body.path_prefix), caller)
        first = await retrieval.run(caller, partial(next, events))
        passages = first.data.passages if isinstance(first.data, AnswerPassages) else ()
        note_search(request, body.scope or "", len(passages))
        if body.stream:
            return StreamingResponse(stream(first, events, caller), media_type="text/event-stream", headers=_HEADERS)
        sent = [first]
        try:
            while event := await next_event(events):
                sent.append(event)
        finally:
            with CancelScope(shield=True):
                await to_thread.run_sync(_close, events)
        return json_response(whole_answer(body.q, sent), sources=caller.trusted)


def _close(events: Iterator[Event]) -> None:
    close = getattr(events, "close", None)
    if close:
        close()


def _event(name: str, data: bytes) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), data)


def _public(error: Exception) -> tuple[str, str]:
    if isinstance(error, SearchSocketError) and status_of(error) != HTTPStatus.INTERNAL_SERVER_ERROR:
        return error.code, public_message(error)
    return "INTERNAL_ERROR", INTERNAL
