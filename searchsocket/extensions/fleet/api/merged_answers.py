"""Merge the answers of several projects by confidence, which is comparable between projects."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain

from starlette.responses import JSONResponse, Response

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
