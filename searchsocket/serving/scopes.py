"""Resolve the scope of a request, and check that the caller may read it (spec 14.3)."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Protocol, runtime_checkable

from searchsocket.errors import ScopeRefused, SearchSocketError
from searchsocket.project.project import Project
from searchsocket.types import Scope

NOTHING_PUBLIC = "no scope is public, so a search needs the key; to change this, set api.scopes"


@runtime_checkable
class PublishedScopes(Protocol):
    """A store that knows the public scopes of its project, because they were pushed with the index."""

    def public_scopes(self) -> tuple[str, ...]:
        """Names of the public scopes, the default first; empty = none."""


class ReadableScopes:
    """The scopes that callers may read: the public ones; for trusted callers, all."""

    def __init__(
        self, project: Project, environ: Mapping[str, str], published: Callable[[], tuple[str, ...]] | None = None
    ) -> None:
        """
        Args:
            published: The public scopes of a pushed project, which may change; None = the index is this machine's.
        """
        self._project = project
        self._environ = environ
        self._published = None if project.settings.api.scopes else published

    @property
    def public(self) -> tuple[str, ...]:
        """Names of the public scopes, the default first; empty = none.

        Those of `api.scopes`; else those that were pushed with the index; else, for an index of this machine, the
        resolved scope alone.

        Raises:
            InvalidScope, ConfigMissing: No scope can be resolved.
        """
        return self._own_first(self._published()) if self._published else self._configured_scopes

    @property
    def default(self) -> str:
        """Name of the scope of a request that names none; strangers may not read it if no scope is public."""
        return next(iter(self.public), "") or self._resolve(None).name

    @cached_property
    def _configured_scopes(self) -> tuple[str, ...]:
        """Names of the public scopes by the settings of this machine; raises as `public`."""
        listed = tuple(dict.fromkeys(self._resolve(name).name for name in self._project.settings.api.scopes))
        return self._own_first(listed) or (self._resolve(None).name,)

    def _own_first(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Names with the resolved scope at the front, if it is one of them."""
        own = self._own
        return (own, *(name for name in names if name != own)) if own in names else names

    @cached_property
    def _own(self) -> str:
        """Name of the resolved scope; "" if none can be resolved."""
        with suppress(SearchSocketError):
            return self._resolve(None).name
        return ""

    def check(self) -> None:
        """Raise an error now if the first query would fail.

        Raises:
            InvalidScope, ConfigMissing: As `public`.
        """
        _ = self.public

    def find(self, name: str | None, *, trusted: bool) -> Scope:
        """Return a requested scope, by its name or by a branch name; None means the default scope.

        Raises:
            InvalidScope: The name is not a valid scope name.
            ScopeRefused: The caller may not read this scope.
        """
        if not (trusted or self.public):
            raise ScopeRefused(NOTHING_PUBLIC)
        if name is None:
            return self._project.scope_named(self.default)
        if not trusted and name in self.public:
            return self._project.scope_named(name)
        scope = self._resolve(name)
        if not trusted and scope.name not in self.public:
            raise ScopeRefused(f"scope {name[:80]!r} cannot be read without a key")
        return scope

    def _resolve(self, name: str | None) -> Scope:
        return self._project.scope(self._environ, name)
