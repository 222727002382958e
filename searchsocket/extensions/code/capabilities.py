"""The source code of a project: search, find every occurrence, fetch lines, get related code. Needs the key."""

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal, cast

from pydantic import ConfigDict, Field

from searchsocket.errors import InvalidRequest
from searchsocket.extensions.code.parsing.paths import MAX_PATH_CHARS
from searchsocket.extensions.code.search.answer import CodeAnswer, CodeQuery, CodeResult, CodeStatus, CodeSynced
from searchsocket.extensions.code.search.fetch import FetchedCode, FetchedLines, fetched_code
from searchsocket.extensions.code.search.find_all import CodeFindAnswer, CodeFindQuery
from searchsocket.extensions.code.search.related import DocumentingPage, RelatedCode, RelatedQuery
from searchsocket.search.bounds import (
    DEFAULT_MAX_TOKENS,
    MAX_CODE_OCCURRENCES,
    MAX_CODE_TOP_K,
    MAX_LINES,
    MAX_PLACES,
    MAX_QUERY_CHARS,
    MAX_RELATED_CODE,
)
from searchsocket.search.continuation import fitting
from searchsocket.search.occurrences import MAX_CHARS
from searchsocket.serving.capabilities import fields
from searchsocket.serving.capabilities.base import Agent, Caller, Capability, Http, Request, Services, query_of
from searchsocket.serving.capabilities.paging import read_part, read_results, wants_part
from searchsocket.system.json_text import JsonObject

if TYPE_CHECKING:  # a server that lists its tools does not open them
    from searchsocket.extensions.code.serving.part import CodeKeeper, CodePart
    from searchsocket.extensions.code.serving.service import CodeService

MAX_ID_CHARS = 400
MAX_LINE = 100_000_000
_PLACE = re.compile(r"(?P<file>.+):(?P<first>[0-9]{1,9})(?:-(?P<last>[0-9]{1,9}))?", re.DOTALL)
_ALL_LINES = f"1-{MAX_LINES}"
_LINES = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")

_Name = Annotated[str, Field(max_length=40)]
_Names = Annotated[list[_Name], Field(max_length=20)]
_Id = Annotated[str, Field(min_length=1, max_length=MAX_ID_CHARS)]
_Path = Annotated[
    str,
    Field(
        max_length=MAX_PATH_CHARS,
        description="Only in this folder, or files that match this glob, such as `src/**/*.ts`.",
    ),
]
_File = Annotated[str, Field(min_length=1, max_length=MAX_PATH_CHARS, description="Path from the project folder.")]
_Line = Annotated[int, Field(ge=1, le=MAX_LINE), fields.WHOLE]


class _CodeRequest(Request):
    model_config = ConfigDict(populate_by_name=False)

    scope: fields.ScopeName | None = None


class _PartRequest(_CodeRequest):
    max_tokens: fields.MaxTokens | None = None
    continuation_token: fields.ContinuationToken = ""


class CodeRequest(_PartRequest):
    """The body of a search of source code."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "open a file", "limit": 5}]})

    action: Annotated[
        Literal["search"], Field(description="Accepted for tools that send an action; always `search`.")
    ] = "search"
    q: Annotated[fields.Text, Field(alias="query")]
    top_k: Annotated[int, Field(ge=1, le=MAX_CODE_TOP_K, alias="limit"), fields.WHOLE] = 5
    path: _Path = ""
    languages: _Names = []
    kinds: _Names = []
    exported: bool = False
    max_per_file: Annotated[int, Field(ge=1, le=MAX_CODE_TOP_K), fields.WHOLE] = 3
    explain: fields.Explain = False


class CodeFindRequest(_CodeRequest):
    """The body of a request for every occurrence of a text."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"q": "open_file", "limit": 20}]})

    q: Annotated[fields.Text, Field(description="Exact text, in one line.")]
    limit: Annotated[int, Field(ge=1, le=MAX_CODE_OCCURRENCES), fields.WHOLE] = 100
    whole_words: Annotated[bool, Field(description="Match whole words only.")] = False
    match_case: Annotated[bool, Field(description="Match upper and lower case exactly.")] = True
    path: _Path = ""
    languages: _Names = []
    continuation: Annotated[
        str, Field(max_length=MAX_CHARS, description="`continuation` of the previous answer, to get the next ones.")
    ] = ""
    max_tokens: fields.MaxTokens | None = None


