"""`POST /api/code/...`: the source code, for trusted callers alone."""

from collections.abc import Callable
from typing import TypeVar

from fastapi import FastAPI, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from search_api.code_requests import CodeFetchRequest, CodeFindRequest, CodeRelatedRequest, CodeRequest
from search_api.endpoints.common import BODY_ERRORS, ERRORS, caller_of, json_response, note_search
from searchsocket.errors import ScopeRefused
from searchsocket.search.code.answer import CodeAnswer
from searchsocket.search.code.find_all import CodeFindAnswer
from searchsocket.search.code.fitting import FetchedCode, fetched_code
from searchsocket.search.code.related import RelatedCode
from searchsocket.search.wire import Wire
from searchsocket.serving.code import CodeService
from searchsocket.serving.parts import code_part, related_code_part
from searchsocket.serving.service import SearchService

_TRUSTED = "Needs the key."
A = TypeVar("A", bound=Wire)


def add_code(app: FastAPI, prefix: str, code: CodeService, service: SearchService) -> None:
    """Serve the source code below `prefix`."""

    async def answered(
        request: Request, asked: str | None, ask: Callable[[str], A], hits: Callable[[A], int]
    ) -> Response:
        if not caller_of(request).trusted:
            raise ScopeRefused("source code needs the key")
        scope = service.scopes.find(asked, trusted=True)
        answer = await run_in_threadpool(ask, scope.name)
        note_search(request, scope.name, hits(answer))
        return json_response(answer, sources=True)

    @app.post(
        f"{prefix}/search",
        operation_id="searchCode",
        summary="Search the source code",
        description=_TRUSTED,
        response_model=CodeAnswer,
        responses=ERRORS | BODY_ERRORS,
    )
    async def search_code(request: Request, body: CodeRequest) -> Response:
        query, part = body.to_query(), body.part

        def search(scope: str) -> CodeAnswer:
            return code_part(code, query, part, scope) if part else code.search(query, scope)

        return await answered(request, body.scope, search, lambda answer: len(answer.results))

    @app.post(
        f"{prefix}/find",
        operation_id="findCode",
        summary="Find every occurrence of a text in the source code",
        description=_TRUSTED,
        response_model=CodeFindAnswer,
        responses=ERRORS | BODY_ERRORS,
    )
    async def find_code(request: Request, body: CodeFindRequest) -> Response:
        query = body.to_query()
        return await answered(
            request, body.scope, lambda scope: code.find(query, scope), lambda answer: len(answer.occurrences)
        )

    @app.post(
        f"{prefix}/fetch",
        operation_id="fetchCode",
        summary="Get lines of source files",
        description=_TRUSTED,
        response_model=FetchedCode,
        responses=ERRORS | BODY_ERRORS,
    )
    async def fetch_code(request: Request, body: CodeFetchRequest) -> Response:
        return await answered(
            request, body.scope, lambda scope: _fetched(code, body.checked(), scope), lambda answer: len(answer.fetched)
        )

    @app.post(
        f"{prefix}/related",
        operation_id="relatedCode",
        summary="Get code and pages related to a definition or a page",
        description=_TRUSTED,
        response_model=RelatedCode,
        responses=ERRORS | BODY_ERRORS,
    )
    async def related_code(request: Request, body: CodeRelatedRequest) -> Response:
        query, part = body.to_query(), body.part

        def related(scope: str) -> RelatedCode:
            return related_code_part(code, query, part, scope) if part else code.related(query, scope)

        return await answered(request, body.scope, related, lambda answer: len(answer.code))


def _fetched(code: CodeService, asked: CodeFetchRequest, scope: str) -> FetchedCode:
    if asked.file is None:
        return fetched_code(scope, code.fetch_chunks(asked.ids, scope, asked.max_lines), asked.max_tokens)
    last = asked.last_line or asked.first_line + asked.max_lines - 1
    found = code.fetch_file(asked.file, asked.first_line, last, scope, asked.max_lines)
    return fetched_code(scope, [found], asked.max_tokens)
