"""Files marked as changed, for every query; the state is read again only after a write to it."""

from dataclasses import dataclass, field
from typing import NamedTuple

from searchsocket.state import ProjectState
from searchsocket.system.locators import path_of


class _FilesOfVersion(NamedTuple):
    version: object  # of the state
    files: frozenset[str]


@dataclass(frozen=True, slots=True)
class Marks:
    """The marked files of a project's scopes; safe to share between threads."""

    state: ProjectState
    _files_by_scope: dict[str, _FilesOfVersion] = field(default_factory=dict)

    def of(self, scope: str) -> frozenset[str]:
        """The paths of the marked files of a scope."""
        version = self.state.version()
        cached = self._files_by_scope.get(scope)
        if cached is None or cached.version != version:
            listed = self.state.listed(scope).values()
            cached = _FilesOfVersion(version, frozenset(path_of(file.locator) for file in listed if not file.is_cut))
            self._files_by_scope[scope] = cached
        return cached.files
