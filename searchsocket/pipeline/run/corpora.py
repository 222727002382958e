"""The corpora of a scope: the pages of its site, and the source files of its project."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from searchsocket.errors import CodeNotIndexed, ScopeNotIndexed, SearchSocketError
from searchsocket.project.corpora import CorpusName, code_home
from searchsocket.project.project import Project
from searchsocket.project.settings.model import Settings
from searchsocket.sources import make_source
from searchsocket.sources.base import Source
from searchsocket.sources.code.find import make_code_source
from searchsocket.web.urls.form import UrlForm

if TYPE_CHECKING:
    from searchsocket.pipeline.run.context import ScopeRun


def _page_source(run: "ScopeRun", previous_form: UrlForm | None) -> Source:
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


def _code_source(run: "ScopeRun", _: UrlForm | None) -> Source:
    return make_code_source(run.project.root, run.project.settings, run.source_mode, run.branch)


@dataclass(frozen=True, slots=True)
class Corpus:
    """One corpus of a scope. Its stages name it, see `stages.stages_of`."""

    name: CorpusName  # in commands, JSON and golden queries
    home: Callable[[Project], Project]  # the project with the state and the store of the corpus
    make_source: Callable[["ScopeRun", UrlForm | None], Source]
    not_indexed: Callable[[str], SearchSocketError]  # of a scope
    is_enabled: Callable[[Settings], bool]
    title: str  # after the name of a scope
    documents: str  # its pages, in words
    is_built: bool = False  # its pages come from a build of the site; Dagster shows the upstream assets
    has_checks: bool = False  # Dagster shows golden queries and sample answers; otherwise the run reports them
    has_record: bool = False  # `searchsocket index` records the inputs of a run, to skip the next one


SITE = Corpus(
    "site",
    home=lambda project: project,
    make_source=_page_source,
    not_indexed=ScopeNotIndexed,
    is_enabled=lambda _: True,
    title="",
    documents="pages",
    is_built=True,
    has_checks=True,
    has_record=True,
)
CODE = Corpus(
    "code",
    home=code_home,
    make_source=_code_source,
    not_indexed=CodeNotIndexed,
    is_enabled=lambda settings: settings.code.enable,
    title="code",
    documents="files",
)
CORPORA: Mapping[str, Corpus] = {corpus.name: corpus for corpus in (SITE, CODE)}


def corpora_of(settings: Settings) -> tuple[Corpus, ...]:
    """The corpora that a project indexes."""
    return tuple(corpus for corpus in CORPORA.values() if corpus.is_enabled(settings))
