"""Passages and documents of a folder (pages of a scope, or its source code), and questions answered with passages."""

from functools import partial
from typing import Annotated

from pydantic import AliasChoices, ConfigDict, Field, JsonValue

from searchsocket.extensions import extensions
from searchsocket.search.answering.answer import AskAnswer, AskQuery
from searchsocket.search.bounds import MAX_LIMIT, MAX_PASSAGES, MAX_QUERY_CHARS
from searchsocket.search.content.answer import MAX_TERM_CHARS, MAX_TERMS, MAX_TOKEN_CHARS, ContentAnswer, ContentQuery
from searchsocket.search.content.document import DocumentDataAnswer, DocumentQuery, DocumentTextAnswer
from searchsocket.search.content.documents import DocumentsAnswer, DocumentsQuery
from searchsocket.serving.capabilities import fields
from searchsocket.serving.capabilities.base import Agent, Caller, Capability, Http, Request, Services, query_of

_MAX_PATH_CHARS = 4_096

_FOLDERS = ("site", *(extension.name for extension in extensions() if extension.contents))
_Term = Annotated[str, Field(min_length=1, max_length=MAX_TERM_CHARS)]
_Terms = Annotated[list[_Term], Field(max_length=MAX_TERMS)]
_Limit = Annotated[int, Field(ge=1, le=MAX_LIMIT, description="Maximum number of results. Default: 10."), fields.WHOLE]
_FOLDER_NAMES = AliasChoices("folder_id", "base_folder_path")


def _example(**values: JsonValue) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [values]})


class FolderRequest(Request):
    """Base of these requests; fields keep their snake_case names in JSON."""

    model_config = ConfigDict(alias_generator=None)

    folder_id: Annotated[
        str,
        Field(
            min_length=1,
            max_length=300,
            pattern=rf"^(?:[^/].*/)?(?:{'|'.join(_FOLDERS)})$",
            description=" ".join(
                [
                    f"{' or '.join(f'`{name}`' for name in _FOLDERS)}, optionally with a scope: `main/site`.",
                    *(f"`{name}` needs the key." for name in _FOLDERS[1:]),
                ]
            ),
            examples=["site"],
            validation_alias=_FOLDER_NAMES,
        ),
    ]
    max_tokens: fields.PartTokens | None = None
    continuation_token: Annotated[
        str, Field(max_length=MAX_TOKEN_CHARS, description="`continuation.next_token` of the previous answer.")
    ] = ""


class ContentSearchRequest(FolderRequest):
    """The body of `POST /api/content/search`: concepts, terms, or both; or a continuation token."""

    model_config = _example(folder_id="site", semantic_concepts=["token rotation"])

    semantic_concepts: Annotated[
        _Terms, Field(description="Concepts to match by meaning.", examples=[["token rotation"]])
    ] = []
    exact_terms: Annotated[
        _Terms,
        Field(
            description="Terms to match as whole words; case matters only for names from code.", examples=[["useState"]]
        ),
    ] = []
    limit: _Limit | None = None
    max_tokens: Annotated[
        fields.PartTokens | None,
        Field(description="Approximate maximum size of the text in tokens. Default: no limit."),
    ] = None


class DocumentsRequest(FolderRequest):
    """The body of `POST /api/documents`: a subject, or a continuation token."""

    model_config = _example(folder_id="site", query="rotating keys")

    query: Annotated[str, Field(max_length=1_000, examples=["rotating keys"])] = ""
    limit: _Limit | None = None


class DocumentRequest(FolderRequest):
    """The body of `POST /api/documents/text` and `/api/documents/data`."""

    model_config = _example(folder_id="site", file_path="docs/install.md")

    file_path: Annotated[
        str,
        Field(
            min_length=1,
            max_length=_MAX_PATH_CHARS,
            description="`file_path` of a result: a file in the repository, or a page's file in the mirror.",
            examples=["docs/install.md"],
        ),
    ]
    chunk_id: Annotated[
        str, Field(max_length=_MAX_PATH_CHARS, description="`chunk_id` of a result, to start there.")
    ] = ""


