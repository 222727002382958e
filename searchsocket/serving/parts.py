"""The parts of extensions that answer over a project."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import NamedTuple, Protocol

from searchsocket.extensions import extensions
from searchsocket.extensions.base import load
from searchsocket.project.project import Project
from searchsocket.project.settings.model import Settings
from searchsocket.search.answer import Note
from searchsocket.search.content.folder import ContentFolder
from searchsocket.serving.service import OnError
from searchsocket.stores.base.vector_store import Readers
from searchsocket.types import Scope


class Keeping(NamedTuple):
    """The process may keep what an extension indexes up to date."""

    may_sync: bool  # agents may index changes
    scope: str | None = None  # the only scope to keep; None: the checkout's


@dataclass(frozen=True, slots=True)
class PartContext:
    """A project, and how its services are opened."""

    project: Project
    environ: Mapping[str, str]
    clock: Callable[[], datetime]
    on_error: OnError
    site: Readers | None = None  # the indexes of its pages, if they are open already
    keeping: Keeping | None = None  # None: nothing is kept up to date


class RankedFiles(NamedTuple):
    """Results of a search for documents, best first, and the generation that answered."""

    urls: Sequence[str]
    scores: Sequence[float]
    generation: str


class Part(Protocol):
    """An extension that was opened for one project. Only trusted callers may read its documents."""

    @property
    def may_sync(self) -> bool:
        """Return True if agents may index changes."""

    def folder(self, folder_id: str, scope: Scope, *, anonymous: bool) -> ContentFolder:
        """Open the documents of a scope.

        Raises:
            ScopeNotIndexed: They are not indexed.
        """

    def find_documents(self, query: str, scope: str) -> RankedFiles:
        """Search for documents; raises as `folder`."""

    def sync_if_stale(self, scope: str, *, first: bool, next_step: str) -> tuple[Note, ...]:
        """Index changes before an answer, and return notes about what is not searched.

        Args:
            first: Also index what was never indexed.
            next_step: How the caller can update the index, for a note.
        """

    def check(self, scope: str) -> None:
        """Raise the error of the first search."""


def open_parts(context: PartContext) -> Mapping[str, Callable[[], Part]]:
    """Return a function for each extension that opens its part, once, at the first use."""

    def opener(place: str) -> Callable[[], Part]:
        return cache(lambda: load(place)(context))

    return {extension.name: opener(extension.services) for extension in extensions() if extension.services}


def enabled_parts(settings: Settings, parts: Mapping[str, Callable[[], Part]]) -> Mapping[str, Callable[[], Part]]:
    """Return the parts of the extensions that are on."""
    on = {extension.name for extension in extensions() if extension.is_on(settings)}
    return {name: part for name, part in parts.items() if name in on}
