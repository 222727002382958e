"""Errors of rerankers; the query is still answered, with a note."""

from searchsocket.errors import SearchSocketError


class RerankerUnavailable(SearchSocketError):
    """The reranker could not answer; safe to retry."""

    code = "RERANKER_UNAVAILABLE"
    retryable = True

    def __init__(self, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s  # the pause that the provider asked for; None = it did not


class RerankerRefused(SearchSocketError):
    """The reranker refuses calls until the key, the balance or the model is changed."""

    code = "RERANKER_REFUSED"


class ModelDeprecated(SearchSocketError):
    """The model still works, but its vendor has deprecated it."""

    code = "MODEL_DEPRECATED"

    def __init__(self, key: str, model: str, successor: str) -> None:
        super().__init__(
            f'{model} is deprecated by its vendor; set {key} = "{successor}", and check the order of results'
        )


class BadRerankScores(SearchSocketError):
    """The reranker returned scores that do not match its candidates."""

    code = "BAD_RERANK_SCORES"