class AskRequest(Request):
    """The body of `POST /api/ask`."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"question": "How are keys rotated?"}]})

    question: fields.Text
    scope: fields.ScopeName | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_PASSAGES, description="Maximum number of passages."), fields.WHOLE] = 3
    path_prefix: fields.PathPrefix | None = None
    tags: fields.Tags | None = None
    filters: fields.Filters | None = None
    prefer_language: fields.PreferLanguage = ""
    version: fields.Version | None = None
    max_tokens: fields.PartTokens | None = None
    continuation_token: fields.ContinuationToken = ""


def search_content(services: Services, request: ContentSearchRequest, caller: Caller) -> ContentAnswer:
    """Find passages and return their whole text, by concepts (meaning), exact terms (as written), or both.

    Call it for exact identifiers, versions or error codes, for every passage with a term (it counts them all, and
    continues by token), or for the text of many passages in one call. With concepts, passages without the exact terms
    are returned too: each exact term in a passage raises its score by half.
    """
    query = query_of(ContentQuery, request)
    return services.content().search_content(request.folder_id, query, trusted=caller.trusted)


def find_documents(services: Services, request: DocumentsRequest, caller: Caller) -> DocumentsAnswer:
    """List documents about a subject, with summaries and key phrases, to choose what to read.

    Call it to see which pages or source files exist on a subject, not their content.
    """
    query = query_of(DocumentsQuery, request)
    return services.content().find_documents(request.folder_id, query, trusted=caller.trusted)


def document_text(services: Services, request: DocumentRequest, caller: Caller) -> DocumentTextAnswer:
    """Read a document of a result by its `file_path`, or a page by its `url`, in whole sections.

    `chunk_id` starts at that passage; `continuation_token` continues the previous answer.
    """
    query = query_of(DocumentQuery, request)
    return services.content().get_document_text(request.folder_id, query, trusted=caller.trusted)


def document_data(services: Services, request: DocumentRequest, caller: Caller) -> DocumentDataAnswer:
    """Get the metadata of a document and its passages, with `chunk_id`, headings and source lines.

    Call it for the outline of a long document, or for its source lines; for plain text, use `get_document_text`.
    """
    query = query_of(DocumentQuery, request)
    return services.content().get_document_data(request.folder_id, query, trusted=caller.trusted)


def ask(services: Services, request: AskRequest, caller: Caller) -> AskAnswer:
    """Answer one question with cited sentences from pages and code, or report that there is no answer.

    Call it for a question with a definite answer, if a few sentences with sources are enough. It quotes, and refuses
    rather than guesses. For long explanations, use `search`.
    """
    query = query_of(
        AskQuery, request, filters=fields.filters_of(request.filters), version=fields.versions_of(request.version)
    )
    return services.content().ask(query, request.scope, trusted=caller.trusted)


_SPELLING = {
    "folder_id": fields.agent_text(
        "`site` (pages) or `code` (source files); default: pages, if there are any.", 300, ["code"]
    ),
    "semantic_concepts": fields.agent_list(
        _Term, MAX_TERMS, "Concepts to match by meaning.", [["token rotation", "session expiry"]]
    ),
    "exact_terms": fields.agent_list(
        _Term,
        MAX_TERMS,
        "Terms to match as whole words; phrases are allowed: `rate limit`.",
        [["useState", "WebSocket"]],
    ),
    "query": fields.agent_text("The subject.", 1_000, ["rotating keys"]),
    "limit": (int, Field(0, ge=0, le=MAX_LIMIT, description="Maximum number of results; 0: 10, or as before.")),
    "file_path": fields.agent_text(
        "`file_path` of a result.", _MAX_PATH_CHARS, ["docs/install.md", "src/auth/token.ts"]
    ),
    "url": fields.agent_text("Page of the site, instead of `file_path`.", _MAX_PATH_CHARS, ["/docs/install"]),
}
_Tool = partial(Agent, spelling=_SPELLING)
_PART = ("max_tokens", "continuation_token", "scope")
CONTENT_SEARCH = Capability(
    search_content,
    Http("/content/search", ("searchContent", "Find passages by meaning and exact terms")),
    agent=_Tool(
        "search_content",
        "exact identifiers or error codes; every passage with a term",
        ("semantic_concepts", "exact_terms", "folder_id", "limit", *_PART),
        title="Find passages",
    ),
)
FIND_DOCUMENTS = Capability(
    find_documents,
    Http("/documents", ("findDocuments", "Find documents by subject")),
    agent=_Tool(
        "find_documents",
        "list pages or files on a subject",
        ("query", "folder_id", "limit", *_PART),
        title="Find documents",
    ),
)
DOCUMENT_TEXT = Capability(
    document_text,
    Http("/documents/text", ("getDocumentText", "Get the text of a document")),
    agent=_Tool(
        "get_document_text",
        "read a document of these results",
        ("file_path", "url", "folder_id", "chunk_id", *_PART),
        title="Read a document",
    ),
)
DOCUMENT_DATA = Capability(
    document_data,
    Http("/documents/data", ("getDocumentData", "Get the metadata and chunks of a document")),
    agent=_Tool(
        "get_document_data",
        "the outline of a long document, or the lines of its source",
        ("file_path", "url", "folder_id", "chunk_id", *_PART),
        title="Outline a document",
    ),
)
ASK = Capability(
    ask,
    Http("/ask", ("ask", "Answer a question with passages")),
    hits=lambda answer: len(answer.passages),
    agent=Agent(
        "ask",
        "a question with one answer, as cited sentences",
        ("question", "limit", "max_tokens", "continuation_token", "scope"),
        title="Ask a question",
        toolset="core",
        corpus="site",
        spelling={
            "question": fields.agent_text(
                "A whole question.", MAX_QUERY_CHARS, ["How are keys rotated?"], min_length=1
            ),
            "limit": (int, Field(3, ge=1, le=MAX_PASSAGES, description="Maximum number of passages.")),
        },
    ),
)
CONTENT = (CONTENT_SEARCH, FIND_DOCUMENTS, DOCUMENT_TEXT, DOCUMENT_DATA)
ANSWERS = (ASK,)
