"""Every key of `searchsocket.toml`, with its default (spec 7). A key here has an effect, and a test that shows it."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, field_validator

from searchsocket.project.settings.features import (
    CodeSettings,
    GoldenSettings,
    McpSettings,
    RedactionSettings,
    RerankSettings,
)
from searchsocket.project.settings.section import Count, Section, WebAddress
from searchsocket.project.settings.site import (
    BranchSettings,
    ChunkSettings,
    ExtractSettings,
    ProjectSettings,
    RouteSettings,
    ScopeSettings,
    SourceSettings,
    TransformSettings,
    UrlSettings,
)
from searchsocket.types import FacetKind

SynonymEntry = Annotated[str, Field(max_length=200)]
SynonymGroup = Annotated[tuple[SynonymEntry, ...], Field(min_length=2, max_length=20)]
FacetName = Annotated[str, Field(pattern="^[A-Za-z][A-Za-z0-9_-]{0,39}$")]


EmbeddingProvider = Literal["builtin", "onnx", "hash", "openai", "auto"]
EmbedderName = Annotated[str, Field(pattern="^[a-z][a-z0-9_-]{0,39}$")]  # of an installed package


class EmbeddingSettings(Section):
    provider: EmbeddingProvider | EmbedderName = "builtin"  # "local" is read as "builtin"; else an entry point's name
    model: str = ""  # onnx: a folder, or a name in the Hugging Face cache; openai: its name; "" = their usual one
    dimensions: Annotated[int, Field(ge=1, le=65_536)] | None = None  # of the openai provider; None = the model's own
    api_key_env: str | None = None  # the variable with the key; None = the provider's usual one; "" = no key needed
    base_url: WebAddress = (
        ""  # of a server that speaks OpenAI's protocol, e.g. http://localhost:11434/v1; "" = OpenAI's
    )
    batch_size: Annotated[int, Field(ge=1, le=10_000)] = 256
    concurrency: Annotated[int, Field(ge=1, le=64)] = 8  # requests to a provider at once; local models use all cores
    price_per_million_tokens_usd: Annotated[float, Field(ge=0)] | None = None  # None = the built-in price table
    query_timeout_s: Annotated[float, Field(gt=0, le=60)] = 0.3  # then words alone answer
    query_usd_a_day: Annotated[float, Field(ge=0)] = 1.0  # for queries of callers without a key; 0 = no limit
    cache_max_mb: Count = 8_192  # beyond it the embeddings that were used longest ago go, those of the last week never

    @field_validator("provider", mode="before")
    @classmethod
    def _local_is_builtin(cls, value: object) -> object:
        return "builtin" if value == "local" else value


class BudgetSettings(Section):
    """US dollars for embeddings; None = no limit."""

    run_usd: Annotated[float, Field(ge=0)] | None = None  # a run whose estimate is above it calls nothing
    month_usd: Annotated[float, Field(ge=0)] | None = None  # of UTC; runs and queries of one project and user


class CostSettings(Section):
    budget: BudgetSettings = BudgetSettings()


class LocalVectorSettings(Section):
    path: str = ""  # "" = `index` inside the state folder
    max_records: Count = 200_000  # brute force says so beyond this


class MilvusSettings(Section):
    uri_env: Annotated[str, Field(min_length=1)] = "MILVUS_URI"  # the variable that holds the server's address
    token_env: str = "MILVUS_TOKEN"  # noqa: S105  the variable with `user:password` or an API key; "" = it wants none
    collection: str = ""  # begins the names of the collections; "" = `<project id>_chunks`
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 10.0  # for each call


class PineconeSettings(Section):
    api_key_env: Annotated[str, Field(min_length=1)] = "PINECONE_API_KEY"  # the variable that holds the key
    index: Annotated[str, Field(pattern=r"^([a-z0-9]([a-z0-9-]{0,37}[a-z0-9])?)?$")] = (
        ""  # begins the names of the indexes; "" = the project id
    )
    namespace_mode: Literal["scope"] = "scope"  # each scope has a namespace
    cloud: Annotated[str, Field(min_length=1)] = "aws"  # where a new index is made
    region: Annotated[str, Field(min_length=1)] = "us-east-1"  # in that cloud
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 10.0  # for each request, to its last byte


class VectorSettings(Section):
    provider: Literal["local", "milvus", "pinecone"] = "local"
    local: LocalVectorSettings = LocalVectorSettings()
    milvus: MilvusSettings = MilvusSettings()
    pinecone: PineconeSettings = PineconeSettings()


class RankingWeights(Section):
    incoming_links: Annotated[float, Field(ge=0, le=1)] = 0.05
    depth: Annotated[float, Field(ge=0, le=1)] = 0.03
    rerank: Annotated[float, Field(ge=0, le=1)] = 1.0  # of the reranker, where it is asked; 0 = the order before it


class RankingSettings(Section):
    enable_incoming_link_boost: bool = True
    enable_depth_boost: bool = True
    demote_listings: bool = True  # source listings and indexes of names below guides, unless an identifier is asked for
    demote_occasions: bool = True  # posts, notes of releases and steps of upgrades a tenth below guides
    collapse_alike: bool = True  # passages that say the same under the best of them
    weights: RankingWeights = RankingWeights()
    candidate_k: Annotated[int, Field(ge=1, le=1000)] = 50  # hits taken from each list before fusion
    synonyms: Annotated[tuple[SynonymGroup, ...], Field(max_length=1000)] = ()  # e.g. [["k8s", "kubernetes"]]

    @field_validator("synonyms")
    @classmethod
    def _entries_are_words(cls, value: tuple[SynonymGroup, ...]) -> tuple[SynonymGroup, ...]:
        for entry in (entry for group in value for entry in group):
            if not 1 <= len(entry.split()) <= 4 or not any(map(str.isalnum, entry)):
                raise ValueError(f"{entry!r} must be 1 to 4 words")
        for group in value:
            if len({" ".join(entry.casefold().split()) for entry in group}) < 2:
                raise ValueError(f"the group of {group[0]!r} needs at least two different entries")
        return value


class SearchSettings(Section):
    """Behaviour of queries while a remote vector store is unavailable."""

    on_backend_failure: Literal["words", "error"] = "words"  # words alone answer, with a note; or nothing does
    backend_timeout_s: Annotated[float, Field(gt=0, le=60)] = 2.0  # for each call of a query; the first has 10 s more


class LlmsSettings(Section):
    """Files for agents: `llms.txt`, `llms-full.txt` and each page as Markdown, next to the pages of the site."""

    enable: bool = False  # each run writes them; a service answers with them in any case
    dir: str = ""  # relative to the project, `{scope}` in it is replaced; "" = the build folder
    title: str = ""  # of the site; "" = the title of its home page
    summary: str = ""  # of the site, in a sentence; "" = the description of its home page
    max_kb: Count = 1_000  # of the pages in one llms-full.txt; more are split by folder


class CorsSettings(Section):
    allow_origins: tuple[str, ...] = ()


class RateLimitSettings(Section):
    window_ms: Count = 60_000
    max: Annotated[int, Field(ge=0)] = 120  # requests a client may make in a window; 0 = no limit


class ApiSettings(Section):
    path: str = "/api/search"
    public_url: WebAddress = ""  # where others reach the service, e.g. https://search.example.com, named in llms.txt
    page: bool = True  # a search page at /
    access_log: bool = False  # one line of JSON for each request on stderr, without what was asked
    max_age_s: Annotated[int, Field(ge=0)] = 0  # how long caches keep public answers unasked; 0 = they ask each time
    scopes: tuple[str, ...] = ()  # scopes that anyone may read; empty = the resolved scope alone
    key_env: str = "SEARCHSOCKET_API_KEY"  # a caller with this key is trusted: all scopes, source paths
    max_body_bytes: Count = 65_536
    allowed_hosts: tuple[str, ...] = ()  # Host names answered to; empty = any, but only loopback ones on loopback
    trusted_proxies: tuple[str, ...] = ()  # addresses or networks whose X-Forwarded-For names the client
    cors: CorsSettings = CorsSettings()
    rate_limit: RateLimitSettings = RateLimitSettings()


class ArtifactSettings(Section):
    url: str = ""  # e.g. s3://bucket/prefix: runs push generations there, and a machine without an index pulls them
    poll_seconds: Annotated[float, Field(ge=1, le=86_400)] = 60.0  # how often a service asks for a new generation
    max_mb: Count = 20_000  # that a generation may take; a larger one is not pulled


class RunSettings(Section):
    workers: Annotated[int, Field(ge=0, le=256)] = 0  # processes that extract pages; 0 = one a free core
    max_page_seconds: Annotated[float, Field(gt=0)] = 60.0  # of CPU time; a page that takes more fails
    max_page_memory_mb: Annotated[int, Field(ge=64)] = (
        2_000  # that one page may need while it is extracted; one that needs more fails
    )
    dask_address: str = ""  # scheduler of a Dask cluster that extracts pages instead, e.g. tcp://scheduler:8786


Owner = Annotated[str, Field(pattern=r"^(team:[A-Za-z0-9_.-]+|[^@\s]+@[^@\s]+\.[^@\s]+)$")]


class DagsterSettings(Section):
    owners: tuple[Owner, ...] = ()  # of the assets: mail addresses, or teams as `team:docs`
    max_age_days: Annotated[float, Field(ge=0)] = 0.0  # of a live generation, before its check warns; 0 = no limit


class StateSettings(Section):
    dir: str = ".searchsocket"

    @field_validator("dir")
    @classmethod
    def _is_a_folder_of_its_own(cls, value: str) -> str:
        if not value.strip("./ "):
            raise ValueError("the state folder must not be the project folder")
        return value


_OWN_FILTERS = frozenset({"language", "kind", "path", "pathprefix", "path_prefix", "tag", "tags", "scope"})


class Settings(Section):
    """All settings; an empty file is valid."""

    project: ProjectSettings = ProjectSettings()
    scope: ScopeSettings = ScopeSettings()
    branches: BranchSettings = BranchSettings()
    source: SourceSettings = SourceSettings()
    urls: UrlSettings = UrlSettings()
    routes: RouteSettings = RouteSettings()
    extract: ExtractSettings = ExtractSettings()
    transform: TransformSettings = TransformSettings()
    facets: Annotated[Mapping[FacetName, FacetKind], Field(max_length=20)] = {}  # front matter to filter by: its type
    chunking: ChunkSettings = ChunkSettings()
    code: CodeSettings = CodeSettings()
    embeddings: EmbeddingSettings = EmbeddingSettings()
    costs: CostSettings = CostSettings()
    vector: VectorSettings = VectorSettings()
    rerank: RerankSettings = RerankSettings()
    redaction: RedactionSettings = RedactionSettings()
    ranking: RankingSettings = RankingSettings()
    search: SearchSettings = SearchSettings()
    golden: GoldenSettings = GoldenSettings()
    api: ApiSettings = ApiSettings()
    llms: LlmsSettings = LlmsSettings()
    mcp: McpSettings = McpSettings()
    artifacts: ArtifactSettings = ArtifactSettings()
    run: RunSettings = RunSettings()
    dagster: DagsterSettings = DagsterSettings()
    state: StateSettings = StateSettings()

    @field_validator("facets")
    @classmethod
    def _names_are_free(cls, value: Mapping[str, FacetKind]) -> Mapping[str, FacetKind]:
        if taken := sorted(name for name in value if name.lower() in _OWN_FILTERS):
            raise ValueError(f"{taken[0]!r} is a built-in filter; choose another name")
        return value
