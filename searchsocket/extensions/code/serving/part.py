"""The source code of a project, for answers over it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

from searchsocket.extensions.code.search.freshness import ReadNow, is_changed
from searchsocket.extensions.code.search.query import CodeQuery
from searchsocket.extensions.code.serving.keeper import CodeKeeper
from searchsocket.extensions.code.serving.service import CodeService, open_code
from searchsocket.models.embedders.queries import vector_for
from searchsocket.search.answer import Note
from searchsocket.search.content.folder import ContentFolder
from searchsocket.serving.content import is_read
from searchsocket.serving.parts import PartContext, RankedFiles
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.types import PageFacts, Scope

_MAX_FILES = 50  # in the results of a search for documents


class CodeFolder(ContentFolder):
    """The source files of a scope."""

    has_urls = False

    def file_path(self, url: str) -> str:
        return url[1:]

    def text(self, url: str) -> tuple[str, int]:
        return self.reader.catalogue.page_body(url) or "", 0

    def _url(self, file_path: str) -> str:
        return f"/{file_path}"


@dataclass(frozen=True, slots=True)
class CodePart:
    """Implements `Part`."""

    service: Callable[[], CodeService]  # opened at the first use
    keeper: CodeKeeper | None  # of the index; None: it is not kept up to date

    @property
    def may_sync(self) -> bool:
        return self.keeper is not None and self.keeper.may_sync

    def folder(self, folder_id: str, scope: Scope, *, anonymous: bool) -> ContentFolder:
        """Open the source files of a scope."""
        code = self.service()
        queries = code.engine.queries
        reader, read_now = code.engine.opened(code.home.scope_named(scope.name))
        embed = partial(vector_for, queries, reader.generation, anonymous=anonymous)
        changed = partial(_is_file_changed, reader, read_now)
        return CodeFolder(folder_id, reader, embed, changed, partial(is_read, queries, reader.generation))

    def find_documents(self, query: str, scope: str) -> RankedFiles:
        """Search for source files."""
        answer = self.service().search(CodeQuery(query, _MAX_FILES, max_per_file=1), scope)
        urls, scores = [f"/{result.file}" for result in answer.results], [result.score for result in answer.results]
        return RankedFiles(urls, scores, answer.generation)

    def sync_if_stale(self, scope: str, *, first: bool, next_step: str) -> tuple[Note, ...]:
        """Check the files before an answer, and index them first if few changed; return notes for the answer."""
        return self.keeper.sync_if_stale(scope, first=first, next_step=next_step) if self.keeper else ()

    def check(self, scope: str) -> None:
        """Open the index."""
        self.service().generation(scope)


def _is_file_changed(reader: IndexReader, read_now: ReadNow, page: PageFacts) -> bool | None:
    """Return True if a source file has other bytes than indexed; None if it was deleted."""
    data = read_now(page.source_file)
    return None if data is None else is_changed(reader.catalogue.page_digest(page.url), data)


def open_part(context: PartContext) -> CodePart:
    """Open the source code of a project; its index is opened at the first use."""
    project, environ, clock = context.project, context.environ, context.clock
    service = cache(partial(open_code, project, environ, clock=clock, on_error=context.on_error, site=context.site))
    keeping = context.keeping
    if keeping is None:
        return CodePart(service, None)
    keeper = CodeKeeper(project, environ, scope=keeping.scope, may_sync=keeping.may_sync, clock=clock)
    return CodePart(service, keeper)
