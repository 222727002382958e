"""Caching: ETags and cache headers of answers."""

import hashlib

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response

from searchsocket import __version__
from searchsocket.project.project import Project
from searchsocket.serving.capabilities.base import Caller
from searchsocket.serving.service import SearchService

_VARY = "Authorization, Accept"


class Freshness:
    """Sets the cache headers of GET answers, and answers 304.

    An answer stays valid until the generation, the settings, `curation.toml` or the caller's tier change.
    The ETag is weak: an answer also contains its own age and time.
    """

    def __init__(self, project: Project, service: SearchService) -> None:
        self._service = service
        settings = project.settings
        self._salt = hashlib.sha256(f"{__version__} {project.id} {settings!r}".encode()).hexdigest()
        age = settings.api.max_age_s
        self._public = f"public, max-age={age}" if age else "public, no-cache"

    def headers(self, request: Request, caller: Caller, scope: str, generation: str) -> dict[str, str]:
        """Return the cache headers of an answer from a generation of a scope."""
        return {
            "etag": self._tag(request, caller, scope, generation),
            "cache-control": "private, no-cache" if caller.trusted else self._public,
            "vary": _VARY,
        }

    def unchanged(self, request: Request, caller: Caller, scope: str | None) -> Response | None:
        """Return a 304 if the caller's cached answer is current; None if a new answer is needed.

        Raises:
            InvalidScope, ScopeRefused: As `ReadableScopes.find`.
        """
        sent = request.headers.get("if-none-match")
        if not sent:
            return None
        indexed_scope = self._service.scopes.find(scope, trusted=caller.trusted)
        reader = self._service.store.open_reader(indexed_scope)
        if reader is None:
            return None
        headers = self.headers(request, caller, indexed_scope.name, reader.generation.name)
        tags = {tag.strip().removeprefix("W/") for tag in sent.split(",")}
        return Response(status_code=304, headers=headers) if headers["etag"].removeprefix("W/") in tags else None

    def _tag(self, request: Request, caller: Caller, scope: str, generation: str) -> str:
        http_scope = request.scope
        parts = (
            self._salt, self._service.engine.curation.version(), str(caller.trusted), scope, generation,
            Headers(scope=http_scope).get("accept", ""),
            http_scope["path"], http_scope["raw_path"].decode("latin-1"), http_scope["query_string"].decode("latin-1"),
        )  # fmt: skip
        return f'W/"{hashlib.sha256(chr(0).join(parts).encode("utf-8", "replace")).hexdigest()[:32]}"'