class CodeFetchRequest(_CodeRequest):
    """The body of a request for lines: of chunks by their ids, or of a file."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"file": "src/main.py", "firstLine": 1, "lastLine": 20}]})

    ids: Annotated[
        list[_Id], Field(max_length=MAX_PLACES, description="Ids of results, or `file:lines`, instead of a file.")
    ] = []
    file: _File | None = None
    first_line: _Line = 1
    last_line: _Line | None = None
    max_lines: Annotated[int, Field(ge=1, le=MAX_LINES), fields.WHOLE] = MAX_LINES
    max_tokens: fields.MaxTokens | None = None


class CodeStatusRequest(_CodeRequest):
    """The body of a request for the state of the index."""


class CodeSyncRequest(_CodeRequest):
    """The body of a request to bring the index up to date."""


class CodeRelatedRequest(_PartRequest):
    """Body of a request for code and pages related to a chunk, a definition or a page."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"file": "src/main.py", "line": 1}]})

    id: _Id | None = None
    file: _File | None = None
    line: _Line = 1
    symbol: Annotated[str, Field(min_length=1, max_length=MAX_ID_CHARS)] | None = None
    url: Annotated[str, Field(min_length=1, max_length=MAX_PATH_CHARS, description="A page of the site.")] | None = None
    top_k: Annotated[int, Field(ge=1, le=MAX_RELATED_CODE, alias="limit"), fields.WHOLE] = 5


def search_code(services: Services, request: CodeRequest, caller: Caller) -> CodeAnswer:
    """Search the source code of this project by meaning, words or symbol names.

    Call it to find where something is implemented or defined. Returns file, lines, symbol, kind and a preview of each,
    and marks files that changed since they were indexed. Then read lines with `fetch`. For prose, use `search`.
    """
    code, scope = _part(services).service(), services.scope(request.scope, caller).name

    def run(request: CodeRequest) -> CodeAnswer:
        return code.search(query_of(CodeQuery, request), scope)

    if not wants_part(request, caller):
        return run(request)
    return read_results(
        code.continuations,
        "search_code",
        lambda: code.generation(scope),
        request,
        request.q,
        ("top_k", "path", "languages", "kinds", "exported", "max_per_file", "explain"),
        run,
        _text,
    )


def find_code(services: Services, request: CodeFindRequest, caller: Caller) -> CodeFindAnswer:
    """List every occurrence of an exact text in the source files as they are now, as `grep -rnF` does, with a count.

    Call it for all uses of a name or a message. For meaning, use `search_code`.
    """
    query = query_of(CodeFindQuery, request)
    if caller.is_agent and query.max_tokens is None:
        query = replace(query, max_tokens=DEFAULT_MAX_TOKENS)
    return _part(services).service().find(query, services.scope(request.scope, caller).name)


def code_status(services: Services, request: CodeStatusRequest, caller: Caller) -> CodeStatus:
    """Report if the index of the source code is up to date: its age, and which files changed since.

    Call it if an answer looks old. To index the changes, call `sync`.
    """
    return _keeper(services).status(services.scope(request.scope, caller).name)


def sync_code(services: Services, request: CodeSyncRequest, caller: Caller) -> CodeSynced:
    """Index the source files that changed, all of them at the first time.

    Call it if an answer says that files were not searched. Small changes are indexed without it.
    """
    return _keeper(services).sync(services.scope(request.scope, caller).name)


def _keeper(services: Services) -> "CodeKeeper":
    keeper = _part(services).keeper
    if keeper is None:
        raise InvalidRequest("this checkout has no index of its own; run `searchsocket code sync` in it")
    return keeper


