"""Requests of trusted callers about source code, as JSON."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from search_api.requests import ContinuationToken, MaxTokens, ScopeName, Text, WithOptions, whole
from searchsocket.code.paths import MAX_PATH_CHARS
from searchsocket.errors import InvalidRequest
from searchsocket.search.code.fetch import MAX_IDS, MAX_LINES
from searchsocket.search.code.find_all import MAX_LIMIT, CodeFindQuery
from searchsocket.search.code.query import MAX_TOP_K, CodeQuery
from searchsocket.search.code.related import MAX_RELATED, RelatedQuery
from searchsocket.search.occurrences.continuation import MAX_CHARS
from searchsocket.serving.parts import Part

MAX_ID_CHARS = 400
MAX_LINE = 100_000_000

_Limit = Annotated[int, Field(ge=1, le=MAX_TOP_K), BeforeValidator(whole)]
_Names = Annotated[list[Annotated[str, Field(max_length=40)]], Field(max_length=20)]
_Id = Annotated[str, Field(min_length=1, max_length=MAX_ID_CHARS)]
_Path = Annotated[
    str,
    Field(
        max_length=MAX_PATH_CHARS,
        description="Only in this folder, or files that match this glob, such as `src/**/*.ts`.",
    ),
]
_File = Annotated[str, Field(min_length=1, max_length=MAX_PATH_CHARS, description="Path from the project folder.")]
_Line = Annotated[int, Field(ge=1, le=MAX_LINE), BeforeValidator(whole)]


class _Request(WithOptions):
    model_config = ConfigDict(extra="forbid", strict=True, alias_generator=to_camel, populate_by_name=False)

    scope: ScopeName | None = None


class _PartRequest(_Request):
    max_tokens: MaxTokens | None = None
    continuation_token: ContinuationToken = ""

    @property
    def part(self) -> Part | None:
        """The requested part of the answer; None: all of it."""
        is_part = self.max_tokens or self.continuation_token
        return Part(self.max_tokens, self.continuation_token) if is_part else None


class CodeRequest(_PartRequest):
    """The body of a search of source code."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "open a file", "limit": 5}]})

    action: Annotated[
        Literal["search"], Field(description="Accepted for tools that send an action; always `search`.")
    ] = "search"
    query: Text
    limit: _Limit = 5
    path: _Path = ""
    languages: _Names = []
    kinds: _Names = []
    exported: bool = False
    max_per_file: _Limit = 2

    def to_query(self) -> CodeQuery:
        """Return the query of this request."""
        return CodeQuery(
            self.query,
            self.limit,
            self.path,
            tuple(self.languages),
            tuple(self.kinds),
            self.exported,
            self.max_per_file,
        )


class CodeFindRequest(_Request):
    """The body of a request for every occurrence of a text."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"q": "open_file", "limit": 20}]})

    q: Annotated[Text, Field(description="Exact text, in one line.")]
    limit: Annotated[int, Field(ge=1, le=MAX_LIMIT), BeforeValidator(whole)] = 100
    whole_words: Annotated[bool, Field(description="Match whole words only.")] = True
    match_case: Annotated[bool, Field(description="Match upper and lower case exactly.")] = True
    path: _Path = ""
    languages: _Names = []
    continuation: Annotated[
        str, Field(max_length=MAX_CHARS, description="`continuation` of the previous answer, to get the next ones.")
    ] = ""
    max_tokens: MaxTokens | None = None

    def to_query(self) -> CodeFindQuery:
        """Return the query of this request."""
        return CodeFindQuery(
            self.q,
            self.limit,
            self.whole_words,
            self.match_case,
            self.path,
            tuple(self.languages),
            self.continuation,
            self.max_tokens,
        )


class CodeFetchRequest(_Request):
    """The body of a request for lines: of chunks by their ids, or of a file."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"file": "src/main.py", "firstLine": 1, "lastLine": 20}]})

    ids: Annotated[list[_Id], Field(max_length=MAX_IDS, description="Ids of results, instead of a file.")] = []
    file: _File | None = None
    first_line: _Line = 1
    last_line: _Line | None = None
    max_lines: Annotated[int, Field(ge=1, le=MAX_LINES), BeforeValidator(whole)] = MAX_LINES
    max_tokens: MaxTokens | None = None

    def checked(self) -> "CodeFetchRequest":
        """The request itself.

        Raises:
            InvalidRequest: It names neither chunks nor a file, or both.
        """
        if bool(self.ids) == bool(self.file):
            raise InvalidRequest("name either ids or file, as results have them")
        return self


class CodeRelatedRequest(_PartRequest):
    """Body of a request for code and pages related to a chunk, a definition or a page."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"file": "src/main.py", "line": 1}]})

    id: _Id | None = None
    file: _File | None = None
    line: _Line = 1
    symbol: Annotated[str, Field(min_length=1, max_length=MAX_ID_CHARS)] | None = None
    url: Annotated[str, Field(min_length=1, max_length=MAX_PATH_CHARS, description="A page of the site.")] | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_RELATED), BeforeValidator(whole)] = 5

    def to_query(self) -> RelatedQuery:
        """Return the query of this request."""
        return RelatedQuery(self.id or "", self.file or "", self.line, self.symbol or "", self.url or "", self.limit)
