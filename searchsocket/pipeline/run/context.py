"""Context of a run for its stages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from searchsocket.backends import Backends
from searchsocket.errors import (
    ConfigMissing,
    InvalidScope,
    ScopeNotIndexed,
    SearchSocketError,
    SourceUnavailable,
)
from searchsocket.events import OnEvent, ignore
from searchsocket.extensions import extensions
from searchsocket.extensions.base import load
from searchsocket.models.embedders.base import Embedder
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.results import CheckOutcome
from searchsocket.project.project import Project
from searchsocket.project.settings.model import Settings
from searchsocket.project.settings.source_kinds import SourceKind, source_kind
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.text.redaction import Redactor
from searchsocket.types import Scope
from searchsocket.web.urls.form import UrlForm
from searchsocket.web.urls.resolve import SiteBase
from searchsocket.web.urls.site import configured_site

if TYPE_CHECKING:  # an agent's server reads no source and no state: they take 60 ms
    from searchsocket.sources.base import Source
    from searchsocket.state.project import ProjectState

Clock = Callable[[], datetime]
JudgeCandidate = Callable[["ScopeRun", IndexReader], CheckOutcome | None]  # None: no verdict


def _page_source(run: "ScopeRun", previous_form: UrlForm | None) -> "Source":
    from searchsocket.sources import make_source

    return make_source(
        run.project.root,
        run.project.settings,
        run.source_mode,
        scope=run.scope.name,
        branch=run.branch,
        fetched_dir=run.fetched_dir,
        max_pages=run.options.max_pages,
        previous_form=previous_form,
    )


@dataclass(frozen=True, slots=True)
class Corpus:
    """One corpus of a scope. Its stages name it, see `stages.stages_of`."""

    name: str  # in commands, JSON and golden queries
    home: Callable[[Project], Project]  # the project with the state and the store of the corpus
    make_source: Callable[["ScopeRun", UrlForm | None], "Source"]
    advice: Callable[["ScopeRun"], str]  # what to check if no document has text
    not_indexed: Callable[[str], SearchSocketError]  # of a scope
    is_enabled: Callable[[Settings], bool]
    title: str  # after the name of a scope
    documents: str  # its pages, in words
    document: str  # one of them, in words
    place: str  # an example of a result, as golden queries write it
    ask: str  # `module:function` that runs golden queries on a generation, see `quality.gate.ask_over`
    stages: str = ""  # `module:object`, the sequence of its stages; "" for the site
    is_built: bool = False  # its pages come from a build of the site; Dagster shows the upstream assets
    has_checks: bool = False  # Dagster shows golden queries and sample answers; otherwise the run reports them
    corrects_queries: bool = False  # typos in names, before a query is embedded
    has_record: bool = False  # `searchsocket index` records the inputs of a run, to skip the next one


SITE = Corpus(
    "site",
    home=lambda project: project,
    make_source=_page_source,
    advice=lambda run: run.project.settings.source.of_mode(run.make_source().kind.mode).advice(),
    not_indexed=ScopeNotIndexed,
    is_enabled=lambda _: True,
    title="",
    documents="pages",
    document="page of the site",
    place="/docs/install#linux",
    ask="searchsocket.quality.gate:ask_over",
    corrects_queries=True,
    is_built=True,
    has_checks=True,
    has_record=True,
)


@cache
def corpora_by_name() -> Mapping[str, Corpus]:
    """Every corpus by name: the site, and those of extensions."""
    added = (corpus for extension in extensions() if extension.corpora for corpus in load(extension.corpora))
    return {corpus.name: corpus for corpus in (SITE, *added)}


def homes_of(project: Project) -> Sequence[Project]:
    """The projects with the state and the store of each corpus, that of the site first."""
    return [corpus.home(project) for corpus in corpora_by_name().values()]


def corpora_of(settings: Settings) -> tuple[Corpus, ...]:
    """The corpora that a project indexes; those of extensions that are off are not loaded."""
    added = (each for each in extensions() if each.corpora and each.is_on(settings))
    corpora = (SITE, *(corpus for extension in added for corpus in load(extension.corpora)))
    return tuple(corpus for corpus in corpora if corpus.is_enabled(settings))


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Workspace:
    """Temporary folder of a dry run, so that it changes nothing."""

    folder: Path  # for files
    state: "ProjectState"  # a throw-away copy


@dataclass(frozen=True, slots=True)
class ScopeRun:
    """One run over one scope, shared by its stages. Each stage may be the only one in its process."""

    project: Project
    scope: Scope
    run_id: str
    options: RunOptions = field(default_factory=RunOptions)
    on_event: OnEvent = ignore
    clock: Clock = utc_now
    environ: Mapping[str, str] = field(default_factory=dict)
    should_stop: Callable[[], bool] = lambda: False  # called before each stage, and before the switch
    lock_timeout_s: float = 0.0  # how long a stage waits for another run of the scope; 0 = it refuses at once
    workspace: Workspace | None = None  # None = the run is not a dry run
    corpus: Corpus = SITE  # the corpus whose home is `project`
    judge: JudgeCandidate | None = None  # judges the new generation before the switch
    golden_texts: Callable[["ScopeRun"], Sequence[str]] = lambda run: ()  # the queries that `judge` will run
    backends: Backends = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        from searchsocket.sources.preview import with_preview

        settings = with_preview(self.project.settings, self.project.root, self.scope, self.source_mode)
        if settings is not self.project.settings:
            object.__setattr__(self, "project", replace(self.project, settings=settings))
        is_plan = self.workspace is not None
        backends = Backends(self.project, self.environ, calls=not is_plan, local_only=is_plan, clock=self.clock)
        object.__setattr__(self, "backends", backends)

    def of(self, corpus: Corpus) -> "ScopeRun":
        """The same run over another corpus, with that corpus's state and store; only from the site's run."""
        if corpus is self.corpus:
            return self
        home = corpus.home(self.project)
        return replace(self, project=home, scope=replace(self.scope, project_id=home.id), corpus=corpus)

    @property
    def state(self) -> "ProjectState":
        """The state between runs."""
        return self.workspace.state if self.workspace else self.backends.state

    @property
    def written_dir(self) -> Path:
        """The folder below which the run writes its files."""
        return self.workspace.folder if self.workspace else self.project.state_dir

    @property
    def temporary_dir(self) -> Path:
        """Folder for files that are being written; emptied when the next run of the scope starts."""
        return self.written_dir / "tmp" / self.scope.name

    @property
    def source_mode(self) -> str | None:
        """The source mode; None = detect it."""
        return self.options.source or self.project.settings.source.mode

    @property
    def source_kind(self) -> SourceKind:
        """The kind of the source; that of a build while the source is not detected."""
        return source_kind(self.source_mode)

    @property
    def branch(self) -> str:
        """The branch of the scope; the scope's name if the branch is unknown."""
        return self.scope.branch or self.scope.name

    @property
    def site(self) -> SiteBase:
        """The URL and base path of the site."""
        return configured_site(self.project.settings, self.source_mode, self.scope.name)

    @property
    def fetched_dir(self) -> Path:
        """The folder for fetched pages."""
        return self.written_dir / "crawl" / self.scope.name

    @property
    def embedder(self) -> Embedder:
        """The embedder of the scope.

        Raises:
            ConfigMissing, ConfigError: See `Backends.embedder_for`.
        """
        return self.backends.embedder_for(self.scope)

    @property
    def redactor(self) -> Redactor | None:
        """The redactor for the texts of chunks, applied before hashing; None with a local model."""
        return self.backends.redactor if self.embedder.is_remote else None

    def make_source(self, previous_form: UrlForm | None = None) -> "Source":
        """The source of this run, with a separate report; `previous_form` as in `sources.make_source`."""
        return self.corpus.make_source(self, previous_form)

    def source_revision(self) -> str:
        """The indexed commit, with `-dirty` if the working tree has changes; "" if it is unknown.

        If the build or preview belongs to the scope, it is the current commit of its branch, which need not be the
        commit of the working tree.
        """
        from searchsocket.sources.git_objects import CommitFiles, Repository

        try:
            source = self.make_source()
            if isinstance(source, CommitFiles):
                return source.commit()
            repository, branch = Repository(self.project.root), self.scope.branch or self.scope.name
            # An address has no {branch} any more at this point; and a host serves no working tree either.
            is_own = source.kind.is_remote or self.project.settings.source.differs_by_scope()
            return repository.resolve(branch) if is_own and repository.branch() != branch else repository.checked_out()
        except (ConfigMissing, SourceUnavailable, InvalidScope):
            return ""

    @property
    def mirror_dir(self) -> Path:
        return (self.workspace.folder / "pages" if self.workspace else self.project.mirror_dir) / self.scope.name
