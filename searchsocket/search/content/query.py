"""Content query, validated before any work is done."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from searchsocket.errors import InvalidRequest
from searchsocket.search.content.budget import DEFAULT_LIMIT, check_bounds
from searchsocket.search.content.folder import ContentFolder
from searchsocket.search.continuation import Continuations
from searchsocket.search.query import clean_text

MAX_TERMS, MAX_TERM_CHARS = 20, 200
MAX_TOKEN_CHARS = 40_000  # of a continuation: all the terms, as JSON in base64


@dataclass(frozen=True, slots=True)
class ContentQuery:
    """Concepts to find by meaning, terms to find literally, or both."""

    semantic_concepts: tuple[str, ...] = ()
    exact_terms: tuple[str, ...] = ()
    limit: int | None = None  # None: that of the previous answer, else 10
    max_tokens: int | None = None  # None: that of the previous answer, else only `limit` applies
    continuation_token: str = ""  # "": start with the first result
    offset: int = 0  # set by the continuation

    @property
    def page_size(self) -> int:
        return self.limit or DEFAULT_LIMIT

    def identity(self) -> dict[str, object]:
        """The request as JSON, for the continuation token."""
        return {"c": self.semantic_concepts, "t": self.exact_terms, "l": self.limit, "m": self.max_tokens}


def checked(query: ContentQuery, folder: ContentFolder, words: Continuations) -> ContentQuery:
    """Return the validated query; with a continuation token, the query in the token.

    Raises:
        InvalidRequest: The query is empty, a value is out of range, or the token belongs to another query.
        ContinuationGone: The token is not valid, or belongs to another folder or generation.
    """
    check_bounds(query.limit, query.max_tokens)
    query = replace(
        query,
        semantic_concepts=_clean("semantic_concepts", query.semantic_concepts),
        exact_terms=_clean("exact_terms", query.exact_terms),
    )
    if query.continuation_token:
        return _query_of_token(query, folder, words)
    if not query.semantic_concepts and not query.exact_terms:
        raise InvalidRequest("send semantic_concepts, exact_terms, or both")
    return query


def _query_of_token(query: ContentQuery, folder: ContentFolder, words: Continuations) -> ContentQuery:
    request, offset = words.position(query.continuation_token, "search_content", folder.reader.generation)
    concepts, terms = tuple(request["c"]), tuple(request["t"])
    if (query.semantic_concepts or concepts, query.exact_terms or terms) != (concepts, terms):
        raise InvalidRequest(
            "the continuation token belongs to other concepts or terms; send it alone, or with the same ones"
        )
    return ContentQuery(
        concepts, terms, query.limit or request["l"], query.max_tokens or request["m"], query.continuation_token, offset
    )


def _clean(name: str, values: Sequence[str]) -> tuple[str, ...]:
    """Return the distinct values, each on one line and without invisible characters."""
    if len(values) > MAX_TERMS:
        raise InvalidRequest(f"{name} has {len(values)} items; the limit is {MAX_TERMS}")
    for value in values:
        if len(value) > MAX_TERM_CHARS:
            raise InvalidRequest(f"an item of {name} has {len(value)} characters; the limit is {MAX_TERM_CHARS}")
    try:
        return tuple(dict.fromkeys(map(clean_text, values)))
    except InvalidRequest as error:
        raise InvalidRequest(f"an item of {name} is empty") from error
