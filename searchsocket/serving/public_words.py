"""Errors in words that any caller may read: never a word of what went on inside (spec 14.2)."""

from searchsocket.errors import (
    Busy,
    InvalidRequest,
    PageNotFound,
    RateLimited,
    SearchSocketError,
    Unauthorized,
)

INTERNAL = "something went wrong inside the search service"
# These say only what the caller sent or may know; of all others the words stay inside.
_OWN_WORDS = (Busy, InvalidRequest, PageNotFound, RateLimited, Unauthorized)
_PUBLIC = {
    "SCOPE_NOT_INDEXED": "nothing is indexed for this scope",
    "CONFIG_MISSING": "the search service is not set up completely",
    "CONFIG_INVALID": "the search service is not set up correctly",
    "EMBEDDING_MODEL_MISMATCH": "the index was made with another embedding model; the site must be indexed again",
    "EMBEDDER_UNAVAILABLE": "the embedding service cannot be reached; try again later",
    "EMBEDDER_REFUSED": "the embedding service refuses to answer",
    "VECTOR_BACKEND_UNAVAILABLE": "the search index cannot be reached; try again later",
    "VECTOR_BACKEND_REFUSED": "the search index cannot be used; whoever runs it must look after it",
    "ARTIFACTS_UNAVAILABLE": "the search index cannot be fetched; try again later",
    "ARTIFACT_INVALID": "the search index that was fetched cannot be used",
    "INDEX_CORRUPT": "the search index cannot be read",
    "PAGE_TEXTS_MISSING": "the index has no page texts yet; index the site again",
    "STATE_UNAVAILABLE": "the search service cannot read its data; try again later",
    "PERMISSION_DENIED": "the search service may not read its data; whoever runs it must let it",
}
_MAX_MESSAGE_CHARS = 500


def public_message(error: SearchSocketError) -> str:
    """What a caller may read of an error."""
    if isinstance(error, _OWN_WORDS):
        return str(error)[:_MAX_MESSAGE_CHARS]
    return _PUBLIC.get(error.code, INTERNAL)
