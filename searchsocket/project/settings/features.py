"""Settings of optional features: golden queries, MCP, redaction and reranking."""

from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, Field, field_validator

from searchsocket.extensions.base import load
from searchsocket.project.settings.section import SettingsSection, WebAddress, listed

_TOOL_NAMES = "searchsocket.serving.capabilities.all_capabilities:TOOL_NAMES"
Share = Annotated[float, Field(ge=0, le=1)]


class GoldenSettings(SettingsSection):
    file: str = ""  # relative to the project; "" = golden-queries.toml or golden-queries.tsv, if it exists
    min_recall: Share = 0.0  # least share of expected pages found; below it nothing is published
    min_mrr: Share = 0.0  # least mean reciprocal rank
    min_ndcg: Share = 0.0  # least nDCG@10
    max_drop: Share = 0.05  # largest drop of each of the three below the live index


ToolSet = Literal["core", "content", "all"]


class McpHttpSettings(SettingsSection):
    port: Annotated[int, Field(ge=0, le=65_535)] = 3338  # of `searchsocket mcp --transport http`; 0 = any free port
    path: Annotated[str, Field(pattern=r"^(/[A-Za-z0-9._~-]+)+$")] = "/mcp"  # also of `searchsocket serve`


class McpSettings(SettingsSection):
    enable: bool | None = None  # `searchsocket serve` offers MCP over HTTP; None = only with --dev
    transport: Literal["stdio", "http"] = "stdio"  # of `searchsocket mcp`
    http: McpHttpSettings = McpHttpSettings()
    tools: Annotated[tuple[str, ...], BeforeValidator(listed)] = ("core",)  # sets and names of tools
    sync: bool | None = None  # agents may index changed source files; None = with `searchsocket mcp`, not `serve`
    structured_content: bool = False  # answers are data too, with a schema; doubles them for clients that pass on both

    @field_validator("tools")
    @classmethod
    def _exist(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not {*value} <= {*get_args(ToolSet)}:  # capabilities take long to load
            names = (*get_args(ToolSet), *load(_TOOL_NAMES))
            if unknown := [name for name in value if name not in names]:
                raise ValueError(f"{unknown[0]!r} is no tool; tools are {', '.join(names)}")
        return value


SecretName = Annotated[str, Field(pattern="^[A-Za-z][A-Za-z0-9_]{1,39}$")]
StoredValue = Annotated[str, Field(min_length=1, max_length=500)]


class RedactionSettings(SettingsSection):
    enabled: bool = True  # for remote providers; models on this machine receive the original text
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
    )  # fmt: skip  a value assigned to a name that contains one of these is a secret
    keep: Annotated[
        tuple[StoredValue, ...], Field(max_length=1000)
    ] = ()  # values that are not secrets, e.g. of examples


class JinaSettings(SettingsSection):
    api_key_env: str = "JINA_API_KEY"  # environment variable with the key; "" = the server needs no key
    model: Annotated[str, Field(min_length=1)] = "jina-reranker-v2-base-multilingual"
    base_url: WebAddress = ""  # of a server with the same protocol, e.g. http://localhost:8080/v1; "" = Jina's


class RerankSettings(SettingsSection):
    provider: Literal["none", "jina"] = "none"
    top_n: Annotated[int, Field(ge=1, le=1000)] = 20  # number of candidates that are reordered
    max_candidates: Annotated[int, Field(ge=1, le=1000)] = 50  # chunks sent to the reranker
    max_chars: Annotated[int, Field(ge=100, le=100_000)] = 2000  # per chunk
    timeout_s: Annotated[float, Field(gt=0, le=60)] = 2.0  # after that, the original order is returned
    price_per_million_tokens_usd: Annotated[float, Field(ge=0)] | None = None  # None = the built-in price table
    usd_a_day: Annotated[float, Field(ge=0)] = 1.0  # for callers without a key; 0 = no limit
    jina: JinaSettings = JinaSettings()
