"""Errors of rerankers; the query is still answered, with a note."""

from searchsocket.errors import SearchSocketError


class RerankerUnavailable(SearchSocketError):
    """The reranker could not answer; safe to retry."""

    code = "RERANKER_UNAVAILABLE"
    retryable = True

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s  # as the provider asked for; None = it did not say


class RerankerRefused(SearchSocketError):
    """The reranker will not answer until somebody changes something: the key, the balance, the model."""

    code = "RERANKER_REFUSED"


class ModelDeprecated(SearchSocketError):
    """A model is still answered with, and its vendor says that it will not be for ever."""

    code = "MODEL_DEPRECATED"

    def __init__(self, key: str, model: str, successor: str) -> None:
        super().__init__(
            f'{model} is deprecated by its vendor; set {key} = "{successor}", and check the order of results'
        )


class BadRerankScores(SearchSocketError):
    """A reranker answered with scores that are not those of its candidates."""

    code = "BAD_RERANK_SCORES"