def _part(services: Services) -> "CodePart":
    return cast("CodePart", services.parts["code"]())


def fetch_code(services: Services, request: CodeFetchRequest, caller: Caller) -> FetchedCode:
    """Read numbered lines of source files as they are now, by `file` and `lines`, or several places by `ids`.

    Reads only indexed files, at most 120 lines of each; call it again for more.
    """
    if bool(request.ids) == bool(request.file):
        raise InvalidRequest("name either ids or file, as results have them")
    code, scope = _part(services).service(), services.scope(request.scope, caller).name
    if request.file is None:
        places = list(dict.fromkeys(request.ids))[:MAX_PLACES]
        files = [lines for place in places for lines in _at(code, place, scope, request.max_lines)]
    else:
        last = request.last_line or request.first_line + request.max_lines - 1
        files = [code.fetch_file(request.file, request.first_line, last, scope, request.max_lines)]
    return fetched_code(scope, files, request.max_tokens or (DEFAULT_MAX_TOKENS if caller.is_agent else None))


def _at(code: "CodeService", place: str, scope: str, max_lines: int) -> list[FetchedLines]:
    """Return the lines of a result, by its id or by its file and lines: `src/main.py:45-78`."""
    match = _PLACE.fullmatch(place)
    if match is None:
        return code.fetch_chunks([place], scope, max_lines)
    first = int(match["first"])
    return [code.fetch_file(match["file"], first, int(match["last"] or first), scope, max_lines)]


def related_code(services: Services, request: CodeRelatedRequest, caller: Caller) -> RelatedCode:
    """Get code near a chunk and the pages about it; raises as `CodeService.related` and `read_part`."""
    code, scope = _part(services).service(), services.scope(request.scope, caller).name

    def run(request: CodeRelatedRequest) -> RelatedCode:
        return code.related(query_of(RelatedQuery, request), scope)

    if not wants_part(request, caller):
        return run(request)
    part = read_part(
        code.continuations,
        "related_code",
        lambda: (code.generation(scope), code.pages_generation(scope)),
        request,
        request.id or request.symbol or request.url or f"{request.file}:{request.line}",
        ("top_k",),
        run,
        lambda answer: (*answer.code, *answer.pages),
        lambda items, max_tokens: fitting(items, _text, max_tokens),
    )
    return replace(
        part.answer,
        code=tuple(item for item in part.items if isinstance(item, CodeResult)),
        pages=tuple(item for item in part.items if isinstance(item, DocumentingPage)),
        truncated=part.token is not None,
        continuation_token=part.token,
    )


def _text(item: CodeResult | DocumentingPage) -> str:
    if isinstance(item, CodeResult):
        return f"{item.signature}\n{item.preview}"
    return f"{item.title} {item.section_title} {item.text}"


def _with_lines(arguments: JsonObject) -> JsonObject:
    """Return the fields of a request to fetch, from `lines` (`45-78` or `45`).

    Raises:
        InvalidRequest: The lines are not of this form, or there are ids and a file.
    """
    lines = str(arguments.get("lines", ""))
    values = {name: value for name, value in arguments.items() if name != "lines"}
    if bool(values.get("ids")) == bool(values.get("file")):
        raise InvalidRequest("send either `ids`, as results give them, or `file` (with `lines`, such as 45-78)")
    if values.get("ids"):
        return values
    if lines == _ALL_LINES and (place := _PLACE.fullmatch(str(values["file"]))):  # as results name places
        values["file"], lines = place["file"], f"{place['first']}-{place['last'] or place['first']}"
    match = _LINES.fullmatch(lines.strip())
    if match is None:
        raise InvalidRequest(f"lines: {lines[:40]!a} is not of the form 45-78 or 45")
    return {**values, "first_line": int(match[1]), "last_line": int(match[2] or match[1])}


_Code = partial(Capability, cost=lambda *_: 1.0, private="source code")
_Agent = partial(Agent, toolset="core", corpus="code")

