"""Group results by page, or keep chunks, and collapse copies and translations."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from searchsocket.content.markdown.plain_text import ChunkText
from searchsocket.search.query import SearchQuery
from searchsocket.search.ranking.alike import MAX_COMPARED, collapsed
from searchsocket.search.ranking.fusion import FusedScores
from searchsocket.search.ranking.group import PageGroup, best_of_pages, each_alone, group_by_page
from searchsocket.search.ranking.rank import Ranked
from searchsocket.search.translations import Translated, merge_translations
from searchsocket.stores.base import Candidates, IndexReader
from searchsocket.types import Scores


def result_groups(
    reader: IndexReader,
    query: SearchQuery,
    candidates: Candidates,
    ranked: Sequence[Ranked],
    fused: FusedScores,
    scores: Scores | None,
    *,
    collapses: bool,
) -> tuple[list[PageGroup], int, Mapping[int, tuple[int, ...]]]:
    """The results of one answer, how many there are in all, and by the position of a best chunk those of its copies.

    Copies and translations do not depend on the offset.

    Args:
        collapses: Whether copies are looked for.
    """

    def texts(positions: Sequence[int]) -> list[ChunkText]:
        return [one.text for one in reader.catalogue.readable([candidates.ids[at] for at in positions])]

    urls, last = candidates.facts.url, query.offset + query.top_k
    is_by_page = query.group_by == "page"
    ranked, translated = merge_translations(reader, query, candidates, ranked)
    best = best_of_pages(ranked, urls) if is_by_page else [chunk.position for chunk in ranked]
    alike = collapsed(best[:MAX_COMPARED], urls, fused, texts) if collapses else {}
    others = {position for positions in alike.values() for position in positions}
    count = last + len(others)
    groups = group_by_page(ranked, candidates.facts, count, scores) if is_by_page else each_alone(ranked, count)
    if others:
        groups = [group for group in groups if group.best.position not in others]
    groups = groups[query.offset : last]
    if translated:
        groups = [_among_translations(group, translated.get(urls[group.best.position]), scores) for group in groups]
    return groups, len(best) - len(others), alike


def _among_translations(group: PageGroup, translated: Translated | None, scores: Scores | None) -> PageGroup:
    """The group of a page with its languages, and with the chunk that decides where it stands."""
    if translated is None:
        return group
    lead = translated.lead
    if lead is not None and scores is not None:
        lead = Ranked(float(scores[lead.position]), lead.position)
    return replace(group, lead=lead, languages=translated.languages)
