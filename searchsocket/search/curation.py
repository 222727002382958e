"""Apply the owner's rules to the candidates of a query: hide pages, add pinned ones, weigh directories."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np

from searchsocket.curation.rules import FILE_NAME, PageRule
from searchsocket.search.answer import AppliedRule
from searchsocket.search.candidates import selected
from searchsocket.search.ranking.rank import Ranked
from searchsocket.stores.base.index_reader import Candidates, IndexReader
from searchsocket.types import Filter, Vector
from searchsocket.web.urls.paths import normalise_prefix

_MAX_PINS = 20  # pages in one answer
_MAX_CHUNKS = 50  # of a pinned page that is not among the candidates


@dataclass(frozen=True, slots=True)
class Curated:
    """Candidates of a query after the rules of the owner."""

    candidates: Candidates
    pins: Mapping[str, int] = field(default_factory=dict)  # URL -> position in the answer, from 0
    hidden: int = 0  # candidates that were removed
    applied: tuple[AppliedRule, ...] = ()

    @property
    def has_only_pins(self) -> bool:
        """Return True if each candidate belongs to a pinned page."""
        return bool(self.pins) and all(url in self.pins for url in self.candidates.facts.url)

    def only_pins(self, reader: IndexReader) -> "Curated":
        """Keep only the pinned pages: the answer to a query without other results."""
        positions = [at for at, url in enumerate(self.candidates.facts.url) if url in self.pins]
        return replace(self, candidates=selected(reader, self.candidates, positions, [], None))


def curate(
    reader: IndexReader, candidates: Candidates, rules: Sequence[PageRule], where: Filter, vector: Vector | None
) -> Curated:
    """Apply the rules for a query. Hiding beats pinning; a pinned page must be in the index and match the filter.

    Args:
        rules: Rules for the query, see `Curation.matching`.
        vector: Vector of the query, to choose the passage of a pinned page; None: its first passage.
    """
    if not rules:
        return Curated(candidates)
    urls = candidates.facts.url
    hides = [rule for rule in rules if rule.effect == "hide"]
    hides_of = {url: [rule for rule in hides if rule.names(url)] for url in dict.fromkeys(urls)}
    visible = [at for at, url in enumerate(urls) if not hides_of[url]]
    pins_of = pinned_pages(rules, reader.generation.aliases)
    candidate_urls = {urls[at] for at in visible}
    added = {url: _chunks_of(reader, url, where) for url in pins_of if url not in candidate_urls}
    pages = [url for url in pins_of if url in candidate_urls or added[url]][:_MAX_PINS]
    added_ids = [id_ for url in pages for id_ in added.get(url, ())]
    if added_ids or len(visible) < len(urls):
        candidates = selected(reader, candidates, visible, added_ids, vector)
    candidates, pages_by_rule = _boost(candidates, [rule for rule in rules if rule.effect == "boost"])
    pages_by_rule |= {id(rule): [url for url, rules_of in hides_of.items() if rule in rules_of] for rule in hides}
    applied = [
        AppliedRule(
            f"{FILE_NAME}:{rule.line}",
            rule.effect,
            tuple(pages_by_rule.get(id(rule), (url for url in pages if rule in pins_of[url]))),
            tuple(url for url, pins in pins_of.items() if rule in pins and url not in pages),
        )
        for rule in rules
    ]
    return Curated(candidates, dict(zip(pages, count())), len(urls) - len(visible), tuple(applied))


def pinned_first(ranked: Sequence[Ranked], urls: Sequence[str], pins: Mapping[str, int]) -> Sequence[Ranked]:
    """Move the best chunk of each pinned page to the front, in the order of the pins."""
    if not pins:
        return ranked
    best: dict[str, Ranked] = {}
    for chunk in ranked:
        if urls[chunk.position] in pins:
            best.setdefault(urls[chunk.position], chunk)
    first = sorted(best.values(), key=lambda chunk: pins[urls[chunk.position]])
    return [*first, *(chunk for chunk in ranked if best.get(urls[chunk.position]) is not chunk)]


def pinned_pages(rules: Sequence[PageRule], aliases: Mapping[str, str]) -> Mapping[str, list[PageRule]]:
    """Return the pages to pin with their rules, in the order of the file; an old URL stands for its current page."""
    hides = [rule for rule in rules if rule.effect == "hide"]
    pages: dict[str, list[PageRule]] = {}
    for rule in rules:
        for page in rule.pages if rule.effect == "pin" else ():
            url = aliases.get(page, page)
            if not any(hide.names(url) for hide in hides):
                pages.setdefault(url, []).append(rule)
    return pages


def _chunks_of(reader: IndexReader, url: str, where: Filter) -> list[str]:
    """Return the records of a page that match the filter; empty if the page is not indexed or its author hid it."""
    prefix = normalise_prefix(url)
    if where.path_prefix and prefix != where.path_prefix and not prefix.startswith(f"{where.path_prefix}/"):
        return []
    ids = reader.words.holding((), where=replace(where, path_prefix=prefix))[:_MAX_CHUNKS]  # the page's own are first
    return [id_ for id_, page in zip(ids, reader.catalogue.facts(ids).url, strict=True) if page == url]


def _boost(candidates: Candidates, boosts: Sequence[PageRule]) -> tuple[Candidates, dict[int, list[str]]]:
    """Apply the factors of the rules to the candidates; also return the pages of each rule by its id."""
    if not boosts:
        return candidates, {}
    facts = candidates.facts
    pages_by_rule = {id(rule): [url for url in dict.fromkeys(facts.url) if rule.names(url)] for rule in boosts}
    factors = dict.fromkeys(facts.url, 1.0)
    for rule in boosts:
        for url in pages_by_rule[id(rule)]:
            factors[url] *= rule.factor
    weight = facts.weight * np.array([factors[url] for url in facts.url])
    return replace(candidates, facts=replace(facts, weight=weight)), pages_by_rule
