"""Reranker interface: score query–candidate pairs after retrieval."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from searchsocket.errors import SearchSocketError


@dataclass(frozen=True, slots=True)
class Judgement:
    """Scores of a reranker for the candidates of one query."""

    scores: tuple[float | None, ...]  # by candidate; finite, higher is better; None = not among its best
    tokens: int  # as the provider counted them, else an estimate


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and calls of one request, for the ledger."""

    model_id: str
    tokens: int
    cost_usd: float


class Reranker(Protocol):
    """Scores texts for a query; safe to share between threads.

    Scores are comparable only within one call.
    """

    model_id: str  # names provider and model
    is_remote: bool  # calls another machine: may hang, fail and cost money
    price_per_million_tokens_usd: float  # 0.0 for local models

    def rerank(self, query: str, texts: Sequence[str], *, top_n: int, timeout_s: float) -> Judgement:
        """Score at least one text, in one attempt.

        Args:
            top_n: Number of best texts that must get a score, from 1 to the number of texts.
            timeout_s: Deadline of the whole call.

        Raises:
            RerankerUnavailable: The reranker could not answer in time; safe to retry.
            RerankerRefused: The provider refuses requests until the key, the balance or the model is changed.
            BadRerankScores: The answer cannot be the scores of these texts.
        """

    def count_tokens(self, query: str, texts: Sequence[str]) -> int:
        """Return the tokens that a call would be charged for; an estimate if the model cannot count them."""


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
