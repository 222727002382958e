"""Reranker for Jina, and for servers with its protocol: Cohere's and self-hosted ones (spec 13.2).

The key stays here: no error, log line or representation contains it, even if a server sends it back.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from searchsocket.errors import ConfigMissing
from searchsocket.models.calling.provider import ProviderClient, ProviderFailure, charged_tokens, json_object
from searchsocket.models.paying.cost import estimate_tokens, listed_price
from searchsocket.models.rerankers.base import BadRerankScores, Judgement, RerankerRefused, RerankerUnavailable
from searchsocket.project.settings.features import RerankSettings
from searchsocket.system.json_text import JsonObject

DEFAULT_URL = "https://api.jina.ai/v1"
# Source: the vendor's page of the model (jina.ai/models/jina-reranker-v2-base-multilingual, 2026).
DEPRECATED = {"jina-reranker-v2-base-multilingual": "jina-reranker-v3"}  # model -> its successor
# US dollars per million tokens of query and texts: the price of a billion tokens at jina.ai, May 2025.
# `rerank.price_per_million_tokens_usd` overrides them.
PRICES_PER_MILLION_TOKENS_USD: Mapping[str, float] = {
    "jina-colbert-v2": 0.05,
    "jina-reranker-m0": 0.05,
    "jina-reranker-v2-base-multilingual": 0.05,
    "jina-reranker-v3": 0.05,
}
_MAX_ANSWER_BYTES = 1_000_000
_MAX_TIMEOUT_S = 300.0  # limit, also for a request with a longer timeout


def make_jina(settings: RerankSettings, environ: Mapping[str, str]) -> "JinaReranker":
    """Create the configured reranker; calls nothing.

    Raises:
        ConfigMissing: The key is missing.
        ConfigError: The address cannot be used, or the price of the model is unknown.
    """
    jina = settings.jina
    key = environ.get(jina.api_key_env, "").strip() if jina.api_key_env else ""
    if jina.api_key_env and not key:
        raise ConfigMissing(
            f"the jina reranker needs its key in ${jina.api_key_env}; set it, or turn reranking off with "
            '`rerank.provider = "none"`; for a server without a key, set `rerank.jina.api_key_env = ""`'
        )
    price = listed_price(
        PRICES_PER_MILLION_TOKENS_USD, jina.model, settings.price_per_million_tokens_usd, "reranker", "rerank"
    )
    return JinaReranker(jina.model, key, base_url=jina.base_url or DEFAULT_URL, price_per_million_tokens_usd=price)


class JinaReranker:
    """One model at one address; safe to share between threads."""

    is_remote = True

    def __init__(
        self, model: str, key: str, *, base_url: str = DEFAULT_URL, price_per_million_tokens_usd: float = 0.0
    ) -> None:
        """Create the client; calls nothing.

        Raises:
            ConfigError: The address, or the key, cannot be sent.
        """
        self.model_id = f"jina-{model}"
        self.price_per_million_tokens_usd = price_per_million_tokens_usd
        self._body: JsonObject = {"model": model}
        if base_url == DEFAULT_URL:
            self._body["return_documents"] = False  # other servers refuse unknown fields
        self._client = ProviderClient(
            base_url, key, setting="rerank.jina", max_timeout_s=_MAX_TIMEOUT_S, max_answer_bytes=_MAX_ANSWER_BYTES
        )

    def rerank(self, query: str, texts: Sequence[str], *, top_n: int, timeout_s: float) -> Judgement:
        """Score texts (see `Reranker.rerank`)."""
        body = self._body | {"query": query, "documents": [text or " " for text in texts], "top_n": top_n}
        try:
            content = self._client.post("rerank", body, timeout_s)
        except ProviderFailure as failure:
            refusal = failure.refusal
        else:
            answer = json_object(content, self.model_id, BadRerankScores)
            scores = checked_scores(_rows(answer, self.model_id), len(texts), top_n, self.model_id)
            characters = sum(len(query) + len(text) for text in texts)
            tokens = charged_tokens(answer, characters, len(texts))
            return Judgement(scores, self.count_tokens(query, texts) if tokens is None else tokens)
        if refusal.is_transient:
            raise RerankerUnavailable(refusal.message, refusal.retry_after_s)
        raise RerankerRefused(refusal.advice)

    def count_tokens(self, query: str, texts: Sequence[str]) -> int:
        """Estimate the tokens: each text is read together with the query."""
        return len(texts) * estimate_tokens(query) + sum(map(estimate_tokens, texts))


def _rows(answer: JsonObject, origin: str) -> list[tuple[object, object]]:
    rows = answer.get("results")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadRerankScores(f"{origin} did not answer with scores")
    return [(row.get("index"), row.get("relevance_score")) for row in rows]


def checked_scores(
    rows: Iterable[tuple[object, object]], texts: int, top_n: int, origin: str
) -> tuple[float | None, ...]:
    """Validate scores and return them by position.

    Args:
        rows: Positions and scores, in any order.
        texts: Number of texts.
        top_n: Required number of scores.
        origin: Name of the model, for the message.

    Raises:
        BadRerankScores: Another number of scores, a position twice or beyond the texts, or an invalid score.
    """
    scores: dict[int, float] = {}
    for position, score in rows:
        if isinstance(position, bool) or not isinstance(position, int) or not 0 <= position < texts:
            raise BadRerankScores(f"{origin} scored text {str(position)[:20]} of {texts}")
        if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
            raise BadRerankScores(f"{origin} returned a score that is not a number: {str(score)[:20]}")
        if position in scores:
            raise BadRerankScores(f"{origin} scored text {position} twice")
        scores[position] = float(score)
    if len(scores) != top_n:
        raise BadRerankScores(f"{origin} returned {len(scores)} scores instead of {top_n}")
    return tuple(scores.get(position) for position in range(texts))
