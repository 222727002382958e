"""Merge translations of a page into one result, in the language of the visitor or of the query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from searchsocket.search.query import SearchQuery
from searchsocket.search.ranking.rank import Ranked, best_of_pages
from searchsocket.stores.base.index_reader import Candidates, IndexReader
from searchsocket.stores.base.labels import LANGUAGE
from searchsocket.web.languages.codes import ORIGINAL, can_be_in, is_same_language, original_of

# The original wins against a translation with a slightly better score, since names are the same in every language.
_NEARLY = 0.8


@dataclass(frozen=True, slots=True)
class Translated:
    """Translations of one page among the candidates."""

    languages: tuple[str, ...]  # that of the shown page first, the others by score
    lead: Ranked | None  # best chunk of the best translation, if that is not the shown page and results are pages


def merges_translations(reader: IndexReader, query: SearchQuery) -> bool:
    """Return True if pages of the index have translations, and the query has no language filter."""
    return ORIGINAL in reader.catalogue.facet_names() and not any(name == LANGUAGE for name, _ in query.filters)


def merge_translations(
    reader: IndexReader, query: SearchQuery, candidates: Candidates, ranked: Sequence[Ranked]
) -> tuple[Sequence[Ranked], Mapping[str, Translated]]:
    """Return the chunks without those of hidden translations, and the translations of each shown page by its URL.

    Pages that share an original are translations. A page without any word of the query hides no translation that has
    one. If results are pages, the shown page gets the rank of its best translation; if they are chunks, each keeps its
    rank.
    """
    if not merges_translations(reader, query):
        return ranked, {}
    urls, by_page = candidates.facts.url, query.group_by == "page"
    first = {urls[chunk.position]: chunk for chunk in reversed(ranked)}  # best chunk of each page
    positions = best_of_pages(ranked, urls)
    ids = [candidates.ids[position] for position in positions]
    pages: dict[str, list[tuple[str, str]]] = {}
    labels, languages = reader.catalogue.facets(ids), reader.catalogue.languages_of(ids)
    for position, own_labels, language in zip(positions, labels, languages, strict=True):
        url = urls[position]
        pages.setdefault(original_of(own_labels) or f"#{url}", []).append((url, language))
    translated: dict[str, Translated] = {}
    order: dict[str, int] = {}  # rank of each shown page
    shares = _word_shares(reader, query, candidates) if any(len(group) > 1 for group in pages.values()) else {}
    for rank, (original, group) in enumerate(pages.items()):
        matching = [page for page in group if shares.get(page[0])] or group
        distances = {url: _distance(language, query) for url, language in matching}
        if original in distances and first[original].score >= _NEARLY * first[group[0][0]].score:
            distances[original] -= 0.5
        url = min(distances, key=distances.__getitem__)
        language = dict(group)[url]
        order[url] = rank
        if len(group) > 1:
            other_languages = (name for page, name in group if page != url and name)
            lead = first[group[0][0]] if by_page and group[0][0] != url else None
            translated[url] = Translated(tuple(dict.fromkeys((language, *other_languages))), lead)
    visible = [chunk for chunk in ranked if urls[chunk.position] in order]
    if by_page:
        visible.sort(key=lambda chunk: order[urls[chunk.position]])
    return visible, translated


def _word_shares(reader: IndexReader, query: SearchQuery, candidates: Candidates) -> Mapping[str, float]:
    """Return the share of the query's words in the best candidate of each page, by URL."""
    shares: dict[str, float] = {}
    for url, share in zip(candidates.facts.url, reader.words.word_proximity(query.q, candidates.ids), strict=True):
        shares[url] = max(shares.get(url, 0.0), share)
    return shares


def _distance(language: str, query: SearchQuery) -> float:
    """Return the distance of a page's language from that of the visitor, else from that of the query."""
    preferred = query.prefer_language
    if preferred and language.lower().replace("_", "-") == preferred:
        return 0
    if preferred and language and is_same_language(language, preferred):
        return 1
    return 2 if not language or can_be_in(query.q, language) else 3
