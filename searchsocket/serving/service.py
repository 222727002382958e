"""Search service behind every interface: search, related pages, pages and health (spec 14.1)."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, lru_cache, partial
from pathlib import PurePosixPath
from typing import TypeVar

from searchsocket.backends import Backends
from searchsocket.errors import ConfigError, PageMissing, PageNotFound, ScopeNotIndexed, SearchSocketError
from searchsocket.extensions import extensions
from searchsocket.models.embedders.base import Embedder
from searchsocket.models.embedders.builtin import is_language
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.models.rerankers import make_judge
from searchsocket.pipeline.unchanged.record import last_checked
from searchsocket.project.access import signing_key
from searchsocket.project.project import Project
from searchsocket.project.settings.source_kinds import source_kind
from searchsocket.search.answer import RelatedAnswer, Result, SearchAnswer
from searchsocket.search.backend_guard import BackendGuard
from searchsocket.search.continuation import Continuations
from searchsocket.search.engine import SearchEngine
from searchsocket.search.occurrences import FindAnswer, FindQuery
from searchsocket.search.query import SearchQuery
from searchsocket.serving.health import HealthCheck, ServiceHealth
from searchsocket.serving.pages import IndexedPage, find_page, suggestions
from searchsocket.serving.scopes import PublishedScopes, ReadableScopes
from searchsocket.state.source_files import SourceFile, SourceFiles, digest_of_file
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.stores.base.vector_store import VectorStore
from searchsocket.system.locators import path_of
from searchsocket.types import Scope
from searchsocket.web.urls.paths import below_base, canonical_path, path_with_query
from searchsocket.web.urls.resolve import SiteBase
from searchsocket.web.urls.site import configured_site, requested_versions, site_path

OnError = Callable[[BaseException], None]
Q = TypeVar("Q", SearchQuery, FindQuery)
_RECORDS_AHEAD = 12_500  # of all scopes: 0.3 s of CPU and 55 MB
_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_SUBTITLE = re.compile(r"\s+[|·•—–»:-]\s+|:\s")  # a subtitle about the site follows


@dataclass(frozen=True, slots=True)
class SourceChanges:
    """Compares the bytes of source files in a working tree with those that were indexed.

    A file that is written while a run reads the site counts as indexed.
    """

    root: str  # "" = sources are not files of this machine, such as those of a commit, which never change
    indexed: SourceFiles

    def changed(self, file: str, scope: str) -> bool | None:
        """Return True if a file has other bytes than when a scope was indexed; None if either is unknown.

        Args:
            file: Relative to the project; "" if the source of the page is unknown.
        """
        return self._changed(file, self.indexed.of(scope, [file])) if self.root and file else None

    def marked(self, answer: SearchAnswer) -> SearchAnswer:
        """Return the answer with `changed_since` in the results, if it contains their sources."""
        files = {result.url: _file_of(result) for result in answer.results if result.source}
        if not self.root or not any(files.values()):
            return answer
        indexed = self.indexed.of(answer.scope, [*filter(None, files.values())])
        marks = {url: self._changed(file, indexed) for url, file in files.items()}
        results = (replace(each, changed_since=marks.get(each.url)) for each in answer.results)
        return replace(answer, results=tuple(results))

    def _changed(self, file: str, indexed: Mapping[str, SourceFile]) -> bool | None:
        path = path_of(file)
        parts = PurePosixPath(path).parts
        before = indexed.get(file)
        if before is None or not parts or parts[0] == "/" or ".." in parts or "\0" in path:
            return None
        full = os.path.join(self.root, *parts)
        try:
            info = os.lstat(full)
            if before.has_stamp(info):
                return False
            digest = _digest(full, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
        except OSError:
            return None
        return digest != before.digest if digest else None


def _file_of(result: Result) -> str:
    return (result.source.file if result.source else None) or result.route_file or ""


@lru_cache(maxsize=1_000)
def _digest(path: str, _size: int, _mtime_ns: int, _ctime_ns: int) -> bytes:
    """Return the digest of a file, read once for each of its states."""
    return digest_of_file(path)


def changes_of(project: Project) -> SourceChanges:
    """Return the changes of a project's source files; unknown if its site is built from a commit."""
    is_commit = source_kind(project.settings.source.mode).reads_commit
    return SourceChanges("" if is_commit else str(project.root), SourceFiles(project.state_dir))


