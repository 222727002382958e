"""Search service of a project's source code, for trusted callers only, since source code is not public."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from typing import NamedTuple

from searchsocket.backends import Backends
from searchsocket.errors import ScopeNotIndexed, SourceUnavailable
from searchsocket.extensions.code.home import code_home
from searchsocket.extensions.code.parsing.paths import PathFilter
from searchsocket.extensions.code.pipeline.staleness import Marks, left_out, source_of, staleness
from searchsocket.extensions.code.search.answer import CodeAnswer, CodeQuery, CodeResult
from searchsocket.extensions.code.search.candidates import search_by_terms
from searchsocket.extensions.code.search.engine import CodeSearch
from searchsocket.extensions.code.search.fetch import FetchedLines, fetch_chunks, fetch_file
from searchsocket.extensions.code.search.find_all import CodeFindAnswer, CodeFindQuery, find_in_code
from searchsocket.extensions.code.search.related import (
    DocumentingPage,
    RelatedCode,
    RelatedQuery,
    chunk_of_query,
    code_of_page,
    near_code,
    pages_about,
)
from searchsocket.extensions.code.search.results import ReadNow, code_result
from searchsocket.extensions.code.settings import CodeSettings
from searchsocket.extensions.code.sources.files import CommitSource, read_beneath, reading_of
from searchsocket.models.embedders.queries import QueryVectors
from searchsocket.project.access import signing_key
from searchsocket.project.project import Project
from searchsocket.project.settings.source_kinds import source_kind
from searchsocket.search.bounds import MAX_LINES
from searchsocket.search.continuation import Continuations
from searchsocket.search.wire import SkippedFile
from searchsocket.serving.pages import find_page
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.stores.base.vector_store import Readers
from searchsocket.system.locators import path_of
from searchsocket.types import Generation, Lines, Scope
from searchsocket.web.urls.site import configured_site

_MAX_SKIPPED = 20  # files that are not searched, in an answer


def _ignore(_: BaseException) -> None:
    """Ignore an error."""


class TermMatch(NamedTuple):
    """A result of the plain search by words."""

    result: CodeResult
    score: float  # see `TermResult`
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CodeService:
    """Search in one project's source code; safe to share between threads. Scopes are given by name."""

    project: Project
    home: Project  # of its source code
    engine: CodeSearch
    site: Readers  # of its pages
    clock: Callable[[], datetime]
    continuations: Continuations
    marks: Marks

    def search(self, query: CodeQuery, scope: str) -> CodeAnswer:
        """Return the best lines for a query, from files that still exist."""
        answer = self.engine.search(query, self.home.scope_named(scope))
        marked = self.marks.of(scope)
        return (
            replace(answer, results=tuple(_mark_result(result, marked) for result in answer.results))
            if marked
            else answer
        )

    def generation(self, scope: str) -> Generation:
        """Return the live generation of a scope.

        Raises:
            CodeNotIndexed: The scope's source code is not indexed.
        """
        return self._open_scope(scope)[0].generation

    def by_terms(self, q: str, scope: str, top_k: int, max_per_file: int) -> list[TermMatch]:
        """Return the best chunks by the query's words only, of files that still exist; see `search_by_terms`."""
        reader, read_now = self._open_scope(scope)
        read_now = cache(read_now)
        marked = self.marks.of(scope)
        matches: list[TermMatch] = []
        for record, score, terms in search_by_terms(reader, q, 2 * top_k, max_per_file):
            result = code_result(record, reader, read_now, cosine=0.0, score=0.0, signals=("words",))
            if result is not None and len(matches) < top_k:
                matches.append(TermMatch(_mark_result(result, marked), score, terms))
        return matches

    def find(self, query: CodeFindQuery, scope: str) -> CodeFindAnswer:
        """Find every occurrence of a text in the current files; see `find_in_code`."""
        query.checked()
        reader, read_now = self._open_scope(scope)
        source, state = source_of(self.project, self.home.scope_named(scope)), self.marks.state
        touched = staleness(source, state.listed(scope)).touched
        answer = find_in_code(reader, query, read_now, touched, self.clock(), self.continuations)
        others = left_out(source, state, scope).below(PathFilter(query.path))
        skipped = tuple(SkippedFile(*each) for each in others.first(_MAX_SKIPPED))
        return replace(answer, skipped=skipped, skip_reasons=others.counts())

    def related(self, query: RelatedQuery, scope: str) -> RelatedCode:
        """Return code near a chunk and the pages that document it, or the code that a page mentions.

        Raises:
            InvalidRequest: The query names no chunk, file, definition or page, several of them, or an unknown chunk.
            PageNotFound: There is no such file, definition or page.
            CodeNotIndexed, ScopeNotIndexed: Nothing is indexed.
        """
        query.checked()
        reader, read_now = self._open_scope(scope)
        if query.url:
            site = configured_site(self.project.settings, None, scope)
            page = find_page(query.url, self.site.reader(self.project.scope_named(scope)), site=site).page
            related = code_of_page(reader, page.body, query.top_k, cache(read_now))
            return RelatedCode(scope, page.facts.url, related, ())
        record = chunk_of_query(reader, query)
        at = record.chunk.at
        assert isinstance(at, Lines)
        names = (query.symbol or at.symbol, *at.heading_path)
        return RelatedCode(
            scope,
            at.symbol or f"{record.page.source_file}:{at.first}-{at.last}",
            near_code(reader, record, query.top_k, cache(read_now)),
            self._pages_about(names, query.top_k, scope),
        )

    def pages_generation(self, scope: str) -> str:
        """The generation of the pages that document code; "" if no pages are indexed."""
        with suppress(ScopeNotIndexed):
            return self.site.reader(self.project.scope_named(scope)).generation.name
        return ""

    def fetch_chunks(self, ids: Sequence[str], scope: str, max_lines: int = MAX_LINES) -> list[FetchedLines]:
        """Return the first lines of each chunk at their current position; chunks of deleted files are left out."""
        reader, read_now = self._open_scope(scope)
        return fetch_chunks(reader, ids, max_lines, read_now)

    def fetch_file(self, path: str, first: int, last: int, scope: str, max_lines: int = MAX_LINES) -> FetchedLines:
        """Return current lines of an indexed file; `PageNotFound` if it is not indexed or was deleted."""
        reader, read_now = self._open_scope(scope)
        return fetch_file(reader, path, first, last, max_lines, read_now)

    def _open_scope(self, scope: str) -> tuple[IndexReader, ReadNow]:
        return self.engine.opened(self.home.scope_named(scope))

    def _pages_about(self, names: Sequence[str], top_k: int, scope: str) -> tuple[DocumentingPage, ...]:
        with suppress(ScopeNotIndexed):
            return pages_about(self.site.reader(self.project.scope_named(scope)), names, top_k)
        return ()


