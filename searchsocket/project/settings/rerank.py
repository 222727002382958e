"""`[rerank]`: the reranker and its limits (spec 13.2)."""

from typing import Annotated, Literal

from pydantic import Field

from searchsocket.project.settings.section import Section, WebAddress


class JinaSettings(Section):
    api_key_env: str = "JINA_API_KEY"  # the variable that holds the key; "" = the server wants none
    model: Annotated[str, Field(min_length=1)] = "jina-reranker-v2-base-multilingual"
    base_url: WebAddress = ""  # of a server with the same protocol, e.g. http://localhost:8080/v1; "" = Jina's


class RerankSettings(Section):
    provider: Literal["none", "jina"] = "none"
    top_n: Annotated[int, Field(ge=1, le=1000)] = 20  # of those that are sent, as many get a new place
    max_candidates: Annotated[int, Field(ge=1, le=1000)] = 50  # chunks that are sent
    max_chars: Annotated[int, Field(ge=100, le=100_000)] = 2000  # of each of them
    timeout_s: Annotated[float, Field(gt=0, le=60)] = 2.0  # then the order before it stands
    price_per_million_tokens_usd: Annotated[float, Field(ge=0)] | None = None  # None = the built-in price table
    usd_a_day: Annotated[float, Field(ge=0)] = 1.0  # for callers without a key; 0 = no limit
    jina: JinaSettings = JinaSettings()
