"""What the live index and the chunks have in common, so that only what changed is looked at (stage `search_index`).

The store stays the truth: what is kept here counts only while the live generation is the very one that was published
from these chunks. Another one, none, or a count that does not fit, and everything is compared.
"""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from searchsocket.state.base.chunks import Text
from searchsocket.types import Generation


class Difference(NamedTuple):
    """A chunk that may differ from its record in the live generation."""

    id: str
    wanted: str | None  # record hash of the chunk; None: there is no such chunk
    live: str | None  # hash of the live record; None: there is none


class Published(Protocol):
    """What changed since the scope was published, whoever changed it."""

    def is_of(self, live: Generation | None) -> bool:
        """Whether the live generation holds what the chunks say, but for what `changes` names."""

    def changes(self) -> Iterator[Difference]:
        """The chunks that came, went or changed since, by rising id."""

    def changed_texts(self) -> Iterator[Text]:
        """The distinct texts of these, by rising hash.

        Raises:
            DamagedRow: One is no hash and number.
        """

    def set(self, live: Generation | None) -> None:
        """Remember that a generation holds exactly the chunks; None: it is not known what it holds."""

    def may_delete(self) -> bool:
        """Whether every page of the site is known and cut, so that a record without a chunk is a removed one's."""

    def cache_size(self) -> int:
        """Of the embedding cache when it last held every text; -1 = never."""

    def set_cache_size(self, size: int) -> None: ...
