"""Send requests to the applications of several projects, and merge their answers by confidence."""

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import NamedTuple
from urllib.parse import urlencode

from starlette.responses import JSONResponse, Response
from starlette.types import Message, Scope

from search_api.errors import problem
from searchsocket.errors import IndexLoading
from searchsocket.extensions.fleet.api import ServedSite
from searchsocket.search.bounds import MAX_TOP_K
from searchsocket.system.json_text import JsonObject

UNAVAILABLE = "SITE_UNAVAILABLE"
_QUALITIES = ("rejected", "weak", "answered")
_CANNOT_MATCH = frozenset({"UNKNOWN_FACET", "UNKNOWN_VERSION"})  # filters that a site does not have
_OWN_TO_A_HOP = (b"x-request-id", b"access-control-", b"vary")  # the outer application adds these itself
_TIMINGS = ("embed", "vector", "keyword", "rerank", "total")

TIMEOUT_S = 5.0  # of one project; the others' answers wait for it
_OWN_HEADERS = frozenset({b"accept-encoding", b"if-none-match", b"content-length", b"transfer-encoding", b"host"})
_ALONE = ("maxTokens", "continuationToken")  # an answer over several sites has no parts
_USUAL_TOP_K = 10


@dataclass(frozen=True, slots=True)
class SiteReply:
    """The response of one project."""

    site: ServedSite
    status: int
    headers: tuple[tuple[bytes, bytes], ...] = ()
    body: bytes = b""

    def json(self) -> JsonObject:
        """The body; empty if it is not JSON."""
        try:
            data = json.loads(self.body)
        except ValueError:
            return {}
        return data if isinstance(data, dict) else {}

    @property
    def error_code(self) -> str:
        """The code of the error; "" without an error."""
        return str(self.json().get("error", {}).get("code", "")) if self.status != 200 else ""

    def header(self, name: bytes) -> str:
        """The first value of a header; "" without the header."""
        return next((value.decode("latin-1") for key, value in self.headers if key.lower() == name), "")

    def response(self) -> Response:
        """Return the response to the caller, without headers that the outer application adds itself."""
        response = Response(self.body, self.status)
        response.raw_headers = [each for each in self.headers if not each[0].lower().startswith(_OWN_TO_A_HOP)]
        return response


def unavailable(status: int) -> Response:
    """The response if a site does not exist, or could not start."""
    if status == 404:
        return problem(404, "NOT_FOUND", "no such site")
    return problem(503, UNAVAILABLE, "this site could not start; see the log of the service", {"retry-after": "60"})


def merged_answer(replies: Sequence[SiteReply], top_k: int, offset: int) -> Response:
    """Merge the replies into one answer; an error only if no project has an answer."""
    answers = [(reply, reply.json()) for reply in replies if reply.status == 200]
    if not answers:
        return _error(replies)
    notes = [
        {"code": UNAVAILABLE, "message": f"{reply.site.title} did not answer"}
        for reply in replies
        if reply.status != 200 and reply.error_code not in _CANNOT_MATCH
    ]
    quality = max((answer["quality"] for _, answer in answers), key=_QUALITIES.index)
    fitting = [(reply, answer) for reply, answer in answers if answer["quality"] == quality]
    results = [result for _, result in sorted(_with_sort_keys(fitting), key=lambda pair: -pair[0])]
    first = answers[0][1]
    timings = [answer["meta"]["timingsMs"] for _, answer in answers]
    merged = {
        **{name: first[name] for name in ("q", "scope", "groupBy")},
        "results": results[offset : offset + top_k],
        "total": min(sum(answer["total"] for _, answer in fitting), MAX_TOP_K),
        "quality": quality,
        "sites": [_site(reply, answer) for reply, answer in answers],
        "truncated": False,
        "continuationToken": None,
        "meta": {
            **first["meta"],
            "generation": _generation(answers),
            "timingsMs": {name: max(each[name] for each in timings) for name in _TIMINGS},
            "notes": [*notes, *(note for _, answer in answers for note in answer["meta"]["notes"])],
        },
    }
    if any("facets" in answer for _, answer in fitting):
        merged["facets"] = _facets([answer for _, answer in fitting])
    return JSONResponse(merged, headers=_rate_headers(replies))


def _with_sort_keys(answers: Sequence[tuple[SiteReply, JsonObject]]) -> Iterator[tuple[float, JsonObject]]:
    """Results with sort keys that keep the order of each site, since a pinned page may be less likely than the next."""
    for reply, answer in answers:
        confidences = [result["confidence"] for result in answer["results"]]
        keys = list(accumulate(reversed(confidences), max))[::-1]
        for key, result in zip(keys, answer["results"], strict=True):
            yield key, {**result, "origin": _origin(reply)}


def _origin(reply: SiteReply) -> dict[str, str]:
    return {"project": reply.site.name, "title": reply.site.title, "site": reply.site.address}


def _site(reply: SiteReply, answer: JsonObject) -> JsonObject:
    return {**_origin(reply), "total": answer["total"], "quality": answer["quality"], "scope": answer["scope"]}


def _generation(answers: Sequence[tuple[SiteReply, JsonObject]]) -> str:
    """One name for the generations of all sites."""
    names = "\n".join(f"{reply.site.name} {answer['meta']['generation']}" for reply, answer in answers)
    return hashlib.sha256(names.encode()).hexdigest()[:16]


def _facets(answers: Sequence[JsonObject]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for answer in answers:
        for name, values in answer.get("facets", {}).items():
            counts.setdefault(name, Counter()).update(values)
    return {name: dict(values) for name, values in counts.items()}


def _rate_headers(replies: Sequence[SiteReply]) -> dict[str, str]:
    """The limit of the project that has the fewest requests left for the caller."""
    limited = [reply for reply in replies if reply.header(b"ratelimit-remaining").isdigit()]
    if not limited:
        return {}
    scarce = min(limited, key=lambda reply: int(reply.header(b"ratelimit-remaining")))
    names = ("limit", "remaining", "reset")
    return {f"ratelimit-{name}": scarce.header(f"ratelimit-{name}".encode()) for name in names}


def _error(replies: Sequence[SiteReply]) -> Response:
    """Return the first error about the request; else that a site is being loaded, or that none is available."""
    about_request = (each for each in replies if 400 <= each.status < 500)
    loading = (each for each in replies if each.error_code == IndexLoading.code)
    reply = next(chain(about_request, loading), None)
    return reply.response() if reply else unavailable(503)


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
