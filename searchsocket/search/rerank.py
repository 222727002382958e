"""Send the best candidates of a query to the reranker, and return its scores or a note (spec 13.2)."""

from collections.abc import Sequence

from searchsocket.models.rerankers.judge import Judge, NotJudged
from searchsocket.search.answer import Note
from searchsocket.search.ranking.rank import Ranked, candidate_scores
from searchsocket.stores.base.index_reader import Candidates, IndexReader, ReadableRecord
from searchsocket.types import Scores

NOT_JUDGED = {
    NotJudged.UNAVAILABLE: Note("RERANKER_UNAVAILABLE", "the reranker failed, so results are in their original order"),
    NotJudged.TOO_SLOW: Note("RERANKER_TOO_SLOW", "the reranker timed out, so results are in their original order"),
    NotJudged.OVER_BUDGET: Note(
        "RERANKER_OVER_BUDGET",
        "today's budget for reranking is spent, so results are in their original order",
    ),
}


def rerank(
    judge: Judge, reader: IndexReader, q: str, candidates: Candidates, ranked: Sequence[Ranked], *, anonymous: bool
) -> Scores | Note:
    """Return the reranker's scores of the candidates, see `candidate_scores`; or a note if there are none.

    Args:
        ranked: Best first; the first `rerank.max_candidates` are sent.
    """
    positions = [chunk.position for chunk in ranked[: judge.settings.max_candidates]]
    records = reader.catalogue.readable([candidates.ids[position] for position in positions])
    texts = [_text(record)[: judge.settings.max_chars] for record in records]
    scores = judge.scores(q, texts, anonymous=anonymous)
    return (
        NOT_JUDGED[scores]
        if isinstance(scores, NotJudged)
        else candidate_scores(positions, scores, len(candidates.ids))
    )


def _text(readable: ReadableRecord) -> str:
    """Return a chunk with its title and headings, as it is embedded."""
    page, at = readable.record.page, readable.record.chunk.at
    path = at.heading_path if at.title in ("", *at.heading_path) else (*at.heading_path, at.title)
    head = [page.title, " > ".join(part for part in path if part != page.title)]
    return "\n".join([*filter(None, head), readable.text.text])
