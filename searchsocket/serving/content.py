"""Content service for agents: resolve a folder, check that the caller may read it, and answer from it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from searchsocket.errors import Busy, InvalidRequest, ScopeNotIndexed, ScopeRefused
from searchsocket.extensions import extensions
from searchsocket.models.embedders.queries import QueryVectors, vector_for
from searchsocket.project.project import Project
from searchsocket.search.answering.answer import AskAnswer, AskQuery, in_languages, pages_query
from searchsocket.search.answering.ask import ask
from searchsocket.search.content.answer import ContentAnswer, ContentQuery
from searchsocket.search.content.document import DocumentDataAnswer, DocumentQuery, DocumentReader, DocumentTextAnswer
from searchsocket.search.content.documents import DocumentFinder, DocumentsAnswer, DocumentsQuery, RankedDocuments
from searchsocket.search.content.folder import ContentFolder, PageFolder
from searchsocket.search.content.retrieve import ContentSearch
from searchsocket.search.continuation import DEFAULT_LIMIT
from searchsocket.search.query import SearchQuery
from searchsocket.serving.parts import Part, PartContext, enabled_parts, open_parts
from searchsocket.serving.service import OnError, SearchService, SourceChanges
from searchsocket.types import Generation, PageFacts, Scope

_SITE = "site"
_MAX_TRIES = 3


@dataclass(frozen=True, slots=True)
class ContentService:
    """One project's content; safe to share between threads.

    A folder is `site` or the name of an extension with documents, optionally after the name of a scope: `main/site`.
    """

    service: SearchService
    parts: Mapping[str, Callable[[], Part]]  # with documents, by the name of the extension
    content: ContentSearch
    reader: DocumentReader
    finder: DocumentFinder
    clock: Callable[[], datetime]

    def search_content(self, folder_id: str, query: ContentQuery, *, trusted: bool) -> ContentAnswer:
        """Find chunks by meaning and exact terms, see `ContentSearch.search`.

        Raises:
            InvalidRequest, ScopeRefused, ScopeNotIndexed: There is no such folder, or it is not for this caller.
        """
        return self.content.search(self.folder(folder_id, trusted=trusted), query)

    def find_documents(self, folder_id: str, query: DocumentsQuery, *, trusted: bool) -> DocumentsAnswer:
        """Find documents about a subject, best first, with their summaries.

        Raises:
            InvalidRequest, ScopeRefused, ScopeNotIndexed: There is no such folder, or it is not for this caller.
            ContinuationGone: The continuation token is invalid, or of another folder or generation.
        """
        for _ in range(_MAX_TRIES):
            folder = self.folder(folder_id, trusted=trusted)
            request, offset = self.finder.checked(folder, query)
            ranked, generation = self._search_documents(folder, request, offset, trusted=trusted)
            if generation == folder.reader.generation.name:  # none was published in between
                return self.finder.answer(folder, request, offset, ranked)
        raise Busy("the index changed during every attempt to read it; try again")

    def get_document_text(self, folder_id: str, query: DocumentQuery, *, trusted: bool) -> DocumentTextAnswer:
        """Return the text of a document, see `DocumentReader.text`."""
        return self.reader.text(self.folder(folder_id, trusted=trusted), query)

    def get_document_data(self, folder_id: str, query: DocumentQuery, *, trusted: bool) -> DocumentDataAnswer:
        """Return the metadata of a document and its chunks, see `DocumentReader.data`."""
        return self.reader.data(self.folder(folder_id, trusted=trusted), query)

    def ask(self, query: AskQuery, scope: str | None, *, trusted: bool) -> AskAnswer:
        """Answer from the pages of a scope and, for trusted callers, from the documents of extensions; see `ask`.

        Raises:
            InvalidRequest: The question is empty, or a limit is exceeded.
            ContinuationGone: The continuation token is invalid, or of another scope or generation.
            ScopeRefused, ScopeNotIndexed: The scope is not for this caller, or not indexed.
        """
        prefix = f"{scope}/" if scope else ""
        folders, missing = [], None
        for kind in (_SITE, *(self.parts if trusted and not query.is_about_pages else ())):
            try:
                folders.append(self.folder(f"{prefix}{kind}", trusted=trusted))
            except ScopeNotIndexed as error:
                missing = missing or error
        if not folders and missing:
            raise missing
        folders = [self._on_conditions(folder, query) if folder.has_urls else folder for folder in folders]
        return ask(folders, query, self.clock, self.service.continuations)

    def _on_conditions(self, folder: ContentFolder, query: AskQuery) -> ContentFolder:
        """Return the folder of pages with the conditions of a question, and the rules of the owner."""
        engine, reader = self.service.engine, folder.reader
        request = engine.resolved(self.service.on_site(pages_query(query), reader.generation.scope), reader)
        request = replace(request, filters=in_languages(request.filters, query.languages))
        return replace(folder, request=request, rules=engine.curation.matching)

    def _search_documents(
        self, folder: ContentFolder, query: DocumentsQuery, offset: int, *, trusted: bool
    ) -> tuple[RankedDocuments, str]:
        """Return the results of a search for documents, and the generation that answered."""
        limit, scope = query.limit or DEFAULT_LIMIT, folder.reader.generation.scope
        if isinstance(folder, PageFolder):
            searchable = self.service.scopes.find(scope, trusted=trusted)
            page = self.service.search(
                SearchQuery(query.query, limit, offset=offset), searchable, anonymous=not trusted
            )
            urls, scores = [result.url for result in page.results], [result.score for result in page.results]
            return RankedDocuments(urls, scores, page.total), page.meta.generation
        found = self.parts[folder.folder_id.rpartition("/")[2]]().find_documents(query.query, scope)
        part = slice(offset, offset + limit)
        return RankedDocuments(found.urls[part], found.scores[part], len(found.urls)), found.generation

    def folder(self, folder_id: str, *, trusted: bool) -> ContentFolder:
        """Open a folder.

        Raises:
            InvalidRequest, ScopeRefused, ScopeNotIndexed: There is no such folder, or it is not for this caller.
        """
        scope, kind = self._scope_and_kind(folder_id, trusted=trusted)
        if kind != _SITE:
            return self.parts[kind]().folder(folder_id, scope, anonymous=not trusted)
        queries, reader = self.service.engine.queries, self.service.engine.opened(scope)
        changed = partial(_is_page_changed, self.service.changes, scope.name)
        embed = partial(vector_for, queries, reader.generation, anonymous=not trusted)
        return PageFolder(folder_id, reader, embed, changed, partial(is_read, queries, reader.generation))

    def _scope_and_kind(self, folder_id: str, *, trusted: bool) -> tuple[Scope, str]:
        """Split a folder id into its scope and `site` or the name of an extension."""
        name, _, kind = folder_id.rpartition("/")
        contents = {extension.name: extension.contents for extension in extensions() if extension.contents}
        if kind not in (_SITE, *contents) or folder_id.startswith("/"):
            names = " or ".join(map(repr, (_SITE, *contents)))
            raise InvalidRequest(
                f"folder_id {folder_id[:80]!r} is unknown; use {names}, optionally with a scope: 'main/site'"
            )
        if kind != _SITE:
            if not trusted:
                raise ScopeRefused(f"{contents[kind]} needs the key")
            if kind not in self.parts:
                raise InvalidRequest(
                    f"{contents[kind]} is not indexed; set {kind}.enable, then run `searchsocket index`"
                )
        return self.service.scopes.find(name or None, trusted=trusted), kind


def _is_page_changed(changes: SourceChanges, scope: str, page: PageFacts) -> bool | None:
    return changes.changed(page.source_file or page.route_file, scope)


def is_read(queries: QueryVectors, generation: Generation) -> bool:
    """Return True if the model reads whole texts; an instant model only adds up vectors of words."""
    return not queries.embedder_of(generation.model_id).is_instant


def open_content(
    project: Project,
    environ: Mapping[str, str],
    service: SearchService,
    parts: Mapping[str, Callable[[], Part]] | None = None,
    *,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    on_error: OnError = lambda _: None,
) -> ContentService:
    """Build the content service of a project without opening an index.

    Args:
        parts: Those of extensions with documents; None = those that the settings enable.

    Raises:
        ConfigError, ConfigMissing: A backend cannot be used.
    """
    if parts is None:
        parts = enabled_parts(project.settings, open_parts(PartContext(project, environ, clock, on_error)))
    tokens = service.continuations
    return ContentService(
        service,
        parts,
        ContentSearch(tokens, clock),
        DocumentReader(tokens, clock),
        DocumentFinder(tokens, clock),
        clock,
    )
