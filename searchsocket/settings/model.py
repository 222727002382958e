"""Every key of `searchsocket.toml`, with its default (spec 7). A key here has an effect, and a test that shows it."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from searchsocket.types import FacetKind

Count = Annotated[int, Field(ge=1)]
SynonymEntry = Annotated[str, Field(max_length=200)]
SynonymGroup = Annotated[tuple[SynonymEntry, ...], Field(min_length=2, max_length=20)]
FacetName = Annotated[str, Field(pattern="^[A-Za-z][A-Za-z0-9_-]{0,39}$")]
SourceMode = Literal["static-output", "content-files", "git-branch", "crawl"]
UrlStyle = Literal["auto", "clean", "slash", "html", "index"]


class Section(BaseModel):
    """Base of the sections: frozen, unknown keys refused, no silent conversions."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class ProjectSettings(Section):
    id: str = ""  # "" = name in package.json, else the directory's
    base_url: str = ""  # e.g. https://example.com/docs: absolute links below it are internal; its path is a base path


class ScopeSettings(Section):
    mode: Literal["fixed", "git", "env"] = "fixed"
    fixed: str = "main"
    env_var: str = "SEARCHSOCKET_SCOPE"  # read when mode is "env"
    sanitize: bool = True  # False: a name that would need it is an error


class ContentFilesSettings(Section):
    globs: tuple[str, ...] = ("src/routes/**/+page.md", "src/routes/**/+page.svx", "content/**/*.md", "docs/**/*.md")
    base_dir: str = ""  # relative to the project; "" = the project


class CrawlSettings(Section):
    base_url: str = ""  # e.g. http://localhost:4173; `{scope}` in it is replaced
    routes: tuple[str, ...] = ()  # paths to begin with
    sitemap_url: str = ""  # absolute or below base_url; "" = what robots.txt names, unless routes are given
    discover: bool = True  # follow links
    max_depth: Annotated[int, Field(ge=0, le=100)] = 10
    max_pages: Count = 10_000
    concurrency: Annotated[int, Field(ge=1, le=64)] = 8
    timeout_s: Annotated[float, Field(gt=0)] = 30.0  # for a whole request, from the first packet to the last byte
    max_seconds: Annotated[float, Field(gt=0)] = 3600.0  # for the whole crawl
    max_failures_in_row: Count = 50  # then the host is left alone
    respect_robots_txt: bool = True


class GitSettings(Section):
    """Content files of a commit, for mode `git-branch`; which files is said by `content_files`."""

    branch: str = ""  # branch, tag or commit; "" = the scope's branch
    repo_dir: str = ""  # relative to the project; "" = the project


class SourceSettings(Section):
    mode: SourceMode | None = None  # None = static-output where a build is found, else content-files
    static_output_dir: str = ""  # "" = the first usual build folder that holds HTML
    base_path: str = ""  # what the site lies under, e.g. "/docs"; "" = the path of the address, if one is set
    exclude: tuple[str, ...] = ()  # globs over URL paths, e.g. "/drafts/**"
    max_page_bytes: Count = 20_000_000  # a larger page fails, and keeps its records
    content_files: ContentFilesSettings = ContentFilesSettings()
    git: GitSettings = GitSettings()
    crawl: CrawlSettings = CrawlSettings()


class UrlSettings(Section):
    style: UrlStyle = (
        "auto"  # what opens a page: /page, /page/, /page.html, /folder/index.html; auto = as the site links
    )


class RouteSettings(Section):
    dir: str = ""  # "" = what the SvelteKit configuration says, else src/routes; "." = the project
    static_dir: str = ""  # files that are copied as they are; "" = likewise, else static
    strict: bool = False  # True: every page of the site must have an exact route


