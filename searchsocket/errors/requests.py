"""Errors about a request or its caller."""

from collections.abc import Sequence
from difflib import get_close_matches

from searchsocket.errors.base import SearchSocketError


class InvalidRequest(SearchSocketError):
    """A query or an identifier is malformed or exceeds a limit."""

    code = "INVALID_REQUEST"


class RecordsMissing(InvalidRequest):
    """The index has no records with these ids."""

    def __init__(self, ids: Sequence[str]) -> None:
        super().__init__(f"this index has no record {ids[0][:200]!r}; the text may have changed, so search again")
        self.ids = frozenset(ids)


class UnknownFacet(InvalidRequest):
    """The filter uses a facet that is not configured."""

    code = "UNKNOWN_FACET"

    def __init__(self, name: str, names: Sequence[str]) -> None:
        nearest = "".join(f"; did you mean {near!r}?" for near in get_close_matches(name, names, n=1, cutoff=0.0))
        super().__init__(f"unknown facet {name[:80]!r}{nearest}; configure facets in [facets]")


class UnknownVersion(InvalidRequest):
    """The site has no version with this name."""

    code = "UNKNOWN_VERSION"

    def __init__(self, name: str, names: Sequence[str]) -> None:
        nearest = "".join(f"; did you mean {near!r}?" for near in get_close_matches(name, names, n=1, cutoff=0.0))
        hint = nearest or "; the index of this site has no versions"
        super().__init__(f"unknown version {name[:80]!r}{hint}")


class InvalidScope(InvalidRequest):
    """The scope name is invalid, or this caller may not read the scope."""

    code = "INVALID_SCOPE"


class ScopeRefused(InvalidScope):
    """This caller may not read the scope; the error does not reveal if it exists."""


class PageNotFound(SearchSocketError):
    """The live index does not contain the page."""

    code = "PAGE_NOT_FOUND"


class PageMissing(PageNotFound):
    """The requested path has no page; the error suggests similar ones."""

    def __init__(self, path: str, suggestions: Sequence[str]) -> None:
        super().__init__(f"page {path[:200]!r} not found" + ("; see the suggestions" if suggestions else ""))
        self.suggestions = tuple(suggestions)


class DocumentMissing(PageNotFound):
    """The folder does not contain the document."""

    def __init__(self, file_path: str, folder_id: str) -> None:
        super().__init__(
            f"folder {folder_id[:80]!r} has no document {file_path[:200]!r}; use a file_path from "
            f"search_content or find_documents"
        )


class ChunkGone(SearchSocketError):
    """The live generation does not contain the chunk."""

    code = "CHUNK_GONE"

    def __init__(self, chunk_id: str, generation: str) -> None:
        super().__init__(
            f"generation {generation!r} has no chunk {chunk_id[:200]!r}; the text may have changed, or the id "
            f"belongs to another folder. Search again"
        )


class ContinuationGone(SearchSocketError):
    """The continuation token is invalid, or its answer is no longer available."""

    code = "CONTINUATION_GONE"


class RateLimited(SearchSocketError):
    """The caller sends too many requests."""

    code = "RATE_LIMITED"
    retryable = True


class Busy(SearchSocketError):
    """The service is busy with other requests."""

    code = "BUSY"
    retryable = True
    retry_after_s = 1


class IndexLoading(Busy):
    """The index is being loaded for the first request; a later one is answered."""

    code = "INDEX_LOADING"
    retry_after_s = 5


class Unauthorized(SearchSocketError):
    """The key in the request is wrong."""

    code = "UNAUTHORIZED"
