"""Resolve the scope of a request, and check that the caller may read it (spec 14.3)."""

from collections.abc import Mapping
from functools import cached_property

from searchsocket.errors import ScopeRefused, SearchSocketError
from searchsocket.project.project import Project
from searchsocket.types import Scope


class ReadableScopes:
    """Anyone may read the public scopes of a project; who is trusted, every scope."""

    def __init__(self, project: Project, environ: Mapping[str, str]) -> None:
        self._project = project
        self._environ = environ

    @cached_property
    def public(self) -> tuple[str, ...]:
        """Names of the public scopes, the default first: `api.scopes`, else the resolved scope alone.

        Raises:
            InvalidScope, ConfigMissing: No scope can be resolved.
        """
        listed = tuple(dict.fromkeys(self._resolve(name).name for name in self._project.settings.api.scopes))
        try:
            own = self._resolve(None).name
        except SearchSocketError:
            if listed:
                return listed
            raise
        if not listed:
            return (own,)
        return (own, *(name for name in listed if name != own)) if own in listed else listed

    def check(self) -> None:
        """Refuse now what would fail at the first query.

        Raises:
            InvalidScope, ConfigMissing: As `public`.
        """
        _ = self.public

    def find(self, name: str | None, *, trusted: bool) -> Scope:
        """The scope that is asked for: a final name, or a branch name; None means the default.

        Raises:
            InvalidScope: The name cannot be one.
            ScopeRefused: It is not one that this caller may read.
        """
        if name is None:
            return self._project.scope_named(self.public[0])
        if not trusted and name in self.public:
            return self._project.scope_named(name)
        scope = self._resolve(name)
        if not trusted and scope.name not in self.public:
            raise ScopeRefused(f"scope {name[:80]!r} cannot be read without a key")
        return scope

    def _resolve(self, name: str | None) -> Scope:
        return self._project.scope(self._environ, name)
