"""Reranker interface: score query–candidate pairs after retrieval."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


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

    Scores of one call can be compared with each other and with nothing else.
    """

    model_id: str  # names provider and model
    is_remote: bool  # a call sends texts to another machine: it may hang, fail and cost
    price_per_million_tokens_usd: float  # 0.0 for local models

    def rerank(self, query: str, texts: Sequence[str], *, top_n: int, timeout_s: float) -> Judgement:
        """Judge texts, of which there is one at least. One attempt.

        Args:
            top_n: How many of the best must get a score; from 1 to the number of texts.
            timeout_s: For all of it.

        Raises:
            RerankerUnavailable: It could not answer, or not in time; safe to retry.
            RerankerRefused: It will not answer until somebody changes something: key, balance, model.
            BadRerankScores: It answered with what cannot be the scores of these texts.
        """

    def count_tokens(self, query: str, texts: Sequence[str]) -> int:
        """Tokens that a call would be charged for; an estimate if the model cannot count them."""
