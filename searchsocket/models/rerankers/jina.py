"""Jina's reranker, and servers that speak its protocol: Cohere's, and those that one runs oneself (spec 13.2).

The key stays here: no error, log line or representation of ours holds it, also where a server sends it back.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx

from searchsocket.errors import ConfigError, ConfigMissing, SearchSocketError
from searchsocket.models.paying.cost import estimate_tokens
from searchsocket.models.rerankers.base import Judgement
from searchsocket.models.rerankers.errors import BadRerankScores, RerankerRefused, RerankerUnavailable
from searchsocket.models.rerankers.prices import price_of
from searchsocket.models.rerankers.scores import checked
from searchsocket.project.settings.rerank import RerankSettings
from searchsocket.system.bounded_http import BodyLimit, bounded_client
from searchsocket.text.provider_words import provider_message

DEFAULT_URL = "https://api.jina.ai/v1"
# The vendor's page of the model says so (jina.ai/models/jina-reranker-v2-base-multilingual, 2026).
DEPRECATED = {"jina-reranker-v2-base-multilingual": "jina-reranker-v3"}  # and what has taken its place
_PASSING = (408, 409, 429)  # and what is 500 or more
_MAX_ANSWER_BYTES = 1_000_000
_MAX_TIMEOUT_S = 300.0  # of a request that is given more
_MAX_TOKENS_A_CHARACTER = 4  # a provider that counts more than bytes is not believed


def make_jina(settings: RerankSettings, environ: Mapping[str, str]) -> "JinaReranker":
    """The reranker that the settings describe; nothing is called.

    Raises:
        ConfigMissing: The key is not there.
        ConfigError: The address cannot be used, or the price of the model is not known.
    """
    jina = settings.jina
    key = environ.get(jina.api_key_env, "").strip() if jina.api_key_env else ""
    if jina.api_key_env and not key:
        raise ConfigMissing(
            f"the jina reranker needs its key in ${jina.api_key_env}; set it, or turn reranking off with "
            '`rerank.provider = "none"`; for a server without a key, set `rerank.jina.api_key_env = ""`'
        )
    price = price_of(jina.model, settings.price_per_million_tokens_usd)
    return JinaReranker(jina.model, key, base_url=jina.base_url or DEFAULT_URL, price_per_million_tokens_usd=price)


class JinaReranker:
    """One model behind one address; safe to share between threads."""

    is_remote = True

    def __init__(
        self, model: str, key: str, *, base_url: str = DEFAULT_URL, price_per_million_tokens_usd: float = 0.0
    ) -> None:
        """Make the client; nothing is called.

        Raises:
            ConfigError: The address, or the key, cannot be sent.
        """
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError("rerank.jina.base_url must begin with http:// or https://, and a host")
        if not (key.isascii() and key.isprintable()):
            raise ConfigError("the key of the jina reranker contains invalid characters; set it again")
        self.model_id = f"jina-{model}"
        self.price_per_million_tokens_usd = price_per_million_tokens_usd
        self._host = parts.hostname
        self._url = f"{base_url.rstrip('/')}/rerank"
        self._key = key
        self._body: dict[str, Any] = {"model": model}
        if base_url == DEFAULT_URL:
            self._body["return_documents"] = False  # servers like it refuse fields that they do not know
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = bounded_client(_MAX_TIMEOUT_S, _MAX_ANSWER_BYTES, headers=headers)

    def rerank(self, query: str, texts: Sequence[str], *, top_n: int, timeout_s: float) -> Judgement:
        """Judge texts (see `Reranker.rerank`)."""
        body = self._body | {"query": query, "documents": [text or " " for text in texts], "top_n": top_n}
        status, headers, content = self._answer(body, timeout_s)
        if status != 200:
            raise self._refusal(status, headers, content)
        found = _parsed(content, self.model_id)
        scores = checked(_scores(found, self.model_id), len(texts), top_n, self.model_id)
        return Judgement(scores, self._tokens(found, query, texts))

    def count_tokens(self, query: str, texts: Sequence[str]) -> int:
        """An estimate: each text is read together with the query."""
        return len(texts) * estimate_tokens(query) + sum(map(estimate_tokens, texts))

    def _answer(self, body: dict[str, Any], timeout_s: float) -> tuple[int, httpx.Headers, bytes]:
        """Status, headers and body."""
        # A lone surrogate in hostile input has no UTF-8 form.
        data = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        try:
            answer = self._client.post(
                self._url, content=data, headers={"Content-Type": "application/json"}, timeout=timeout_s
            )
        except httpx.TimeoutException:
            problem = f"{self._host} did not answer within {timeout_s:g} seconds"
        except BodyLimit as error:
            problem = f"{self._host} cannot be understood: {error}"
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            problem = f"{self._host} cannot be reached ({type(error).__name__})"
        else:
            return answer.status_code, answer.headers, answer.content
        # Outside the handler, so that the request, which holds the key, is no part of the traceback.
        raise RerankerUnavailable(problem)

    def _refusal(self, status: int, headers: Mapping[str, str], content: bytes) -> SearchSocketError:
        if status in (401, 403):
            return RerankerRefused(f"{self._host} rejects the key or its balance ({status}); set a valid key")
        if status == 402:
            return RerankerRefused(f"{self._host} answers 402: the account has no balance left")
        message = provider_message(content.decode("utf-8", "replace"), self._key)
        if status in _PASSING or status >= 500:
            return RerankerUnavailable(f"{self._host} answers {status}: {message}", _retry_after_s(headers))
        return RerankerRefused(f"{self._host} answers {status}: {message}")

    def _tokens(self, answer: dict[str, Any], query: str, texts: Sequence[str]) -> int:
        usage = answer.get("usage")
        stated = usage.get("total_tokens") if isinstance(usage, dict) else None
        most = _MAX_TOKENS_A_CHARACTER * sum(len(query) + len(text) + 16 for text in texts)
        if isinstance(stated, int) and not isinstance(stated, bool) and 0 <= stated <= most:
            return stated
        return self.count_tokens(query, texts)


def _parsed(content: bytes, origin: str) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BadRerankScores(f"{origin} did not answer with JSON ({type(error).__name__})") from error
    if not isinstance(found, dict):
        raise BadRerankScores(f"{origin} did not answer with scores")
    return found


def _scores(answer: dict[str, Any], origin: str) -> list[tuple[object, object]]:
    rows = answer.get("results")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadRerankScores(f"{origin} did not answer with scores")
    return [(row.get("index"), row.get("relevance_score")) for row in rows]


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    """The delay that the provider requests; dates are not supported."""
    try:
        return max(0.0, float(headers["retry-after"]))
    except (KeyError, ValueError):
        return None
