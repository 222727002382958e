"""Group ranked chunks by page, with the best sections of each page."""

from collections.abc import Sequence
from dataclasses import dataclass

from searchsocket.search.ranking.rank import Ranked
from searchsocket.stores.base import Facts
from searchsocket.types import Scores

MAX_SECTIONS = 3
# One more than are shown: the section that answers may contain fewer of the words (quoting/choice.py).
MAX_COMPARED_SECTIONS = 4


@dataclass(frozen=True, slots=True)
class PageGroup:
    """A page with its best chunk and the best chunk of each of its best sections."""

    best: Ranked
    sections: tuple[Ranked, ...]  # by score, at most `MAX_COMPARED_SECTIONS`; with that of `best`, without the summary
    lead: Ranked | None = None  # best chunk of a better translation of the page, which decides score and confidence
    languages: tuple[str, ...] = ()  # of the page and its translations among the candidates; () if it has none

    @property
    def scored(self) -> Ranked:
        """The chunk that decides score and confidence."""
        return self.lead or self.best


def group_by_page(ranked: Sequence[Ranked], facts: Facts, top_k: int, scores: Scores | None = None) -> list[PageGroup]:
    """Return at most `top_k` pages, in the order of their first chunks.

    Args:
        ranked: Chunks by the rank of their page, then by their own.
        scores: Score of each candidate's page; None: a page has the score of its best chunk.
    """
    pages: dict[str, list[Ranked]] = {}
    for chunk in ranked:
        pages.setdefault(facts.url[chunk.position], []).append(chunk)
    return [
        PageGroup(best if scores is None else Ranked(float(scores[best.position]), best.position), sections)
        for chunks in list(pages.values())[:top_k]
        for best, sections in [(chunks[0], _best_sections(chunks, facts))]
    ]


def best_of_pages(ranked: Sequence[Ranked], urls: Sequence[str]) -> list[int]:
    """Return the position of the best chunk of each page, best first."""
    pages: dict[str, int] = {}
    for chunk in ranked:
        pages.setdefault(urls[chunk.position], chunk.position)
    return list(pages.values())


def each_alone(ranked: Sequence[Ranked], top_k: int) -> list[PageGroup]:
    """Return at most `top_k` chunks, each as a group of its own."""
    return [PageGroup(chunk, ()) for chunk in ranked[:top_k]]


def _best_sections(chunks: Sequence[Ranked], facts: Facts) -> tuple[Ranked, ...]:
    """Return one chunk per section: a long section has several chunks with the same anchor."""
    sections: dict[str, Ranked] = {}
    for chunk in chunks:
        if facts.kind[chunk.position] == "section":
            sections.setdefault(facts.anchor[chunk.position], chunk)
    return tuple(list(sections.values())[:MAX_COMPARED_SECTIONS])
