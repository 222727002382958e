"""Texts of the site for agents from the live generation: `GET /llms.txt`, `/llms-full.txt` and `/page.md`."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from threading import Lock

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from search_api.endpoints.common import caller_of
from search_api.extension import Added, AppContext
from searchsocket.content.mirror import parse_page
from searchsocket.content.pages import Page
from searchsocket.extensions.llms.folder import agent_site
from searchsocket.extensions.llms.index import (
    INDEX,
    AgentSite,
    FullFile,
    entry_of,
    full_files,
    index_files,
    joined,
    render_markdown,
    utf8,
)
from searchsocket.extensions.llms.settings import LlmsSettings
from searchsocket.project.project import Project
from searchsocket.serving.service import SearchService
from searchsocket.stores.base.index_reader import IndexReader, default_pages
from searchsocket.types import Scope

_MAX_GENERATIONS = 4  # generations with cached lists
_MAX_TEXTS = 16  # cached full texts per generation

_LISTS = r"llms.txt", r"llms-full.txt", r"llms-full-{part:int}.txt"


@dataclass(frozen=True, slots=True)
class AgentText:
    """A text and its generation."""

    data: bytes
    scope: str
    generation: str
    canonical: str = ""  # URL of its page; "" for a list


class AgentTexts:
    """The texts of a project; safe to share between threads.

    Links in the texts have no host, so they work at every address of the service.
    """

    def __init__(self, project: Project, service: SearchService) -> None:
        self._project = project
        self._service = service
        self._lock = Lock()  # builds one list at a time, since a list reads every page
        self._lists: OrderedDict[tuple[str, str], _Lists] = OrderedDict()

    def page(self, path: str, scope: Scope) -> AgentText:
        """Return a page as Markdown.

        Raises:
            PageMissing, ScopeNotIndexed, IndexCorrupt: See `find_page`.
        """
        page = self._service.page(path, scope)
        site = self._site(scope, None)
        facts = page.page.facts
        text = utf8(render_markdown(page.page, site))
        return AgentText(text, scope.name, page.generation.name, facts.address or site.base + facts.url)

    def file(self, path: str, scope: Scope) -> AgentText | None:
        """Return `/llms.txt`, a full text, or such a file of a folder; None if the file does not exist.

        Raises:
            ScopeNotIndexed, IndexCorrupt: The index cannot be read.
        """
        reader = self._service.store.reader(scope)
        base = self._service.site_of(scope.name).path
        name = path.removeprefix(base).removeprefix("/")
        with self._lock:
            lists = self._lists_of(reader, scope)
            data = lists.text(name)
        return AgentText(data, scope.name, reader.generation.name) if data is not None else None

    def _lists_of(self, reader: IndexReader, scope: Scope) -> "_Lists":
        key = (scope.name, reader.generation.name)
        if key not in self._lists:
            urls = default_pages(reader, [url for url, _ in self._service.store.body_digests(scope)])
            home = _read(reader, "/") if "/" in urls[:1] else None
            max_bytes = self._project.settings.section(LlmsSettings).max_kb * 1000
            self._lists[key] = _Lists(reader, self._site(scope, home), urls, max_bytes)
            while len(self._lists) > _MAX_GENERATIONS:
                self._lists.popitem(last=False)
        self._lists.move_to_end(key)
        return self._lists[key]

    def _site(self, scope: Scope, home: Page | None) -> AgentSite:
        base = self._service.site_of(scope.name).path
        return agent_site(self._project.settings, self._project.id, base, home, origin="")


class _Lists:
    """Lists of one generation; each text is built at its first request."""

    def __init__(self, reader: IndexReader, site: AgentSite, urls: Sequence[str], max_bytes: int) -> None:
        self._reader = reader
        self._site = site
        self._urls = urls
        self._max_bytes = max_bytes
        self._texts: OrderedDict[str, bytes] = OrderedDict()

    def text(self, name: str) -> bytes | None:
        if name in self._texts:
            self._texts.move_to_end(name)
            return self._texts[name]
        indexes, fulls = self._files
        if name in indexes:
            return utf8(indexes[name])
        if name not in fulls:
            return None
        pages = [_read(self._reader, entry.url) for entry in fulls[name].pages]
        self._texts[name] = utf8(joined(fulls[name], [render_markdown(page, self._site) for page in pages if page]))
        while len(self._texts) > _MAX_TEXTS:
            self._texts.popitem(last=False)
        return self._texts[name]

    @cached_property
    def _files(self) -> tuple[Mapping[str, str], Mapping[str, FullFile]]:
        pages = (page for url in self._urls if (page := _read(self._reader, url)))
        entries = [entry_of(page, len(utf8(render_markdown(page, self._site)))) for page in pages]
        fulls = full_files(self._site, entries, self._max_bytes)
        return dict(index_files(self._site, entries)), {file.name: file for file in fulls}


def _read(reader: IndexReader, url: str) -> Page | None:
    """Read a page of a generation; None if it has no such page."""
    text = reader.catalogue.page_body(url)
    return parse_page(text) if text is not None else None


def add_endpoints(context: AppContext) -> Added:
    """Serve the lists at the root and in each folder, and every page at its address with `.md`."""
    return Added(any_path=partial(_add_texts, context))


def _add_texts(context: AppContext) -> None:
    app, service, freshness = context.app, context.service, context.freshness
    texts = AgentTexts(context.project, service)

    async def answer(
        request: Request, scope: str | None, media_type: str, make: Callable[[Scope], AgentText | None]
    ) -> Response:
        caller = caller_of(request)
        if unchanged := freshness.unchanged(request, caller, scope):
            return unchanged
        text = await run_in_threadpool(lambda: make(service.scopes.find(scope, trusted=caller.trusted)))
        if text is None:
            raise HTTPException(404)
        headers = freshness.headers(request, caller, text.scope, text.generation)
        base = service.site_of(text.scope).path
        links = [f'<{base}/{INDEX}>; rel="describedby"; type="text/plain"']
        if text.canonical:
            links.insert(0, f'<{text.canonical}>; rel="canonical"')
        headers["link"] = ", ".join(link for link in links if link.isascii())
        return Response(text.data, headers=headers, media_type=media_type)

    async def get_list(request: Request, scope: str | None = None) -> Response:
        path = request.url.path
        return await answer(request, scope, "text/plain", lambda named_scope: texts.file(path, named_scope))

    async def get_markdown(request: Request, scope: str | None = None) -> Response:
        raw = request.scope["raw_path"].partition(b"?")[0].decode("latin-1")
        return await answer(request, scope, "text/markdown", lambda named_scope: texts.page(raw, named_scope))

    for name in _LISTS:
        app.get(f"/{name}", include_in_schema=False)(get_list)
        app.get(f"/{{folder:path}}/{name}", include_in_schema=False)(get_list)
    app.get("/{page:path}.md", include_in_schema=False)(get_markdown)
