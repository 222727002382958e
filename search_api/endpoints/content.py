"""`POST /api/content/search`, `/api/documents`, `/api/documents/text`, `/api/documents/data` and `/api/ask`."""

from collections.abc import Callable
from functools import partial

from fastapi import FastAPI, Request
from starlette.responses import Response

from search_api.content_requests import AskRequest, ContentSearchRequest, DocumentRequest, DocumentsRequest
from search_api.endpoints.common import BODY_ERRORS, ERRORS, caller_of, json_response, note_search
from search_api.gate.queries import Queries
from searchsocket.search.answering.answer import AskAnswer
from searchsocket.search.content.answer import ContentAnswer
from searchsocket.search.content.document import DocumentDataAnswer, DocumentTextAnswer
from searchsocket.search.content.documents import DocumentsAnswer
from searchsocket.search.wire import Wire
from searchsocket.serving.content import ContentService

_ALL_ERRORS = ERRORS | BODY_ERRORS


def add_content(app: FastAPI, prefix: str, content: ContentService, queries: Queries) -> None:
    """Serve content below `prefix`. How much is read is not known before, so each is taken for a costly query."""

    async def answer(request: Request, work: Callable[..., Wire]) -> Response:
        caller = caller_of(request)
        found = await queries.costly(partial(work, trusted=caller.trusted), caller)
        return json_response(found, sources=caller.trusted)

    @app.post(
        f"{prefix}/content/search",
        operation_id="searchContent",
        summary="Find passages by meaning and exact terms",
        response_model=ContentAnswer,
        responses=_ALL_ERRORS,
    )
    async def search_content(request: Request, body: ContentSearchRequest) -> Response:
        return await answer(request, partial(content.search_content, body.folder_id, body.to_query()))

    @app.post(
        f"{prefix}/documents",
        operation_id="findDocuments",
        summary="Find documents by subject",
        response_model=DocumentsAnswer,
        responses=_ALL_ERRORS,
    )
    async def find_documents(request: Request, body: DocumentsRequest) -> Response:
        return await answer(request, partial(content.find_documents, body.folder_id, body.to_query()))

    @app.post(
        f"{prefix}/documents/text",
        operation_id="getDocumentText",
        summary="Get the text of a document",
        response_model=DocumentTextAnswer,
        responses=_ALL_ERRORS,
    )
    async def get_document_text(request: Request, body: DocumentRequest) -> Response:
        return await answer(request, partial(content.get_document_text, body.folder_id, body.to_query()))

    @app.post(
        f"{prefix}/documents/data",
        operation_id="getDocumentData",
        summary="Get the metadata and chunks of a document",
        response_model=DocumentDataAnswer,
        responses=_ALL_ERRORS,
    )
    async def get_document_data(request: Request, body: DocumentRequest) -> Response:
        return await answer(request, partial(content.get_document_data, body.folder_id, body.to_query()))

    @app.post(
        f"{prefix}/ask",
        operation_id="ask",
        summary="Answer a question with passages",
        response_model=AskAnswer,
        responses=_ALL_ERRORS,
    )
    async def ask(request: Request, body: AskRequest) -> Response:
        caller = caller_of(request)
        work = partial(content.ask, body.to_query(), body.scope, trusted=caller.trusted)
        found = await queries.costly(work, caller)
        note_search(request, body.scope or "", len(found.passages))
        return json_response(found, sources=caller.trusted)
