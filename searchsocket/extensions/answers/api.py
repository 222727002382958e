"""`POST /api/answer`, as a stream of events or as one JSON; and the script that shows answers in the search dialog."""

import hashlib
import json
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any

from anyio import CancelScope, CapacityLimiter, to_thread
from fastapi import FastAPI, HTTPException, Request
from pydantic import Field
from starlette.responses import Response, StreamingResponse

from search_api.endpoints.common import BODY_ERRORS, ERRORS, caller_of, json_response, note_search
from search_api.errors import status_of
from search_api.extension import AppContext
from search_api.gate.queries import CostlyQueries
from searchsocket.errors import SearchSocketError
from searchsocket.extensions.answers.answer import AnswerPassages, AnswerRefusal, Event, SentenceAnswer, whole_answer
from searchsocket.extensions.answers.engine import MAX_ANSWERS, Answers, Question
from searchsocket.extensions.answers.writing import Turn
from searchsocket.search.answering.answer import AskQuery
from searchsocket.search.bounds import MAX_QUERY_CHARS
from searchsocket.serving.answers import INTERNAL, public_message, to_json
from searchsocket.serving.capabilities import fields
from searchsocket.serving.capabilities.base import Caller, query_of
from searchsocket.serving.capabilities.base import Request as Body
from searchsocket.setup.client_files import bundle_folder

MAX_HISTORY = 4
MAX_ANSWER_CHARS = 8_000
_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "With `stream: true`, events: `passages`, `sentence`, `citation`, `done`, `refused`, `error`.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}

_CACHED_S = 3_600


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
    path_prefix: fields.PathPrefix | None = None
    tags: fields.Tags | None = None
    filters: fields.Filters | None = None
    prefer_language: fields.PreferLanguage = ""
    version: fields.Version | None = None
    stream: Annotated[bool, Field(description="True: server-sent events, false: one JSON. Default: false.")] = False


class FeedbackRequest(Body):
    """The body of `POST /api/answer/feedback`."""

    q: fields.Text
    helpful: bool
    scope: fields.ScopeName | None = None


def add_answers(context: AppContext) -> None:
    """Add the endpoints of a project's answers."""
    answers = Answers(
        context.project, context.environ, context.services.content, clock=context.clock, on_error=context.on_error
    )
    context.app.state.answers = answers
    add_answer(context.app, f"{context.prefix}/answer", answers, context)
    add_script(context.app, f"{context.prefix}/answer")


def add_answer(app: FastAPI, path: str, answers: Answers, context: AppContext) -> None:
    """Serve answers at `path`, and take the opinion of visitors below it."""
    on_error = context.on_error
    retrieval = CostlyQueries()
    threads = CapacityLimiter(2 * MAX_ANSWERS)  # most of them wait for the model

    def react(request: Request, body: AnswerRequest, event: Event) -> None:
        if isinstance(event.data, AnswerRefusal) and event.data.reason in ("not_covered", "unsupported"):
            for listener in context.on_reaction:
                listener(request, body.scope, body.q, "refused")

    async def stream(request: Request, body: AnswerRequest, first: Event, reading: _Reading) -> AsyncIterator[bytes]:
        """Yield the events as text; an error ends them with `error`."""
        caller = caller_of(request)
        try:
            yield _event(first.name, to_json(first.data, sources=caller.trusted))
            while event := await reading.next(threads):
                react(request, body, event)
                yield _event(event.name, to_json(event.data, sources=caller.trusted))
        except Exception as error:  # noqa: BLE001  (the status is sent already)
            on_error(error)
            code, message = _public(error)
            yield _event("error", json.dumps({"code": code, "message": message}).encode())
        finally:
            await reading.close()

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
        filters, version = fields.filters_of(body.filters), fields.versions_of(body.version)
        pages = query_of(AskQuery, body, question=body.q, filters=filters, version=version)
        reading = _Reading(answers, Question(body.q, turns, body.scope, pages), caller)
        first = await retrieval.run(caller, reading.step)
        assert first is not None
        passages = first.data.passages if isinstance(first.data, AnswerPassages) else ()
        note_search(request, body.scope or "", len(passages))
        react(request, body, first)
        if body.stream:
            events = stream(request, body, first, reading)
            return StreamingResponse(events, media_type="text/event-stream", headers=_HEADERS)
        sent = [first]
        try:
            while event := await reading.next(threads):
                react(request, body, event)
                sent.append(event)
        finally:
            await reading.close()
        return json_response(whole_answer(body.q, sent), sources=caller.trusted)

    @app.post(
        f"{path}/feedback",
        operation_id="answerFeedback",
        summary="Report if an answer helped",
        status_code=HTTPStatus.NO_CONTENT,
        responses=ERRORS | BODY_ERRORS,
    )
    async def post_feedback(request: Request, body: FeedbackRequest) -> Response:
        context.service.scopes.find(body.scope, trusted=caller_of(request).trusted)
        for listener in () if body.helpful else context.on_reaction:
            listener(request, body.scope, body.q, "not_helpful")
        return Response(status_code=HTTPStatus.NO_CONTENT)


class _Reading:
    """Reads the events of an answer in threads, for one task."""

    def __init__(self, answers: Answers, question: Question, caller: Caller) -> None:
        self._left = threading.Event()
        self._events = answers.events(question, caller, self._left)

    def step(self) -> Event | None:
        """Return the next event; None at the end."""
        event = next(self._events, None)
        if self._left.is_set():
            self._close()
        return event

    async def next(self, threads: CapacityLimiter) -> Event | None:
        """Return the next event; a thread that waits for the model is left behind if the task is cancelled."""
        return await to_thread.run_sync(self.step, limiter=threads, abandon_on_cancel=True)

    async def close(self) -> None:
        """End the request to the model, at the latest with its next word."""
        self._left.set()
        with CancelScope(shield=True):
            await to_thread.run_sync(self._close)

    def _close(self) -> None:
        with suppress(ValueError):  # a thread is in the generator, and closes it afterwards
            self._events.close()


def _event(name: str, data: bytes) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), data)


def _public(error: Exception) -> tuple[str, str]:
    if isinstance(error, SearchSocketError) and status_of(error) != HTTPStatus.INTERNAL_SERVER_ERROR:
        return error.code, public_message(error)
    return "INTERNAL_ERROR", INTERNAL


@cache
def _files() -> dict[str, Path]:
    """The script and its labels, by name."""
    folder = bundle_folder()
    labels = {f"labels/{path.name}": path for path in sorted(folder.glob("labels/*.js"))}
    return {"dialog.js": folder / "answers.js"} | labels


def add_script(app: FastAPI, folder: str) -> None:
    """Serve the script as `dialog.js` below a folder, with its labels beside it."""

    @app.get(f"{folder}/{{name:path}}", include_in_schema=False)
    def get_script(request: Request, name: str) -> Response:
        path = _files().get(name)
        if path is None:
            raise HTTPException(404)
        text = path.read_bytes()
        etag = f'"{hashlib.sha256(text).hexdigest()[:16]}"'
        headers = {"etag": etag, "cache-control": f"public, max-age={_CACHED_S}"}
        if request.headers.get("if-none-match") == etag:
            return Response(status_code=304, headers=headers)
        return Response(text, headers=headers, media_type="text/javascript")
