"""Errors that a caller can act on: each has a public, stable code (spec 14.2)."""

from collections.abc import Collection, Sequence
from difflib import get_close_matches

from searchsocket.dollars import exact_dollars


class SearchSocketError(Exception):
    """Base class of every error that this library raises on purpose."""

    code = "INTERNAL_ERROR"
    retryable = False
    fix = ""  # the remedy, if there is only one


# Errors about a request or its caller.


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


# Errors about the project on this machine: settings, folders, files.


class ConfigError(SearchSocketError):
    """The configuration file, an environment variable or an option is invalid."""

    code = "CONFIG_INVALID"


class ConfigMissing(SearchSocketError):
    """Something that the project must provide is missing: a build folder, an index, a key."""

    code = "CONFIG_MISSING"


class AddressInUse(SearchSocketError):
    """Another program listens on the host and port that the service should bind."""

    code = "ADDRESS_IN_USE"


class KeyMissing(ConfigMissing):
    """The environment variable with the key or the URL of a provider is not set."""

    def __init__(self, message: str, fix: str) -> None:
        super().__init__(message)
        self.fix = fix


class UnsafePath(SearchSocketError):
    """An external name points outside its folder."""

    code = "UNSAFE_PATH"


class StateUnavailable(SearchSocketError):
    """The state folder cannot be read or written: full disk, read-only, damaged."""

    code = "STATE_UNAVAILABLE"


class PermissionDenied(StateUnavailable):
    """You do not have permission to read or write this file or folder."""

    code = "PERMISSION_DENIED"


class AlreadyRunning(SearchSocketError):
    """Dagster's UI and daemon already run with the same home."""

    code = "ALREADY_RUNNING"
    retryable = True

    def __init__(self, home: str, address: str, processes: Sequence[int]) -> None:
        pids = " ".join(map(str, processes))
        super().__init__(
            f"Dagster already runs with {home}, at {address}; open that URL, or stop that process first"
            + (f": kill {pids}" if pids else "")
        )