@dataclass(frozen=True, slots=True)
class SearchService:
    """One project's search; safe to share between threads.

    It answers over any scope. `scopes` resolves the requested scope and checks that the caller may read it.
    """

    store: VectorStore
    engine: SearchEngine
    continuations: Continuations  # make and read continuation tokens
    scopes: ReadableScopes
    health_check: HealthCheck
    on_error: OnError  # called with errors that no caller sees
    site_of: Callable[[str], SiteBase]  # scope -> base path and host of its site
    changes: SourceChanges
    name_of: Callable[[], str] = str  # returns the site's name, as configured; "" if it is not
    check: Callable[[], object] = lambda: None  # raises the errors of the first reranked query

    def search(self, query: SearchQuery, scope: Scope, *, anonymous: bool = False) -> SearchAnswer:
        """Return the best pages, or chunks, for a query."""
        answer = self.engine.search(self.on_site(query, scope.name), scope, anonymous=anonymous)
        return answer if anonymous else self.changes.marked(answer)  # strangers see no source

    def find(self, query: FindQuery, scope: Scope) -> FindAnswer:
        """Return some of the occurrences of a text in page order, and their total number; embeds nothing."""
        return self.engine.find(self.on_site(query, scope.name), scope)

    def on_site(self, query: Q, scope: str) -> Q:
        """Return a query whose directory and versions are paths of the site, without its base path."""
        site = self.site_of(scope)
        prefix, version = site_path(query.path_prefix, site), requested_versions(query.version, site)
        return replace(query, path_prefix=prefix, version=version)

    def related(self, url: str, scope: Scope, top_k: int = 5) -> RelatedAnswer:
        """Return pages near a page, which is named by its current or an old URL."""
        site = self.site_of(scope.name)
        path = site_path(url, site)
        urls = [*below_base(canonical_path(path), site.path)]
        if query := url.partition("#")[0].partition("?")[2]:
            urls = [*urls, *(path_with_query(path, query) for path in urls)]
        aliases = self.store.reader(scope).generation.aliases
        *first_urls, last_url = [*(aliases[alias] for alias in urls if alias in aliases), *urls]
        for first_url in first_urls:
            with suppress(PageNotFound):
                return self.engine.related(first_url, scope, top_k)
        try:
            return self.engine.related(last_url, scope, top_k)
        except PageNotFound as error:
            raise PageMissing(path, suggestions(path, self.store.reader(scope))) from error

    def page(self, path: str, scope: Scope, *, is_segment: bool = False) -> IndexedPage:
        """Return the page of a URL path, an absolute URL, a Markdown file or an old URL."""
        page = find_page(path, self.store.reader(scope), is_segment=is_segment, site=self.site_of(scope.name))
        facts = page.page.facts
        changed = self.changes.changed(facts.source_file or facts.route_file, scope.name)
        return replace(page, changed_since=changed)

    def has_page(self, url: str, scope: Scope) -> bool:
        """Return True if the index has a page of exactly this URL path."""
        catalogue = self.store.reader(scope).catalogue
        return bool(catalogue.page_digest(url) or catalogue.page_records(url))

    def site_title(self) -> str:
        """The name of the default scope's site, as configured; otherwise the first part of its home page's title.

        Returns:
            "" if neither exists.
        """
        if name := self.name_of():
            return name
        try:
            return home_title(self.store.reader(self.scopes.find(None, trusted=False)))
        except SearchSocketError:
            return ""

    def health(self, *, trusted: bool) -> ServiceHealth:
        """Report if queries are answered; untrusted callers see public scopes only."""
        return self.health_check.report(trusted=trusted)

    def warm_up(self) -> None:
        """Open the indexes and load the models, so that the first caller does not wait for it."""
        try:
            self.check()
        except SearchSocketError as error:
            self.on_error(error)
        for name in self.scopes.public:
            try:
                self.search(SearchQuery("search"), self.scopes.find(name, trusted=False))
            except SearchSocketError as error:  # the server starts anyway; `ready` reports it
                self.on_error(error)

    def read_ahead(self) -> None:
        """Load the records of small public scopes into memory before the first query, up to a total limit."""
        is_language("search")  # loads the word list, for which the first query without a match would wait
        room = _RECORDS_AHEAD
        for name in self.scopes.public:
            try:
                reader = self.store.reader(self.scopes.find(name, trusted=False))
                if reader.generation.records <= room:
                    reader.catalogue.read_ahead()
                    room -= reader.generation.records
            except ScopeNotIndexed:
                continue
            except SearchSocketError as error:
                self.on_error(error)

    def refresh(self) -> None:
        """Switch to newly published generations and report unusable ones; call it every minute."""
        for error in self.store.refresh():
            self.on_error(error)