_AGENT_PATH = fields.agent_text(
    "Only in this folder, or files that match this glob.", MAX_PATH_CHARS, ["src/auth", "src/**/*.ts"]
)
_AGENT_LANGUAGES = fields.agent_list(_Name, 20, "Only these.", [["typescript"]])

SEARCH_CODE = _Code(
    search_code,
    Http("/code/search", ("searchCode", "Search the source code")),
    hits=lambda answer: len(answer.results),
    agent=_Agent(
        "search_code",
        "find where something is implemented or defined",
        ("q", "top_k", "path", "languages", "kinds", "exported", "max_tokens", "continuation_token", "scope"),
        instruction="`search_code` finds code.",
        spelling={
            "q": fields.agent_text(
                "A question or keywords.", MAX_QUERY_CHARS, ["how are tokens verified", "Parser.parse"], min_length=1
            ),
            "path": _AGENT_PATH,
            "languages": _AGENT_LANGUAGES,
            "kinds": fields.agent_list(_Name, 20, "Only definitions of these kinds.", [["function"]]),
            "exported": (bool, Field(False, description="Only definitions that other files can use.")),
        },
        ignored={"action": "search"},
    ),
)
FIND_CODE = _Code(
    find_code,
    Http("/code/find", ("findCode", "Find every occurrence of a text in the source code")),
    hits=lambda answer: len(answer.occurrences),
    agent=_Agent(
        "find_code",
        "every use of a name in the source files as they are",
        ("q", "path", "languages", "limit", "whole_words", "match_case", "max_tokens", "continuation", "scope"),
        instruction="`find_code` lists every use of a text.",
        title="Find a text in the source code",
        spelling={
            "q": fields.agent_text("Exact text, in one line.", MAX_QUERY_CHARS, ["verifyToken"], min_length=1),
            "path": _AGENT_PATH,
            "languages": _AGENT_LANGUAGES,
            "limit": (int, Field(50, ge=1, le=MAX_CODE_OCCURRENCES, description="Maximum number of occurrences.")),
            "whole_words": (bool, Field(False, description="Match whole words only.")),
            "match_case": (bool, Field(True, description="Match upper and lower case exactly.")),
            "continuation": fields.agent_text("Token of the previous answer, to get the rest.", MAX_CHARS),
        },
    ),
)
FETCH_CODE = _Code(
    fetch_code,
    Http("/code/fetch", ("fetchCode", "Get lines of source files")),
    hits=lambda answer: len(answer.fetched),
    agent=_Agent(
        "fetch",
        "read lines of a source file",
        ("ids", "file", "lines", "max_tokens", "scope"),
        instruction="`fetch` reads lines.",
        title="Read lines of source files",
        spelling={
            "ids": fields.agent_list(
                Annotated[str, Field(max_length=MAX_ID_CHARS)],
                MAX_PLACES,
                "Several places at once, as results name them, instead of `file`.",
                [["src/auth/token.ts:45-78"]],
            ),
            "file": fields.agent_text("An indexed file.", MAX_PATH_CHARS, ["src/auth/token.ts"]),
            "lines": fields.agent_text(
                f"First and last line of `file`, at most {MAX_LINES} lines.",
                20,
                ["45-78", "45"],
                default=_ALL_LINES,
            ),
        },
        translate=_with_lines,
    ),
)
# For agents only, so without an endpoint.
CODE_STATUS = _Code(
    code_status,
    Http(""),
    agent=_Agent("status", "is the index up to date?", ("scope",), title="State of the code index"),
)
SYNC_CODE = _Code(
    sync_code,
    Http(""),
    agent=_Agent("sync", "index source files that changed", ("scope",), title="Index changed files", is_writing=True),
)
RELATED_CODE = _Code(
    related_code,
    Http("/code/related", ("relatedCode", "Get code and pages related to a definition or a page")),
    hits=lambda answer: len(answer.code),
)
CODE = (SEARCH_CODE, FIND_CODE, FETCH_CODE, CODE_STATUS, SYNC_CODE, RELATED_CODE)
