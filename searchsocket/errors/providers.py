"""Errors of external services: models, vector databases, object stores."""

from collections.abc import Collection

from searchsocket.errors.base import SearchSocketError


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
