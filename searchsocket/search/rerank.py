"""Having the best candidates of a query judged once more: what is sent, and what is made of no answer (spec 13.2)."""

from collections.abc import Sequence
from dataclasses import dataclass

from searchsocket.rerankers.judge import Judge, NotJudged
from searchsocket.search.answer import Note
from searchsocket.search.notes import NOT_JUDGED
from searchsocket.search.ranking.fusion import Fused
from searchsocket.search.ranking.judged import judged
from searchsocket.search.ranking.rank import Parts, Ranked
from searchsocket.stores.base import Candidates, IndexReader, ReadableRecord
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


def rerank(
    judge: Judge, reader: IndexReader, q: str, found: Candidates, ranked: Sequence[Ranked], *, anonymous: bool
) -> Scores | Note:
    """What the reranker says of the candidates, see `judged`; or why it says nothing.

    Args:
        ranked: Best first; the first `rerank.max_candidates` are sent.
    """
    sent = [chunk.position for chunk in ranked[: judge.settings.max_candidates]]
    records = reader.catalogue.readable([found.ids[position] for position in sent])
    texts = [_text(record)[: judge.settings.max_chars] for record in records]
    scores = judge.scores(q, texts, anonymous=anonymous)
    return NOT_JUDGED[scores] if isinstance(scores, NotJudged) else judged(sent, scores, len(found.ids))


def _text(found: ReadableRecord) -> str:
    """A chunk with its title and headings, as it is embedded."""
    page, at = found.record.page, found.record.chunk.at
    path = at.heading_path if at.title in ("", *at.heading_path) else (*at.heading_path, at.title)
    head = [page.title, " > ".join(part for part in path if part != page.title)]
    return "\n".join([*filter(None, head), found.text.text])
