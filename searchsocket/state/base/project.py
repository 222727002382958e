"""Everything that a project knows between runs, a part a scope."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from searchsocket.state.base.inventory import ListedFile
from searchsocket.state.base.scope import ScopeState
from searchsocket.types import Generation


class ProjectState(Protocol):
    """The states of a project's scopes. Stages of one scope are serial; those of different scopes run side by side."""

    def open(
        self, scope: str, on_damage: Callable[[str], None] = lambda message: None
    ) -> AbstractContextManager[ScopeState]:
        """The state of one scope, which is begun where there is none; closed afterwards.

        Args:
            on_damage: Hears what was wrong with a state that is begun anew.

        Raises:
            StateUnavailable: It cannot be read or written, or turned out damaged: then the next run begins anew.
                `PermissionDenied` where it is another user's.
        """

    def lock(
        self, scope: str, *, timeout_s: float = 0.0, on_wait: Callable[[str], None] = lambda owner: None
    ) -> AbstractContextManager[None]:
        """An advisory lock on one scope: every run takes it, and nothing else hinders who does not.

        The same thread may take it again. It ends with its process.

        Args:
            timeout_s: How long to wait for another owner; 0 = not at all.
            on_wait: Called before the wait, with who holds the lock.

        Raises:
            ScopeLocked: Another process or thread holds it.
            StateUnavailable: It cannot be taken; `PermissionDenied` where it is another user's.
        """

    def dry_copy(self) -> AbstractContextManager["ProjectState"]:
        """A throw-away copy, for a run that writes nothing; empty where the state is damaged or there is none.

        Raises:
            StateUnavailable: The state cannot be read.
        """

    def results_of(self, run_id: str) -> Sequence[Mapping[str, Any]]:
        """What the stages of a run reported, in the order in which they ended; see `History`."""

    def last_reports(self, stage: str) -> Mapping[str, Mapping[str, Any]]:
        """The newest report of a stage by scope, as far as it can be had without touching anything."""

    def last_report(self, scope: str, stage: str) -> Mapping[str, Any] | None:
        """The newest report of a stage of one scope, where it can be had without touching anything; else None."""

    def listed(self, scope: str) -> Mapping[str, ListedFile]:
        """The known pages of a scope by rising URL, as far as they can be had without touching anything."""

    def is_published(self, scope: str, live: Generation) -> bool:
        """Whether a generation holds all that the last run cut, as far as it can be had without touching anything."""

    def version(self) -> Hashable:
        """Another one whenever anything was written; cheap enough to be asked for with every query."""

    def last_ends(self) -> Mapping[str, str]:
        """When a stage last ended (ISO 8601) by scope, as far as it can be had without touching anything."""

    def branches(self) -> Mapping[str, str]:
        """Scope -> what its name was made of, where that is known and can be had without touching anything."""

    def own_texts(self) -> Mapping[str, int]:
        """How many chunks of each scope have a text that no other scope has; as far as that can be had likewise."""

    def scopes(self) -> list[str]:
        """The scopes that something is known of, by name.

        Raises:
            StateUnavailable: There is no state, or it cannot be read; it is left as it is.
        """

    def texts(self) -> Iterator[str]:
        """The hash of every text of every scope, distinct; streams. Raises what `scopes` does."""

    def forget(self, scope: str) -> None:
        """Delete all that is known of one scope; the caller holds its lock.

        Raises:
            StateUnavailable: It cannot be written.
        """
