"""Send requests to the applications of several projects inside this process."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from starlette.responses import Response
from starlette.types import Message, Scope

from search_api.errors import problem
from searchsocket.extensions.fleet.api import ServedSite
from searchsocket.extensions.fleet.api.merged_answers import SiteReply, merged_answer
from searchsocket.search.bounds import MAX_TOP_K
from searchsocket.system.json_text import JsonObject

TIMEOUT_S = 5.0  # of one project; the others' answers wait for it
_OWN_HEADERS = frozenset({b"accept-encoding", b"if-none-match", b"content-length", b"transfer-encoding", b"host"})
_ALONE = ("maxTokens", "continuationToken")  # an answer over several sites has no parts
_USUAL_TOP_K = 10


class SiteSearcher:
    """Sends requests to the applications of the projects, inside this process."""

    def __init__(self, sites: Sequence[ServedSite]) -> None:
        self._sites = sites

    async def search_by_url(self, scope: Scope, parameters: Sequence[tuple[str, str]]) -> Response:
        """Search all projects by a query string."""
        named = dict(parameters)
        if (page := _page_of(named)) is None:
            return _refusal()
        shared = [(name, value) for name, value in parameters if name not in _PAGE_FIELDS]
        query = urlencode([*shared, ("topK", page.candidates)]).encode()
        return merged_answer(await self.ask_all(scope, _search_path, query), page.top_k, page.offset)

    async def search_by_body(self, scope: Scope, fields: JsonObject | None) -> Response:
        """Search all projects by the fields of a body."""
        if fields is None or (page := _page_of(fields)) is None:
            return _refusal()
        shared = {name: value for name, value in fields.items() if name not in _PAGE_FIELDS}
        body = json.dumps({**shared, "topK": page.candidates}).encode()
        return merged_answer(await self.ask_all(scope, _search_path, body=body), page.top_k, page.offset)

    async def ask_all(
        self, scope: Scope, path: Callable[[ServedSite], str], query: bytes = b"", *, body: bytes = b""
    ) -> list[SiteReply]:
        """Ask every project at once."""
        return list(
            await asyncio.gather(*(self.ask(site, scope, path(site), query, body=body) for site in self._sites))
        )

    async def ask(
        self, site: ServedSite, scope: Scope, path: str, query: bytes = b"", *, body: bytes = b""
    ) -> SiteReply:
        """Ask a project; the key of another project counts as no key."""
        reply = await self._ask(site, scope, path, query, body, frozenset())
        if reply.status == 401:
            return await self._ask(site, scope, path, query, body, frozenset({b"authorization"}))
        return reply

    async def _ask(
        self, site: ServedSite, scope: Scope, path: str, query: bytes, body: bytes, without: frozenset[bytes]
    ) -> SiteReply:
        if site.app is None:
            return SiteReply(site, 503)
        headers = [(name, value) for name, value in scope["headers"] if name not in _OWN_HEADERS | without]
        headers.append((b"host", b"localhost"))  # the caller's Host header was checked before
        if body:
            headers = [header for header in headers if header[0] != b"content-type"]
            headers += [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        own = {
            **scope,
            "method": "POST" if body else "GET",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query,
            "headers": headers,
            "state": {},
        }
        exchange = _Exchange(body)
        try:
            async with asyncio.timeout(TIMEOUT_S):
                await site.app(own, exchange.receive, exchange.send)
        except TimeoutError:
            return SiteReply(site, 504)
        return SiteReply(site, exchange.status, tuple(exchange.headers), bytes(exchange.body))


class _Exchange:
    """One exchange with an application: sends it a body and collects its response."""

    def __init__(self, body: bytes) -> None:
        self._messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        self.status = 500
        self.headers: list[tuple[bytes, bytes]] = []
        self.body = bytearray()

    async def receive(self) -> Message:
        if self._messages:
            return self._messages.pop()
        await asyncio.Event().wait()  # the caller stays connected
        raise AssertionError

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], list(message["headers"])
        else:
            self.body += message.get("body", b"")


class _Page(NamedTuple):
    """A page of the merged results."""

    top_k: int
    offset: int

    @property
    def candidates(self) -> int:
        """Number of results to request from each project."""
        return max(min(self.top_k + self.offset, MAX_TOP_K), 1)


_PAGE_FIELDS = ("topK", "offset", "generation")


def _page_of(fields: JsonObject) -> _Page | None:
    """Return the requested page; None if it is invalid."""
    try:
        page = _Page(int(fields.get("topK") or _USUAL_TOP_K), int(fields.get("offset") or 0))
    except (TypeError, ValueError):
        return None
    is_possible = 1 <= page.top_k <= MAX_TOP_K and page.offset >= 0
    return page if is_possible and not any(name in fields for name in _ALONE) else None


def _refusal() -> Response:
    message = (
        f"a search over several sites takes topK from 1 to {MAX_TOP_K}, offset, and neither {' nor '.join(_ALONE)}"
    )
    return problem(400, "INVALID_REQUEST", message)


def _search_path(site: ServedSite) -> str:
    return site.project.settings.api.path


def json_object(body: bytes) -> JsonObject | None:
    """The JSON object in a body; None if there is none."""
    try:
        fields = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None