def open_service(
    project: Project,
    environ: Mapping[str, str],
    *,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    on_error: OnError = lambda _: None,
    store: VectorStore | None = None,
    embedder: Embedder | None = None,
) -> SearchService:
    """Build the search service of one project without opening an index.

    Args:
        environ: Environment with scopes, keys and the folder of the cache.
        store, embedder: Replace those of the settings.

    Raises:
        ConfigError, ConfigMissing: A backend cannot be used.
    """
    backends = Backends(project, environ, clock=clock, on_error=on_error)
    backends.curation.rules()  # reports mistakes before the first query
    store = store or backends.store
    embedder_of = (lambda _: embedder) if embedder else backends.embedder_of
    settings = project.settings.embeddings
    if settings.provider != "auto":
        embedder_of("")  # report missing settings before the first query
    redactor = backends.redactor or (lambda text: text)
    queries = QueryVectors(
        embedder_of,
        timeout_s=settings.query_timeout_s,
        usd_a_day=settings.query_usd_a_day,
        usd_a_month=project.settings.costs.budget.month_usd,
        ledger=backends.ledger,
        clock=clock,
        on_error=on_error,
        prepare=redactor,
    )
    rerank = project.settings.rerank
    has_reranker = rerank.provider != "none"
    judge = cache(
        partial(
            make_judge,
            rerank,
            backends.environ,
            clock=clock,
            on_error=on_error,
            prepare=redactor,
            ledger=backends.ledger,
        )
    )
    scopes = ReadableScopes(project, environ, store.public_scopes if isinstance(store, PublishedScopes) else None)
    backend = BackendGuard(project.settings.search, on_error=on_error)
    public_judge = judge if has_reranker else None
    tokens = Continuations(partial(signing_key, project, environ))
    ranking, facets = project.settings.ranking, project.settings.facets
    engine = SearchEngine(store, queries, ranking, clock, facets, backend, public_judge, tokens, backends.curation)
    return SearchService(
        store=store,
        engine=engine,
        continuations=tokens,
        scopes=scopes,
        health_check=HealthCheck(
            scopes, store, engine, embedder_of, clock, on_error, partial(last_checked, str(project.state_dir))
        ),
        on_error=on_error,
        site_of=lambda scope: configured_site(project.settings, None, scope),
        changes=changes_of(project),
        name_of=cache(partial(configured_title, project)),
        check=judge if has_reranker else lambda: None,
    )


def site_names(projects: Sequence[Project]) -> list[str]:
    """Return the names of projects in addresses.

    Raises:
        ConfigError: Two names are equal.
    """
    names = [_NAME.sub("-", project.id).strip("-.") or "site" for project in projects]
    if double := next((name for name in names if names.count(name) > 1), None):
        raise ConfigError(f"two of the projects have the id {double!r}; set project.id in one of them")
    return names


def configured_title(project: Project) -> str:
    """The name of a project's site by its settings, else by the generator's configuration; "" without both."""
    from searchsocket.sources.build_folder import (
        configured_name,  # takes 0.05 s, and a query of the shell asks for no title
    )

    titles = (each.setting(project.settings, each.site_title) for each in extensions())
    return next(filter(None, titles), "") or configured_name(project.root)


def home_title(reader: IndexReader) -> str:
    """The first part of the home page's title; "" without a home page."""
    home = reader.catalogue.page_records("/")[:1]
    return _SUBTITLE.split(home[0].page.title, maxsplit=1)[0] if home else ""