class ExtractSettings(Section):
    main_selector: str = "main"
    drop_tags: tuple[str, ...] = ("header", "nav", "footer", "aside")
    drop_selectors: tuple[str, ...] = (
        ".sidebar", ".toc", ".table-of-contents", ".breadcrumb", ".breadcrumbs", "[aria-label=breadcrumb]",
        ".pagination", ".skip-link", ".edit-link", ".edit-page", ".copy-button", ".headerlink", ".header-anchor",
        ".sr-only", ".visually-hidden",
    )  # fmt: skip
    ignore_attr: str = "data-search-ignore"
    noindex_attr: str = "data-search-noindex"
    respect_robots_noindex: bool = True
    converter: Literal["fast", "markdownify"] = (
        "fast"  # the same rules on lxml's tree, or by markdownify on BeautifulSoup's
    )
    converters: tuple[str, ...] = ()  # module:Class with convert_<tag> methods for custom elements


class TransformSettings(Section):
    output: Literal["markdown"] = "markdown"
    preserve_code_blocks: bool = True  # False: code blocks become plain paragraphs
    preserve_tables: bool = True  # False: a table becomes a line of text a row


class ChunkSettings(Section):
    strategy: Literal["hybrid"] = "hybrid"
    max_chars: Count = 2200  # soft: a block is not cut for it
    overlap_chars: Annotated[int, Field(ge=0)] = 200
    min_chars: Annotated[int, Field(ge=0)] = 250  # smaller neighbours are merged up to this
    hard_max_chars: Count = 8000  # a single block beyond this is cut at a line end, and reported
    heading_path_depth: Annotated[int, Field(ge=1, le=6)] = 3
    dont_split_inside: tuple[Literal["code", "table", "blockquote"], ...] = ("code", "table", "blockquote")
    page_summary: bool = True  # one more chunk a page: title, description, headings

    @model_validator(mode="after")
    def _sizes_fit(self) -> "ChunkSettings":
        if self.overlap_chars >= self.max_chars:
            raise ValueError(f"overlap_chars ({self.overlap_chars}) must be below max_chars ({self.max_chars})")
        if self.min_chars > self.max_chars:
            raise ValueError(f"min_chars ({self.min_chars}) must not exceed max_chars ({self.max_chars})")
        if self.hard_max_chars < self.max_chars:
            raise ValueError(f"hard_max_chars ({self.hard_max_chars}) must not be below max_chars ({self.max_chars})")
        return self


class EmbeddingSettings(Section):
    provider: Literal["builtin", "onnx", "hash", "openai", "auto"] = "builtin"  # "local" is read as "builtin"
    model: str = ""  # onnx: a folder, or a name in the Hugging Face cache; openai: its name; "" = their usual one
    dimensions: Annotated[int, Field(ge=1, le=65_536)] | None = None  # of the openai provider; None = the model's own
    api_key_env: str = "OPENAI_API_KEY"  # the variable that holds the key; "" = the server wants none
    base_url: str = ""  # of a server that speaks OpenAI's protocol, e.g. http://localhost:11434/v1; "" = OpenAI's
    batch_size: Annotated[int, Field(ge=1, le=10_000)] = 256
    concurrency: Annotated[int, Field(ge=1, le=64)] = 8  # requests to a provider at once; local models use all cores
    price_per_million_tokens_usd: Annotated[float, Field(ge=0)] | None = None  # None = the built-in price table
    max_cost_usd: Annotated[float, Field(ge=0)] | None = None  # None = no budget
    query_timeout_s: Annotated[float, Field(gt=0, le=60)] = 1.0  # then words alone answer
    query_usd_a_day: Annotated[float, Field(ge=0)] = 1.0  # for queries of callers without a key; 0 = no limit
    cache_max_mb: Count = 8_192  # beyond it the embeddings that were used longest ago go, those of the last week never

    @field_validator("provider", mode="before")
    @classmethod
    def _local_is_builtin(cls, value: object) -> object:
        return "builtin" if value == "local" else value


class LocalVectorSettings(Section):
    path: str = ""  # "" = `index` inside the state directory
    max_records: Count = 200_000  # brute force says so beyond this