class ProjectMismatch(SearchSocketError):
    """The index or store belongs to another project."""

    def __init__(self, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.fix = fix

    code = "PROJECT_MISMATCH"


# Errors about the requested generation.


class ScopeNotIndexed(SearchSocketError):
    """The scope has no published generation yet."""

    code = "SCOPE_NOT_INDEXED"

    def __init__(self, scope: str) -> None:
        super().__init__(f"scope {scope!r} has no index yet; run `searchsocket index --scope {scope}`")


class CodeNotIndexed(ScopeNotIndexed):
    """The source code of the scope has no published generation yet."""

    def __init__(self, scope: str, why: str = "") -> None:
        why = why or f"run `searchsocket index --only code --scope {scope}`"
        SearchSocketError.__init__(self, f"the code of scope {scope!r} has no index yet; {why}")


class NoGenerationBefore(SearchSocketError):
    """The scope has no previous generation to roll back to."""

    code = "NO_GENERATION_BEFORE"

    def __init__(self, scope: str) -> None:
        super().__init__(f"scope {scope!r} has no previous generation to roll back to")


class GenerationNotKept(SearchSocketError):
    """The scope does not have the requested generation."""

    code = "GENERATION_NOT_KEPT"

    def __init__(self, scope: str, name: str, names: Sequence[str]) -> None:
        super().__init__(f"scope {scope!r} has no generation {name[:100]!r}; available: {', '.join(names) or 'none'}")


class EmbeddingModelMismatch(SearchSocketError):
    """The scope was indexed with another model, so its vectors cannot be compared."""

    code = "EMBEDDING_MODEL_MISMATCH"

    def __init__(self, scope: str, indexed: str, configured: str) -> None:
        super().__init__(
            f"scope {scope!r} was indexed with {indexed!r} but {configured!r} is configured; "
            "run `searchsocket index --force` to migrate it"
        )


class IndexCorrupt(SearchSocketError):
    """Files of an index are damaged, incomplete, or belong to another project."""

    code = "INDEX_CORRUPT"


class IndexFormat(IndexCorrupt):
    """An older release wrote the index, in a format that this one does not read."""

    code = "INDEX_FORMAT"


class NewerRelease(SearchSocketError):
    """A newer release wrote a file, so this one must neither use nor replace it."""

    code = "NEWER_RELEASE"

    @classmethod
    def of(cls, where: str, what: str) -> "NewerRelease":
        """Return the error for a file, with what this release does not know in it."""
        return cls(
            f"{where} was written by a newer release of searchsocket ({what}); upgrade searchsocket on this machine"
        )


class PageTextsMissing(SearchSocketError):
    """The index has no page texts, because an older version published it."""

    code = "PAGE_TEXTS_MISSING"

    def __init__(self, scope: str) -> None:
        super().__init__(
            f"the index of scope {scope!r} has no page texts, because an older version wrote it; run "
            f"`searchsocket index --scope {scope}` to add them"
        )


# Errors of external services: models, vector databases, object stores.


class BadVectors(SearchSocketError):
    """Vectors are zero, not finite, not of unit length, of the wrong dimension or of the wrong number."""

    code = "BAD_VECTORS"


class EmbedderUnavailable(SearchSocketError):
    """The embedding provider could not answer; safe to retry."""

    code = "EMBEDDER_UNAVAILABLE"
    retryable = True
    fix = "wait and run again; if it persists, check the network and embeddings.base_url"

    def __init__(
        self, message: str, retry_after_s: float | None = None, *, is_limit: bool = False, is_fault: bool = False
    ) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s  # as requested by the provider; None = unknown
        self.is_limit = is_limit  # a rate limit was exceeded
        self.is_fault = is_fault  # the provider failed on this request with status 500


class EmbedderRefused(SearchSocketError):
    """The embedding provider refuses requests until the key, the quota or the model is changed."""

    code = "EMBEDDER_REFUSED"

    def __init__(self, message: str, fix: str = "") -> None:
        super().__init__(f"{message}; {fix}" if fix else message)
        self.problem = message
        self.fix = fix  # the remedy, for people


class TextsRefused(EmbedderRefused):
    """The provider refuses these texts, such as one that is too long; it may accept others."""

    def __init__(self, message: str, fix: str = "", *, reason: str = "") -> None:
        super().__init__(message, fix)
        self.reason = reason or message  # in the provider's words


class VectorBackendUnavailable(SearchSocketError):
    """The vector store could not be reached or read; safe to retry."""

    code = "VECTOR_BACKEND_UNAVAILABLE"
    retryable = True

    def __init__(self, message: str, *, retry_after_s: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s  # a retry before that is pointless


class VectorBackendRefused(VectorBackendUnavailable):
    """The vector store refuses requests until the key, the schema or its content is changed."""

    code = "VECTOR_BACKEND_REFUSED"
    retryable = False


class VectorsMissing(VectorBackendRefused):
    """The vector store lacks vectors of a generation."""

    def __init__(self, scope: str, generation: str, ids: Collection[str] = ()) -> None:
        super().__init__(
            f"the vector store lacks vectors of generation {generation} of scope {scope!r}; "
            f"run `searchsocket index --resync --scope {scope}`"
        )
        self.ids = frozenset(ids)  # of the missing records


class ArtifactsUnavailable(SearchSocketError):
    """The object store of `artifacts.url` could not be reached or lacks a file; safe to retry."""

    code = "ARTIFACTS_UNAVAILABLE"
    retryable = True


class ArtifactInvalid(SearchSocketError):
    """The artefact is damaged, or contains content that no index needs; nothing was downloaded."""

    code = "ARTIFACT_INVALID"


class ArtifactFormat(ArtifactInvalid):
    """An older release wrote the artefact, in a format that this one does not read; nothing was downloaded."""

    code = "INDEX_FORMAT"


class ModelUnavailable(SearchSocketError):
    """The language model that writes answers did not answer; callers get the passages. Safe to retry."""

    code = "MODEL_UNAVAILABLE"
    retryable = True


# Errors that end a run before it publishes.


class ScopeLocked(SearchSocketError):
    """Another run is indexing the same scope."""

    code = "SCOPE_LOCKED"
    retryable = True

    def __init__(self, scope: str, owner: str) -> None:
        super().__init__(f"scope {scope!r} is being indexed by {owner}; wait for it to end, then run again")
        self.scope = scope
        self.owner = owner


class LeaseLost(SearchSocketError):
    """Another run took over the scope's lease, because this one did not renew it in time; nothing was published."""

    code = "LEASE_LOST"
    retryable = True

    def __init__(self, scope: str, holder: str) -> None:
        super().__init__(
            f"{holder} took over scope {scope!r} in the object store, because this run did not renew its lease in "
            "time. This run published nothing there; run again once that run has ended"
        )


class PublishedElsewhere(SearchSocketError):
    """Another machine published the scope, and this machine's index is not built on that generation."""

    code = "PUBLISHED_ELSEWHERE"

    def __init__(self, scope: str, generation: str, writer: str, published_at: str) -> None:
        super().__init__(
            f"{writer} published generation {generation} of scope {scope!r} at {published_at}, and the index of this "
            "machine is not built on it, so this run published nothing in the object store. Update the source here, "
            "then run `searchsocket index --adopt`: it continues from that generation and deletes the pages that the "
            "source here lacks"
        )


class Interrupted(SearchSocketError):
    """A signal or a cancellation in Dagster stopped the run before it published."""

    code = "INTERRUPTED"


class SourceUnavailable(SearchSocketError):
    """The source of the pages could not be listed or read."""

    code = "SOURCE_UNAVAILABLE"


class PageNotRendered(SourceUnavailable):
    """The browser could not render a page."""

    code = "PAGE_NOT_RENDERED"


class BranchesUnknown(SearchSocketError):
    """searchsocket could not determine which branches still exist, so it deleted nothing."""

    code = "BRANCHES_UNKNOWN"
    retryable = True


class LargeDeletion(SearchSocketError):
    """The run would delete more than half of the scope."""

    code = "LARGE_DELETION"

    def __init__(self, scope: str, removed: int, total: int) -> None:
        super().__init__(
            f"this run would delete {removed} of the {total} pages of scope {scope!r}; "
            "if that is intended, run again with --accept-large-deletion"
        )


class StrictRoutesFailed(SearchSocketError):
    """Strict route mapping is on and some pages have no exact route."""

    code = "ROUTES_NOT_EXACT"


class BudgetMissing(SearchSocketError):
    """An agent may not pay for embeddings, since no budget is set for it."""

    code = "BUDGET_MISSING"

    def __init__(self, model_id: str) -> None:
        super().__init__(
            f"embedding with {model_id} costs money, and no budget is set; run `searchsocket code sync`, or set "
            "costs.budget.run_usd or costs.budget.month_usd"
        )


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


class CandidateRefused(SearchSocketError):
    """The candidate fails its golden queries, so it did not replace the live index."""

    code = "CANDIDATE_REFUSED"


class RecallTooLow(CandidateRefused):
    """The vector index of the candidate misses too many of the nearest records."""

    code = "RECALL_TOO_LOW"

    def __init__(self, scope: str, generation: str, index: str, recall10: float, floor: float, advice: str) -> None:
        super().__init__(
            f"generation {generation} of scope {scope!r} is not published: recall@10 of its vector index "
            f"({index}) is {recall10:.3f}, below vector.min_recall = {floor:g}; {advice}, or lower "
            "vector.min_recall; --accept-quality-drop publishes it"
        )


class ClusterUnavailable(SearchSocketError):
    """The Dask cluster is unreachable, lost its workers, or runs other versions; safe to retry."""

    code = "CLUSTER_UNAVAILABLE"
    retryable = True
