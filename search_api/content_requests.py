"""Requests for content, with the field names of the agent tools."""

from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, ConfigDict, Field

from search_api.requests import ContinuationToken, Request, ScopeName, Text, WithOptions, whole
from searchsocket.search.answering.answer import AskQuery
from searchsocket.search.answering.ask import MAX_PASSAGES
from searchsocket.search.content.bounds import LEAST_MAX_TOKENS, MAX_LIMIT, MOST_MAX_TOKENS
from searchsocket.search.content.document import DocumentQuery
from searchsocket.search.content.documents import DocumentsQuery
from searchsocket.search.content.query import MAX_TERM_CHARS, MAX_TERMS, MAX_TOKEN_CHARS, ContentQuery

_MAX_PATH_CHARS = 4_096

FolderId = Annotated[
    str,
    Field(
        min_length=1,
        max_length=300,
        pattern=r"^(?:[^/].*/)?(?:site|code)$",
        description="`site` or `code`, optionally with a scope: `main/site`. `code` needs the key.",
        examples=["site"],
    ),
]
FilePath = Annotated[
    str,
    Field(
        min_length=1,
        max_length=_MAX_PATH_CHARS,
        description="`file_path` of a result: a file in the repository, or a page's file in the mirror.",
        examples=["docs/install.md"],
    ),
]
ChunkId = Annotated[str, Field(max_length=_MAX_PATH_CHARS, description="`chunk_id` of a result, to start there.")]
Terms = Annotated[list[Annotated[str, Field(min_length=1, max_length=MAX_TERM_CHARS)]], Field(max_length=MAX_TERMS)]
Limit = Annotated[
    int, Field(ge=1, le=MAX_LIMIT, description="Maximum number of results. Default: 10."), BeforeValidator(whole)
]
MaxTokens = Annotated[
    int,
    Field(
        ge=LEAST_MAX_TOKENS,
        le=MOST_MAX_TOKENS,
        description="Approximate maximum size of the text in tokens; the token gets the rest. Default: 8,000.",
    ),
    BeforeValidator(whole),
]
Token = Annotated[
    str, Field(max_length=MAX_TOKEN_CHARS, description="`continuation.next_token` of the previous answer.")
]


def _config(example: dict[str, Any]) -> ConfigDict:
    return ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [example]})


class ContentBody(WithOptions):
    """Base of these requests; fields keep their snake_case names in JSON."""

    folder_id: Annotated[FolderId, Field(validation_alias=AliasChoices("folder_id", "base_folder_path"))]
    max_tokens: MaxTokens | None = None
    continuation_token: Token = ""


class ContentSearchRequest(ContentBody):
    """The body of `POST /api/content/search`: concepts, terms, or both; or a continuation token."""

    model_config = _config({"folder_id": "site", "semantic_concepts": ["token rotation"]})

    semantic_concepts: Annotated[
        Terms, Field(description="Concepts to match by meaning.", examples=[["token rotation"]])
    ] = []
    exact_terms: Annotated[
        Terms,
        Field(
            description="Terms to match as whole words; case matters only for names from code.", examples=[["useState"]]
        ),
    ] = []
    limit: Limit | None = None
    max_tokens: Annotated[
        MaxTokens | None, Field(description="Approximate maximum size of the text in tokens. Default: no limit.")
    ] = None

    def to_query(self) -> ContentQuery:
        return ContentQuery(
            tuple(self.semantic_concepts), tuple(self.exact_terms), self.limit, self.max_tokens, self.continuation_token
        )


class DocumentsRequest(ContentBody):
    """The body of `POST /api/documents`: a subject, or a continuation token."""

    model_config = _config({"folder_id": "site", "query": "rotating keys"})

    query: Annotated[str, Field(max_length=1_000, examples=["rotating keys"])] = ""
    limit: Limit | None = None

    def to_query(self) -> DocumentsQuery:
        return DocumentsQuery(self.query, self.limit, self.max_tokens, self.continuation_token)


class DocumentRequest(ContentBody):
    """The body of `POST /api/documents/text` and `/api/documents/data`."""

    model_config = _config({"folder_id": "site", "file_path": "docs/install.md"})

    file_path: FilePath
    chunk_id: ChunkId = ""

    def to_query(self) -> DocumentQuery:
        return DocumentQuery(self.file_path, self.chunk_id, self.max_tokens, self.continuation_token)


class AskRequest(Request):
    """The body of `POST /api/ask`."""

    model_config = _config({"question": "How are keys rotated?"})

    question: Text
    scope: ScopeName | None = None
    limit: Annotated[
        int, Field(ge=1, le=MAX_PASSAGES, description="Maximum number of passages."), BeforeValidator(whole)
    ] = 3
    max_tokens: MaxTokens | None = None
    continuation_token: ContinuationToken = ""

    def to_query(self) -> AskQuery:
        return AskQuery(self.question, self.limit, self.max_tokens, self.continuation_token)
