"""Every key of `searchsocket.toml`, with its default (spec 7). A key here has an effect, and a test that shows it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, create_model, field_validator, model_validator

from searchsocket.errors import ConfigError
from searchsocket.extensions import built_in
from searchsocket.extensions.base import Extension, load
from searchsocket.project.settings.features import (
    GoldenSettings,
    McpSettings,
    RedactionSettings,
    RerankSettings,
)
from searchsocket.project.settings.section import Count, SettingsSection, WebAddress
from searchsocket.project.settings.site import (
    BranchSettings,
    ChunkSettings,
    CoreSourceSettings,
    ExtractSettings,
    ProjectSettings,
    RouteSettings,
    ScopeSettings,
    TransformSettings,
    UrlSettings,
    VersionSettings,
)
from searchsocket.types import FacetKind

SynonymEntry = Annotated[str, Field(max_length=200)]
SynonymGroup = Annotated[tuple[SynonymEntry, ...], Field(min_length=2, max_length=20)]


def check_synonyms(group: Sequence[str]) -> None:
    """Refuse a group of synonyms that no query can use.

    Raises:
        ValueError: An entry is not 1 to 4 words, or there are no two different ones.
    """
    for entry in group:
        if not 1 <= len(entry.split()) <= 4 or not any(map(str.isalnum, entry)):
            raise ValueError(f"{entry!r} must be 1 to 4 words")
    if len({" ".join(entry.casefold().split()) for entry in group}) < 2:
        raise ValueError(f"the group of {group[0]!r} needs at least two different entries")


FacetName = Annotated[str, Field(pattern="^[A-Za-z][A-Za-z0-9_-]{0,39}$")]


EmbeddingProvider = Literal["builtin", "onnx", "hash", "openai", "auto"]
LOCAL_EMBEDDERS = frozenset({"builtin", "onnx", "hash"})  # no text leaves the machine, and nothing is paid
PackageName = Annotated[str, Field(pattern="^[a-z][a-z0-9_-]{0,39}$")]  # an entry point's, of an installed package


class EmbeddingSettings(SettingsSection):
    provider: EmbeddingProvider | PackageName = "builtin"  # "local" is read as "builtin"; else an entry point's name
    model: str = ""  # onnx: a folder, or a name in the Hugging Face cache; openai: its name; "" = their usual one
    dimensions: Annotated[int, Field(ge=1, le=65_536)] | None = None  # of the openai provider; None = the model's own
    api_key_env: str | None = (
        None  # environment variable with the key; None = the provider's usual one; "" = no key needed
    )
    max_tokens: Annotated[int, Field(ge=8, le=8_192)] | None = None  # of a text; None = as many as the model takes
    base_url: WebAddress = (
        ""  # of a server that speaks OpenAI's protocol, e.g. http://localhost:11434/v1; "" = OpenAI's
    )
    batch_size: Annotated[int, Field(ge=1, le=10_000)] = 256
    concurrency: Annotated[int, Field(ge=1, le=64)] = 8  # requests to a provider at once; local models use all cores
    price_per_million_tokens_usd: Annotated[float, Field(ge=0)] | None = None  # None = the built-in price table
    query_timeout_s: Annotated[float, Field(gt=0, le=60)] = 0.3  # after that, only words are searched
    query_usd_a_day: Annotated[float, Field(ge=0)] = 1.0  # for queries of callers without a key; 0 = no limit
    cache_url: str = ""  # a cache that machines share, e.g. s3://bucket/embeddings; "" = below `artifacts.url`
    cache_max_mb: Count = 8_192  # above it the least recently used are deleted, except those of the last week

    @field_validator("provider", mode="before")
    @classmethod
    def _local_is_builtin(cls, value: object) -> object:
        return "builtin" if value == "local" else value

    @model_validator(mode="before")
    @classmethod
    def _key_or_address_means_openai(cls, values: object) -> object:
        if isinstance(values, dict) and "provider" not in values and implies_openai(values):
            return {**values, "provider": "openai"}
        return values

    @property
    def may_cost(self) -> bool:
        """Return False if the model is surely free, without loading it."""
        is_local = self.provider in ("builtin", "hash", "onnx") and not self.price_per_million_tokens_usd
        return not is_local and self.price_per_million_tokens_usd != 0

    def without_effect(self) -> list[str]:
        """Return the names of changed settings that the provider does not use."""
        unused = _UNUSED.get(self.provider, frozenset())
        fields = type(self).model_fields
        return [name for name in fields if name in unused and getattr(self, name) != fields[name].default]


_OF_A_SERVER = frozenset(
    {"api_key_env", "base_url", "concurrency", "dimensions", "max_tokens", "query_timeout_s", "query_usd_a_day"}
)
_UNUSED = {  # provider -> settings without effect
    "builtin": _OF_A_SERVER | {"model", "batch_size", "cache_url"},
    "hash": _OF_A_SERVER | {"model"},
    "onnx": _OF_A_SERVER,
}


def implies_openai(values: Mapping[str, object]) -> bool:
    """Return True if settings of embeddings without a provider mean OpenAI or a server with its protocol."""
    return values.get("api_key_env") is not None or bool(values.get("base_url"))


class BudgetSettings(SettingsSection):
    """US dollars for embeddings; None = no limit."""

    run_usd: Annotated[float, Field(ge=0)] | None = None  # a run with a higher estimate stops before the first call
    month_usd: Annotated[float, Field(ge=0)] | None = None  # of UTC; runs and queries of one project and user


class CostSettings(SettingsSection):
    budget: BudgetSettings = BudgetSettings()


class LocalVectorSettings(SettingsSection):
    path: str = ""  # "" = `index` inside the state folder
    max_records: Count = 200_000  # above it, exact search prints a warning


OptionName = Annotated[str, Field(pattern="^[A-Za-z][A-Za-z0-9_-]{0,39}$")]


class CoreVectorSettings(SettingsSection):
    """All settings of vectors but the sections of the databases that extensions bring."""

    provider: Literal["local"] | PackageName = "local"  # a database with a section here, or an installed package's
    options: Annotated[Mapping[OptionName, str | int | float | bool], Field(max_length=50)] = {}  # for that package
    min_recall: Annotated[float, Field(ge=0, le=1)] = 0.9  # of the ten nearest, in an index that is not exact
    local: LocalVectorSettings = LocalVectorSettings()

    @model_validator(mode="after")
    def _options_have_a_reader(self) -> Self:
        if self.options and self.provider in self.providers():
            raise ValueError(f"options: the provider {self.provider!r} reads none; use its own section")
        return self

    @classmethod
    def providers(cls) -> list[str]:
        """The providers that have a section of their own, `local` first."""
        return [name for name, field in cls.model_fields.items() if isinstance(field.default, SettingsSection)]


class RankingWeights(SettingsSection):
    incoming_links: Annotated[float, Field(ge=0, le=1)] = 0.05
    depth: Annotated[float, Field(ge=0, le=1)] = 0.03
    rerank: Annotated[float, Field(ge=0, le=1)] = 1.0  # weight of the reranker, if used; 0 = the original order


class RankingSettings(SettingsSection):
    enable_incoming_link_boost: bool = True
    enable_depth_boost: bool = True
    demote_listings: bool = (
        True  # rank source listings and name indexes below guides, unless the query is an identifier
    )
    demote_occasions: bool = True  # rank posts, release notes and upgrade guides a tenth lower
    collapse_alike: bool = True  # group near-identical passages under the best one
    weights: RankingWeights = RankingWeights()
    candidate_k: Annotated[int, Field(ge=1, le=1000)] = 50  # hits taken from each list before fusion
    synonyms: Annotated[tuple[SynonymGroup, ...], Field(max_length=1000)] = ()  # e.g. [["k8s", "kubernetes"]]

    @field_validator("synonyms")
    @classmethod
    def _entries_are_words(cls, value: tuple[SynonymGroup, ...]) -> tuple[SynonymGroup, ...]:
        for group in value:
            check_synonyms(group)
        return value


class SearchSettings(SettingsSection):
    """Behaviour of queries while a remote vector store is unavailable."""

    on_backend_failure: Literal["words", "error"] = "words"  # answer by words with a note, or fail
    backend_timeout_s: Annotated[float, Field(gt=0, le=60)] = 2.0  # per call of a query; the first gets 10 s more


class CorsSettings(SettingsSection):
    allow_origins: tuple[str, ...] = ()


class RateLimitSettings(SettingsSection):
    window_ms: Count = 60_000
    max: Annotated[int, Field(ge=0)] = 120  # requests per client and window; 0 = no limit


class ApiSettings(SettingsSection):
    path: str = "/api/search"
    public_url: WebAddress = ""  # public address of the service, e.g. https://search.example.com, named in llms.txt
    page: bool = True  # a search page at /
    access_log: bool = False  # one line of JSON per request on stderr, without the query
    max_age_s: Annotated[int, Field(ge=0)] = (
        0  # how long caches may reuse public answers; 0 = they revalidate each time
    )
    scopes: tuple[str, ...] = ()  # public scopes; empty = only the resolved scope
    key_env: str = "SEARCHSOCKET_API_KEY"  # callers with this key may read all scopes and source paths
    max_body_bytes: Count = 65_536
    allowed_hosts: tuple[str, ...] = ()  # accepted Host headers; empty = any, on loopback only loopback names
    trusted_proxies: tuple[str, ...] = ()  # addresses or networks whose X-Forwarded-For names the client
    cors: CorsSettings = CorsSettings()
    rate_limit: RateLimitSettings = RateLimitSettings()


class RunSettings(SettingsSection):
    workers: Annotated[int, Field(ge=0, le=256)] = 0  # processes that extract pages; 0 = one per free core
    max_page_seconds: Annotated[float, Field(gt=0)] = 60.0  # CPU time per page; a page that needs more fails
    max_page_memory_mb: Annotated[int, Field(ge=64)] = (
        2_000  # memory per page during extraction; a page that needs more fails
    )
    dask_address: str = ""  # scheduler of a Dask cluster that extracts and cuts pages, e.g. tcp://scheduler:8786


Owner = Annotated[str, Field(pattern=r"^(team:[A-Za-z0-9_.-]+|[^@\s]+@[^@\s]+\.[^@\s]+)$")]


class DagsterSettings(SettingsSection):
    owners: tuple[Owner, ...] = ()  # of the assets: mail addresses, or teams as `team:docs`
    max_age_days: Annotated[float, Field(ge=0)] = 0.0  # oldest live generation without a warning; 0 = no limit
    timezone: str = "UTC"  # of the schedules, as `Europe/Berlin`

    @field_validator("timezone")
    @classmethod
    def _is_known(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (OSError, ValueError, ZoneInfoNotFoundError) as error:
            raise ValueError("must be the name of a time zone, such as Europe/Berlin") from error
        return value


class StateSettings(SettingsSection):
    dir: str = ".searchsocket"
    shared_mirror: bool = False  # mirror files name no scope, and scopes with equal pages share them by hard links

    @field_validator("dir")
    @classmethod
    def _is_a_folder_of_its_own(cls, value: str) -> str:
        if not value.strip("./ "):
            raise ValueError("the state folder must not be the project folder")
        return value


_OWN_FILTERS = frozenset({"language", "kind", "path", "pathprefix", "path_prefix", "tag", "tags", "scope"})


class CoreSettings(SettingsSection):
    """All settings but those of extensions; an empty file is valid."""

    project: ProjectSettings = ProjectSettings()
    scope: ScopeSettings = ScopeSettings()
    branches: BranchSettings = BranchSettings()
    source: CoreSourceSettings = CoreSourceSettings()
    urls: UrlSettings = UrlSettings()
    versions: VersionSettings = VersionSettings()
    routes: RouteSettings = RouteSettings()
    extract: ExtractSettings = ExtractSettings()
    transform: TransformSettings = TransformSettings()
    facets: Annotated[
        Mapping[FacetName, FacetKind], Field(max_length=20)
    ] = {}  # front matter keys to filter by, with their types
    chunking: ChunkSettings = ChunkSettings()
    embeddings: EmbeddingSettings = EmbeddingSettings()
    costs: CostSettings = CostSettings()
    vector: CoreVectorSettings = CoreVectorSettings()
    rerank: RerankSettings = RerankSettings()
    redaction: RedactionSettings = RedactionSettings()
    ranking: RankingSettings = RankingSettings()
    search: SearchSettings = SearchSettings()
    golden: GoldenSettings = GoldenSettings()
    api: ApiSettings = ApiSettings()
    mcp: McpSettings = McpSettings()
    run: RunSettings = RunSettings()
    dagster: DagsterSettings = DagsterSettings()
    state: StateSettings = StateSettings()

    @field_validator("facets")
    @classmethod
    def _names_are_free(cls, value: Mapping[str, FacetKind]) -> Mapping[str, FacetKind]:
        if reserved_names := sorted(name for name in value if name.lower() in _OWN_FILTERS):
            raise ValueError(f"{reserved_names[0]!r} is a built-in filter; choose another name")
        return value


def with_sections(base: type[CoreSettings], extensions: Sequence[Extension]) -> type[CoreSettings]:
    """The settings with those of extensions, also below `vector` and `source`.

    Raises:
        ConfigError: An extension has the name of a section.
    """
    fields = _sections(base, {extension.name: extension.settings for extension in extensions if extension.settings})
    if databases := {extension.name: extension.store.settings for extension in extensions if extension.store}:
        vector = type(base().vector)
        sections = _sections(vector, databases)
        provider: Any = Literal[(*vector.providers(), *sections)] | PackageName
        fields["vector"] = _field(
            create_model(
                "VectorSettings", __base__=vector, __module__=__name__, provider=(provider, "local"), **sections
            )
        )
    if any(extension.source for extension in extensions):
        fields["source"] = _field(_with_sources(type(base().source), extensions))
    return create_model("Settings", __base__=base, __module__=__name__, **fields)


def _with_sources(base: type[CoreSourceSettings], extensions: Sequence[Extension]) -> type[CoreSourceSettings]:
    """The settings of sources with a mode and a section for each source."""
    sections = _sections(
        base, {extension.name: extension.source.settings for extension in extensions if extension.source}
    )
    modes = get_args(get_args(base.model_fields["mode"].annotation)[0])
    mode: Any = Literal[(*modes, *sections)] | None
    return create_model("SourceSettings", __base__=base, __module__=__name__, mode=(mode, None), **sections)


def _sections(base: type[SettingsSection], places: Mapping[str, str]) -> dict[str, Any]:
    """Fields for sections that `module:object` names."""
    if taken := sorted(places.keys() & base.model_fields.keys()):
        raise ConfigError(f"an extension has the name {taken[0]!r}, which is a section of the settings; uninstall it")
    return {name: _field(load(place)) for name, place in places.items()}


def _field(kind: type[SettingsSection]) -> Any:
    return kind, kind()


if TYPE_CHECKING:
    Settings = CoreSettings  # an extension gets its section from `section`
    VectorSettings = CoreVectorSettings
    SourceSettings = CoreSourceSettings
else:
    Settings = with_sections(CoreSettings, built_in())
    VectorSettings = type(Settings().vector)
    SourceSettings = type(Settings().source)
