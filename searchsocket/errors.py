"""Errors that a caller can act on: each has a public, stable code (spec 14.2)."""

from collections.abc import Sequence
from difflib import get_close_matches

from searchsocket.dollars import exact_dollars


class SearchSocketError(Exception):
    """Base of everything that this library raises on purpose."""

    code = "INTERNAL_ERROR"
    retryable = False


class ConfigError(SearchSocketError):
    """The configuration file, an environment override or a flag cannot be used."""

    code = "CONFIG_INVALID"


class ConfigMissing(SearchSocketError):
    """Something that the project must provide is not there: a build folder, an index, a key."""

    code = "CONFIG_MISSING"


class KeyMissing(ConfigMissing):
    """The key of a provider is in no variable."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.fix = fix


class InvalidRequest(SearchSocketError):
    """A query or an identifier from outside is malformed or beyond its limits."""

    code = "INVALID_REQUEST"


class RecordsMissing(InvalidRequest):
    """An index holds no records of these ids."""

    def __init__(self, ids: Sequence[str]) -> None:
        super().__init__(f"no record {ids[0][:200]!r} in this index")
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


class ScopeNotIndexed(SearchSocketError):
    """Nothing was published yet for the scope."""

    code = "SCOPE_NOT_INDEXED"

    def __init__(self, scope: str) -> None:
        super().__init__(f"scope {scope!r} has no index yet; run `searchsocket index --scope {scope}`")


class CodeNotIndexed(ScopeNotIndexed):
    """Nothing was published yet of the source code of the scope."""

    def __init__(self, scope: str) -> None:
        SearchSocketError.__init__(
            self,
            f"the code of scope {scope!r} has no index yet; run `searchsocket index --only code --scope {scope}`",
        )


class NoGenerationBefore(SearchSocketError):
    """The scope has an index, and none before it to go back to."""

    code = "NO_GENERATION_BEFORE"

    def __init__(self, scope: str) -> None:
        super().__init__(f"no generation before the live one of scope {scope!r} is kept, so there is nothing to go to")


class GenerationNotKept(SearchSocketError):
    """The scope has no such generation, or not any more."""

    code = "GENERATION_NOT_KEPT"

    def __init__(self, scope: str, asked: str, kept: Sequence[str]) -> None:
        super().__init__(
            f"scope {scope!r} keeps no generation {asked[:100]!r}; there "
            + (f"are {', '.join(kept)}" if kept else "is none")
        )


class CandidateRefused(SearchSocketError):
    """What was built answers its golden queries too badly to replace the live index; it is kept to be looked at."""

    code = "CANDIDATE_REFUSED"


class ScopeLocked(SearchSocketError):
    """Another run works on the same scope."""

    code = "SCOPE_LOCKED"
    retryable = True

    def __init__(self, scope: str, owner: str) -> None:
        super().__init__(f"scope {scope!r} is being indexed by {owner}; wait for it to end, then run again")


class Interrupted(SearchSocketError):
    """The run was told to stop before it published: a signal, or its cancellation in Dagster."""

    code = "INTERRUPTED"


class SourceUnavailable(SearchSocketError):
    """The pages cannot be listed or read at all."""

    code = "SOURCE_UNAVAILABLE"


class BranchesUnknown(SearchSocketError):
    """Which branches live cannot be told for certain, so nothing is deleted for want of one."""

    code = "BRANCHES_UNKNOWN"
    retryable = True


class UnsafePath(SearchSocketError):
    """A name from outside leads outside the folder it belongs to."""

    code = "UNSAFE_PATH"


class LargeDeletion(SearchSocketError):
    """The run would delete more than half of the scope."""

    code = "LARGE_DELETION"

    def __init__(self, scope: str, removed: int, known: int) -> None:
        super().__init__(
            f"this run would delete {removed} of the {known} pages of scope {scope!r}; "
            "if that is meant, run again with --accept-large-deletion"
        )


class StrictRoutesFailed(SearchSocketError):
    """Strict route mapping is on and some pages have no exact route."""

    code = "ROUTES_NOT_EXACT"


class BudgetExceeded(SearchSocketError):
    """The estimated cost is over the budget; nothing was called."""

    code = "BUDGET_EXCEEDED"

    def __init__(self, cost_usd: float, max_cost_usd: float, spent_usd: float | None = None) -> None:
        cost = f"embedding would cost about {exact_dollars(cost_usd)}"
        if spent_usd is None:
            super().__init__(
                f"{cost}, over the budget of {exact_dollars(max_cost_usd)}; nothing was called; raise --max-cost (or "
                "costs.budget.run_usd), or index less with --max-pages"
            )
        else:
            super().__init__(
                f"{cost}, and {exact_dollars(spent_usd)} of this month's budget of {exact_dollars(max_cost_usd)} are "
                "spent; nothing was called; raise costs.budget.month_usd, or index less with --max-pages"
            )


class EmbeddingModelMismatch(SearchSocketError):
    """The scope was indexed with another model, so its vectors cannot be compared."""

    code = "EMBEDDING_MODEL_MISMATCH"

    def __init__(self, scope: str, indexed: str, configured: str) -> None:
        super().__init__(
            f"scope {scope!r} was indexed with {indexed!r} but {configured!r} is configured; "
            "run `searchsocket index --force` to migrate it"
        )


class BadVectors(SearchSocketError):
    """Vectors are zero, not finite, of another length or dimension, or not as many as their texts."""

    code = "BAD_VECTORS"


class EmbedderUnavailable(SearchSocketError):
    """The embedding provider could not answer; safe to retry."""

    code = "EMBEDDER_UNAVAILABLE"
    retryable = True
    fix = "wait and run again; if it lasts, look at the network, and at embeddings.base_url"

    def __init__(self, message: str, retry_after_s: float | None = None, *, is_limit: bool = False) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s  # as the provider asked for; None = it did not say
        self.is_limit = is_limit  # it takes fewer calls than it gets


class EmbedderRefused(SearchSocketError):
    """The embedding provider will not answer until somebody changes something: the key, the quota, the model."""

    code = "EMBEDDER_REFUSED"

    def __init__(self, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.fix = fix  # what mends it, for people


class VectorBackendUnavailable(SearchSocketError):
    """The vector store could not be reached or read; safe to retry."""

    code = "VECTOR_BACKEND_UNAVAILABLE"
    retryable = True

    def __init__(self, message: str, *, retry_after_s: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s  # before that it is not worth it


class VectorBackendRefused(VectorBackendUnavailable):
    """The vector store will not answer until somebody changes something: the key, the schema, what it holds."""

    code = "VECTOR_BACKEND_REFUSED"
    retryable = False


class ClusterUnavailable(SearchSocketError):
    """The Dask cluster could not be reached, lost its workers, or lacks what this process has; safe to retry."""

    code = "CLUSTER_UNAVAILABLE"
    retryable = True


class IndexCorrupt(SearchSocketError):
    """Files of an index are damaged, half there, or of another project."""

    code = "INDEX_CORRUPT"


class ArtifactsUnavailable(SearchSocketError):
    """The object store of `artifacts.url` could not be reached, or lacks what it names; safe to retry."""

    code = "ARTIFACTS_UNAVAILABLE"
    retryable = True


class ArtifactInvalid(SearchSocketError):
    """What the object store holds is damaged, of another format, or asks for what no index needs; nothing was taken."""

    code = "ARTIFACT_INVALID"


class ProjectMismatch(SearchSocketError):
    """The place belongs to another project, so this one is refused there."""

    code = "PROJECT_MISMATCH"


class StateUnavailable(SearchSocketError):
    """The state directory cannot be read or written: full disk, read-only, damaged."""

    code = "STATE_UNAVAILABLE"


class PermissionDenied(StateUnavailable):
    """A file or folder belongs to another user, who does not let this one in; it is neither damaged nor busy."""

    code = "PERMISSION_DENIED"


class AlreadyRunning(SearchSocketError):
    """Dagster's user interface and daemon run already over the same home."""

    code = "ALREADY_RUNNING"
    retryable = True

    def __init__(self, home: str, address: str, processes: Sequence[int]) -> None:
        pids = " ".join(map(str, processes))
        super().__init__(
            f"Dagster runs already over {home}, at {address}; open that, or end it first"
            + (f": kill {pids}" if pids else "")
        )


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


class PageTextsMissing(SearchSocketError):
    """The index was published without the texts of its pages: by an older version."""

    code = "PAGE_TEXTS_MISSING"

    def __init__(self, scope: str) -> None:
        super().__init__(
            f"the index of scope {scope!r} holds no page texts, since an older version wrote it; "
            f"run `searchsocket index --scope {scope}` to add them"
        )


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
