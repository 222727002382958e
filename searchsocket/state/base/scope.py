"""What is known of one scope, as a stage has it open."""

from contextlib import AbstractContextManager
from typing import Protocol

from searchsocket.state.base.chunks import ChunkTable
from searchsocket.state.base.extracts import Extracts
from searchsocket.state.base.history import History
from searchsocket.state.base.inventory import Inventory
from searchsocket.state.base.links import LinkGraph
from searchsocket.state.base.mirror import MirrorTable
from searchsocket.state.base.origin import Origin
from searchsocket.state.base.problems import Problems
from searchsocket.state.base.published import Published
from searchsocket.state.base.titles import Titles


class ScopeState(Protocol):
    """One scope, open for one stage: a part for each thing that is known.

    Numbers of pages and positions of chunks are the implementation's own: they mean something in this scope as long as
    it is open. What streams is read while it is consumed, and no write may come in between unless it says so.
    """

    @property
    def pages(self) -> Inventory: ...
    @property
    def extracts(self) -> Extracts: ...
    @property
    def links(self) -> LinkGraph: ...
    @property
    def titles(self) -> Titles: ...
    @property
    def mirror(self) -> MirrorTable: ...
    @property
    def chunks(self) -> ChunkTable: ...
    @property
    def problems(self) -> Problems: ...
    @property
    def published(self) -> Published: ...
    @property
    def history(self) -> History: ...
    @property
    def origin(self) -> Origin: ...

    def transaction(self) -> AbstractContextManager[None]:
        """What is written inside is written whole or not at all; nested in another, it belongs to that one."""

    def release_memory(self) -> None:
        """Give back what reading keeps in memory; the next read takes it again."""
