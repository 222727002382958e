"""The source code of a project, for every surface that asks: trusted callers alone, since source is not public."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from searchsocket.embedders.queries import QueryVectors
from searchsocket.errors import SourceUnavailable
from searchsocket.project.backends import Backends
from searchsocket.project.corpora import code_home
from searchsocket.project.project import Project
from searchsocket.search.code.answer import CodeAnswer
from searchsocket.search.code.engine import CodeSearch
from searchsocket.search.code.fetch import MAX_LINES, FetchedLines, fetch_chunks, fetch_file
from searchsocket.search.code.freshness import ReadNow
from searchsocket.search.code.query import CodeQuery
from searchsocket.sources.code.beneath import read_beneath
from searchsocket.sources.code.commit import CommitSource
from searchsocket.sources.code.find import make_code_source
from searchsocket.sources.files import path_of
from searchsocket.types import Scope

_NOTHING: Callable[[BaseException], None] = lambda _: None  # noqa: E731


@dataclass(frozen=True, slots=True)
class CodeService:
    """One project's source code; safe to share between threads."""

    home: Project
    engine: CodeSearch

    def search(self, query: CodeQuery, scope: str) -> CodeAnswer:
        """See `CodeSearch.search`; the scope by its name."""
        return self.engine.search(query, self.home.scope_named(scope))

    def fetch_chunks(self, ids: Sequence[str], scope: str, max_lines: int = MAX_LINES) -> list[FetchedLines]:
        """See `fetch.fetch_chunks`."""
        reader, read_now = self.engine.opened(self.home.scope_named(scope))
        return fetch_chunks(reader, ids, max_lines, read_now)

    def fetch_file(self, path: str, first: int, last: int, scope: str, max_lines: int = MAX_LINES) -> FetchedLines:
        """See `fetch.fetch_file`."""
        reader, read_now = self.engine.opened(self.home.scope_named(scope))
        return fetch_file(reader, path, first, last, max_lines, read_now)


def open_code(
    project: Project,
    environ: Mapping[str, str],
    *,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    on_error: Callable[[BaseException], None] = _NOTHING,
) -> CodeService:
    """The service of a project's source code; no index is opened yet.

    Raises:
        ConfigError, ConfigMissing: A backend cannot be used.
    """
    home = code_home(project)
    backends = Backends(home, environ)
    settings = project.settings.embeddings
    queries = QueryVectors(backends.embedder_of, timeout_s=settings.query_timeout_s, clock=clock, on_error=on_error)
    return CodeService(home, CodeSearch(backends.store, queries, clock, lambda scope: _reader_of(project, scope)))


def _reader_of(project: Project, scope: Scope) -> ReadNow:
    """Reads files as they are now: those of a commit never change, so they are what was indexed."""
    source = make_code_source(project.root, project.settings, branch=scope.branch or scope.name)
    root, most = str(project.root), project.settings.code.max_file_bytes

    def read(path: str) -> bytes | None:
        try:
            return read_beneath(root, path_of(path), most)
        except SourceUnavailable:
            return None

    if isinstance(source, CommitSource):
        return _of_commit(source)
    return read


def _of_commit(source: CommitSource) -> ReadNow:
    files = {page.locator: page for page in source.pages()}
    return lambda path: source.read(files[path]) if path in files else None