def _mark_result(result: CodeResult, marked: frozenset[str]) -> CodeResult:
    return replace(result, changed_since=True) if result.file in marked else result


def open_code(
    project: Project,
    environ: Mapping[str, str],
    *,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    on_error: Callable[[BaseException], None] = _ignore,
    site: Readers | None = None,
) -> CodeService:
    """Build the service of a project's source code without opening an index.

    Args:
        site: The indexes of the project's pages, if they are open already.

    Raises:
        ConfigError, ConfigMissing: A backend cannot be used.
    """
    home = code_home(project)
    backends = Backends(home, environ)
    settings = project.settings.embeddings
    queries = QueryVectors(backends.embedder_of, timeout_s=settings.query_timeout_s, clock=clock, on_error=on_error)
    engine = CodeSearch(backends.store, queries, clock, lambda scope: _reader_of(project, scope))
    continuations = Continuations(partial(signing_key, project, environ))
    site = site or Backends(project, environ).store
    return CodeService(project, home, engine, site, clock, continuations, Marks(backends.state))


def _reader_of(project: Project, scope: Scope) -> ReadNow:
    """Return a reader of current files; for a commit, of the indexed files, which never change."""
    if source_kind(project.settings.source.mode).reads_commit:
        source = source_of(project, scope)
        assert isinstance(source, CommitSource)
        return _of_commit(source)
    root, most = str(project.root), project.settings.section(CodeSettings).max_file_bytes
    reading = reading_of(project.settings)

    def read(path: str) -> bytes | None:
        try:
            return reading(path_of(path), read_beneath(root, path_of(path), most))
        except SourceUnavailable:
            return None

    return read


def _of_commit(source: CommitSource) -> ReadNow:
    files = {page.locator: page for page in source.pages()}
    return lambda path: source.read(files[path]) if path in files else None
