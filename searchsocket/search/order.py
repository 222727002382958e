"""The order of what was found, and how it came about."""

from collections.abc import Sequence
from dataclasses import dataclass

from searchsocket.search.answer import Note
from searchsocket.search.ranking.fusion import Fused
from searchsocket.search.ranking.rank import Parts, Ranked
from searchsocket.types import Scores


@dataclass(frozen=True, slots=True)
class Order:
    """The order of the candidates, and how it came about."""

    ranked: Sequence[Ranked]  # best first
    parts: Parts | None  # of pages, where those are ranked; None where there are no candidates
    scores: Scores | None = None  # of pages, by candidate; None where chunks are ranked
    fused: Fused | None = None  # of the chunks
    notes: tuple[Note, ...] = ()
    is_judged: bool = False  # by a reranker


NOTHING = Order((), None)