class MilvusSettings(Section):
    uri_env: Annotated[str, Field(min_length=1)] = "MILVUS_URI"  # the variable that holds the server's address
    token_env: str = "MILVUS_TOKEN"  # noqa: S105  the variable with `user:password` or an API key; "" = it wants none
    collection: str = ""  # begins the names of the collections; "" = `<project id>_chunks`
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 10.0  # for each call


class VectorSettings(Section):
    provider: Literal["local", "milvus"] = "local"
    local: LocalVectorSettings = LocalVectorSettings()
    milvus: MilvusSettings = MilvusSettings()


class RankingWeights(Section):
    incoming_links: Annotated[float, Field(ge=0, le=1)] = 0.05
    depth: Annotated[float, Field(ge=0, le=1)] = 0.03


class RankingSettings(Section):
    enable_incoming_link_boost: bool = True
    enable_depth_boost: bool = True
    demote_listings: bool = True  # source listings and indexes of names below guides, unless an identifier is asked for
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
                raise ValueError(f"the group of {group[0]!r} must hold two different entries at least")
        return value


class CorsSettings(Section):
    allow_origins: tuple[str, ...] = ()


class RateLimitSettings(Section):
    window_ms: Count = 60_000
    max: Annotated[int, Field(ge=0)] = 120  # requests a client may make in a window; 0 = no limit


class ApiSettings(Section):
    path: str = "/api/search"
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
    workers: Annotated[int, Field(ge=0, le=256)] = 0  # processes that extract pages; 0 = one a core
    max_page_seconds: Annotated[float, Field(gt=0)] = 60.0  # of CPU time; a page that takes more fails
    max_page_memory_mb: Annotated[int, Field(ge=64)] = (
        2_000  # that one page may need while it is extracted; one that needs more fails
    )
    dask_address: str = ""  # scheduler of a Dask cluster that extracts pages instead, e.g. tcp://scheduler:8786


Owner = Annotated[str, Field(pattern=r"^(team:[A-Za-z0-9_.-]+|[^@\s]+@[^@\s]+\.[^@\s]+)$")]


class DagsterSettings(Section):
    owners: tuple[Owner, ...] = ()  # of the assets: mail addresses, or teams as `team:docs`


class StateSettings(Section):
    dir: str = ".searchsocket"

    @field_validator("dir")
    @classmethod
    def _is_a_folder_of_its_own(cls, value: str) -> str:
        if not value.strip("./ "):
            raise ValueError("the state needs a folder of its own")
        return value


_OWN_FILTERS = frozenset({"language", "kind", "path", "pathprefix", "path_prefix", "tag", "tags", "scope"})


class Settings(Section):
    """The whole file; an empty one works."""

    project: ProjectSettings = ProjectSettings()
    scope: ScopeSettings = ScopeSettings()
    source: SourceSettings = SourceSettings()
    urls: UrlSettings = UrlSettings()
    routes: RouteSettings = RouteSettings()
    extract: ExtractSettings = ExtractSettings()
    transform: TransformSettings = TransformSettings()
    facets: Annotated[Mapping[FacetName, FacetKind], Field(max_length=20)] = {}  # front matter to filter by: its type
    chunking: ChunkSettings = ChunkSettings()
    embeddings: EmbeddingSettings = EmbeddingSettings()
    vector: VectorSettings = VectorSettings()
    ranking: RankingSettings = RankingSettings()
    api: ApiSettings = ApiSettings()
    artifacts: ArtifactSettings = ArtifactSettings()
    run: RunSettings = RunSettings()
    dagster: DagsterSettings = DagsterSettings()
    state: StateSettings = StateSettings()

    @field_validator("facets")
    @classmethod
    def _names_are_free(cls, value: Mapping[str, FacetKind]) -> Mapping[str, FacetKind]:
        if taken := sorted(name for name in value if name.lower() in _OWN_FILTERS):
            raise ValueError(f"{taken[0]!r} is a filter that every site has")
        return value
