"""Settings of optional features: the code corpus, golden queries, MCP, redaction and reranking."""

from typing import Annotated, Literal

from pydantic import Field

from searchsocket.project.settings.section import Count, Section, WebAddress


class CodeSettings(Section):
    enable: bool = False  # True: `searchsocket index` indexes the source files of the project too
    include: tuple[str, ...] = ()  # globs of a .gitignore over paths; () = every file of a known language
    exclude: tuple[str, ...] = ()  # e.g. "*.test.ts", "/legacy/"
    max_file_bytes: Count = 1_000_000  # a larger file is left out, and named


Share = Annotated[float, Field(ge=0, le=1)]


class GoldenSettings(Section):
    file: str = ""  # relative to the project; "" = golden-queries.toml, else golden-queries.tsv, where one is there
    min_recall: Share = 0.0  # share of the expected pages that are found, below which nothing is published
    min_mrr: Share = 0.0  # likewise of the mean of 1 / rank of the first one
    min_ndcg: Share = 0.0  # and of nDCG@10
    max_drop: Share = 0.05  # how far each of the three may fall against the live index


ToolName = Literal[
    "search", "get_page", "related", "search_code", "fetch",
    "search_content", "find_documents", "get_document_text", "get_document_data", "ask",
]  # fmt: skip


class McpHttpSettings(Section):
    port: Annotated[int, Field(ge=0, le=65_535)] = 3338  # of `searchsocket mcp --transport http`; 0 = any free one
    path: Annotated[str, Field(pattern=r"^(/[A-Za-z0-9._~-]+)+$")] = "/mcp"  # also in what `serve` serves


class McpSettings(Section):
    enable: bool | None = None  # over HTTP in what `serve` serves; None = where it is started with --dev
    transport: Literal["stdio", "http"] = "stdio"  # of `searchsocket mcp`
    http: McpHttpSettings = McpHttpSettings()
    tools: tuple[ToolName, ...] = ()  # that agents are offered; () = those of what is indexed


SecretName = Annotated[str, Field(pattern="^[A-Za-z][A-Za-z0-9_]{1,39}$")]
KeptValue = Annotated[str, Field(min_length=1, max_length=500)]


class RedactionSettings(Section):
    enabled: bool = True  # for providers elsewhere; those of this machine are given texts as they are
    names: Annotated[tuple[SecretName, ...], Field(max_length=50)] = (
        "api_key",
        "token",
        "secret",
        "password",
        "passwd",
        "pwd",
        "pass",
        "passphrase",
        "private_key",
        "access_key",
        "credential",
    )  # fmt: skip  what is assigned to a name that holds one of these is a secret
    keep: Annotated[tuple[KeptValue, ...], Field(max_length=1000)] = ()  # values that are none, e.g. of examples


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
