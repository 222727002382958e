"""What is wrong with a question, or with whoever asks it."""

from collections.abc import Sequence
from difflib import get_close_matches

from searchsocket.errors.base import SearchSocketError


class InvalidRequest(SearchSocketError):
    """A query or an identifier from outside is malformed or beyond its limits."""

    code = "INVALID_REQUEST"


class RecordsMissing(InvalidRequest):
    """An index holds no records of these ids."""

    def __init__(self, ids: Sequence[str]) -> None:
        super().__init__(
            f"no record {ids[0][:200]!r} in this index: it changed or went since the id was given, or never was; "
            "search again"
        )
        self.ids = frozenset(ids)


class UnknownFacet(InvalidRequest):
    """A filter names what no setting calls a facet."""

    code = "UNKNOWN_FACET"

    def __init__(self, name: str, known: Sequence[str]) -> None:
        nearest = "".join(f"; the nearest one is {near!r}" for near in get_close_matches(name, known, n=1, cutoff=0.0))
        super().__init__(f"no facet {name[:80]!r}{nearest}; the settings name others in [facets]")


class InvalidScope(InvalidRequest):
    """A scope name cannot be used, or is not one that this caller may read."""

    code = "INVALID_SCOPE"


class ScopeRefused(InvalidScope):
    """The scope is not one that this caller may read; whether it exists is not said."""


class PageNotFound(SearchSocketError):
    """The live index holds no such page."""

    code = "PAGE_NOT_FOUND"


class PageMissing(PageNotFound):
    """There is no page at a path that was asked for; some that may be meant are named."""

    def __init__(self, path: str, suggestions: Sequence[str]) -> None:
        super().__init__(f"there is no page {path[:200]!r}" + ("; see the suggestions" if suggestions else ""))
        self.suggestions = tuple(suggestions)


class DocumentMissing(PageNotFound):
    """A folder that is searched for content holds no such document."""

    def __init__(self, file_path: str, folder_id: str) -> None:
        super().__init__(
            f"folder {folder_id[:80]!r} holds no document {file_path[:200]!r}; take a file_path as search_content and "
            "find_documents give it"
        )


class ChunkGone(SearchSocketError):
    """The id of a chunk is of none that the live generation holds."""

    code = "CHUNK_GONE"

    def __init__(self, chunk_id: str, generation: str) -> None:
        super().__init__(
            f"generation {generation!r} holds no chunk {chunk_id[:200]!r}: it changed or went since the id was given, "
            "or the id is of another folder; search again"
        )


class ContinuationGone(SearchSocketError):
    """What was sent to go on with an answer is of none that can be gone on with."""

    code = "CONTINUATION_GONE"


class RateLimited(SearchSocketError):
    """The caller sends too many requests."""

    code = "RATE_LIMITED"
    retryable = True


class Busy(SearchSocketError):
    """So much is being answered already that this must wait."""

    code = "BUSY"
    retryable = True
    retry_after_s = 1


class Unauthorized(SearchSocketError):
    """A key was sent, and it is wrong."""

    code = "UNAUTHORIZED"
