"""`POST /api/code/search`: the source code, for trusted callers alone."""

from typing import Annotated, Literal

from fastapi import FastAPI, Request
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from search_api.endpoints.common import ERRORS, caller_of, json_response, note_search
from search_api.requests import ScopeName, Text
from searchsocket.errors import ScopeRefused
from searchsocket.search.code.answer import CodeAnswer
from searchsocket.search.code.query import MAX_PATH_CHARS, MAX_TOP_K, CodeQuery
from searchsocket.serving.code import CodeService
from searchsocket.serving.service import SearchService

_Limit = Annotated[int, Field(ge=1, le=MAX_TOP_K)]
_Names = Annotated[list[Annotated[str, Field(max_length=40)]], Field(max_length=20)]


class CodeRequest(BaseModel):
    """The JSON of a search of source code."""

    model_config = ConfigDict(extra="forbid", strict=True, alias_generator=to_camel, populate_by_name=False)

    action: Annotated[Literal["search"], Field(description="What tools send that know several actions.")] = "search"
    query: Text
    limit: _Limit = 5
    path: Annotated[str, Field(max_length=MAX_PATH_CHARS, description="A folder, or a glob: `src/**/*.ts`.")] = ""
    languages: _Names = []
    kinds: _Names = []
    exported: bool = False
    max_per_file: _Limit = 2
    scope: ScopeName | None = None

    def to_query(self) -> CodeQuery:
        return CodeQuery(
            self.query,
            self.limit,
            self.path,
            tuple(self.languages),
            tuple(self.kinds),
            self.exported,
            self.max_per_file,
        )


def add_code(app: FastAPI, path: str, code: CodeService, service: SearchService) -> None:
    """Serve the search of source code at `path`."""

    @app.post(
        path,
        operation_id="searchCode",
        summary="Search the source code",
        description="For trusted callers: those with the key.",
        response_model=CodeAnswer,
        responses=ERRORS,
    )
    async def search_code(request: Request, body: CodeRequest) -> Response:
        if not caller_of(request).trusted:
            raise ScopeRefused("source code cannot be read without a key")
        scope = service.scopes.find(body.scope, trusted=True)
        answer = await run_in_threadpool(code.search, body.to_query(), scope.name)
        note_search(request, scope.name, len(answer.results))
        return json_response(answer, sources=True)
