"""Apply the owner's rules to the candidates of a query: hide pages, add pinned ones, weigh directories."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np

from searchsocket.project.settings.curation import FILE_NAME, PageRule
from searchsocket.search.answer import AppliedRule
from searchsocket.search.ranking.rank import Ranked
from searchsocket.stores.base import Candidates, IndexReader
from searchsocket.types import Filter, Scores, Vector
from searchsocket.web.urls.paths import normalise_prefix

_MAX_PINS = 20  # pages in one answer
_MAX_CHUNKS = 50  # of a pinned page that no list found


@dataclass(frozen=True, slots=True)
class Curated:
    """Candidates of a query after the rules of the owner."""

    candidates: Candidates
    pins: Mapping[str, int] = field(default_factory=dict)  # URL -> place in the answer, from 0
    hidden: int = 0  # candidates that were removed
    applied: tuple[AppliedRule, ...] = ()

    @property
    def has_only_pins(self) -> bool:
        """Return True if each candidate belongs to a pinned page."""
        return bool(self.pins) and all(url in self.pins for url in self.candidates.facts.url)

    def only_pins(self, reader: IndexReader) -> "Curated":
        """Leave the pinned pages alone: the answer to a query that has no other."""
        positions = [at for at, url in enumerate(self.candidates.facts.url) if url in self.pins]
        return replace(self, candidates=_with(reader, self.candidates, positions, [], None))


def curate(
    reader: IndexReader, candidates: Candidates, rules: Sequence[PageRule], where: Filter, vector: Vector | None
) -> Curated:
    """Apply the rules for a query. Hiding beats pinning; a pinned page must be in the index and match the filter.

    Args:
        rules: Those for the query, see `Curation.matching`.
        vector: Of the query, by which the passage of a pinned page is chosen; None = its first one.
    """
    if not rules:
        return Curated(candidates)
    urls = candidates.facts.url
    hides = [rule for rule in rules if rule.effect == "hide"]
    hidden = {url: [rule for rule in hides if rule.names(url)] for url in dict.fromkeys(urls)}
    positions = [at for at, url in enumerate(urls) if not hidden[url]]
    wanted = pinned_pages(rules, reader.generation.aliases)
    present = {urls[at] for at in positions}
    missing = {url: _chunks_of(reader, url, where) for url in wanted if url not in present}
    pages = [url for url in wanted if url in present or missing[url]][:_MAX_PINS]
    more = [id_ for url in pages for id_ in missing.get(url, ())]
    if more or len(positions) < len(urls):
        candidates = _with(reader, candidates, positions, more, vector)
    boosts = [rule for rule in rules if rule.effect == "boost"]
    candidates, boosted = _boosted(candidates, boosts)
    changed = {id(rule): [url for url, by in hidden.items() if rule in by] for rule in hides} | boosted
    applied = [
        AppliedRule(
            f"{FILE_NAME}:{rule.line}",
            rule.effect,
            tuple(url for url in pages if rule in wanted[url]) if rule.effect == "pin" else tuple(changed[id(rule)]),
            tuple(url for url in wanted if rule in wanted[url] and url not in pages),
        )
        for rule in rules
    ]
    return Curated(candidates, dict(zip(pages, count())), len(urls) - len(positions), tuple(applied))


def pinned_first(ranked: Sequence[Ranked], urls: Sequence[str], pins: Mapping[str, int]) -> Sequence[Ranked]:
    """The ranked chunks with the best one of each pinned page in front, in the order of the pins."""
    if not pins:
        return ranked
    best: dict[str, Ranked] = {}
    for chunk in ranked:
        if urls[chunk.position] in pins:
            best.setdefault(urls[chunk.position], chunk)
    first = sorted(best.values(), key=lambda chunk: pins[urls[chunk.position]])
    return [*first, *(chunk for chunk in ranked if best.get(urls[chunk.position]) is not chunk)]


def pinned_pages(rules: Sequence[PageRule], aliases: Mapping[str, str]) -> Mapping[str, list[PageRule]]:
    """The pages to pin with their rules, in the order of the file; an earlier address means the page it leads to."""
    hides = [rule for rule in rules if rule.effect == "hide"]
    pages: dict[str, list[PageRule]] = {}
    for rule in rules:
        for page in rule.pages if rule.effect == "pin" else ():
            url = aliases.get(page, page)
            if not any(hide.names(url) for hide in hides):
                pages.setdefault(url, []).append(rule)
    return pages


def _chunks_of(reader: IndexReader, url: str, where: Filter) -> list[str]:
    """The records of a page that match the filter; none if the page is not in the index or hidden by its author."""
    prefix = normalise_prefix(url)
    if where.path_prefix and prefix != where.path_prefix and not prefix.startswith(f"{where.path_prefix}/"):
        return []
    ids = reader.words.holding((), where=replace(where, path_prefix=prefix))[:_MAX_CHUNKS]  # its own come first
    return [id_ for id_, page in zip(ids, reader.catalogue.facts(ids).url, strict=True) if page == url]


def _with(
    reader: IndexReader, candidates: Candidates, positions: list[int], more: list[str], vector: Vector | None
) -> Candidates:
    """Some of the candidates, and more records that no list found."""
    ids = [*(candidates.ids[at] for at in positions), *more]
    cosines = reader.vectors.similarities(vector, more) if more and vector is not None else [0.0] * len(more)
    nothing = np.zeros(len(more))

    def column(values: Scores, added: Scores = nothing) -> Scores:
        return np.concatenate([values[positions], added])

    return Candidates(
        ids=ids,
        facts=reader.catalogue.facts(ids),
        cosine=column(candidates.cosine, np.array(cosines, np.float64)),
        bm25=column(candidates.bm25),
        page_bm25=column(candidates.page_bm25),
        titled=column(candidates.titled),
        headed=column(candidates.headed),
        best_cosine=candidates.best_cosine,
    )


def _boosted(candidates: Candidates, boosts: Sequence[PageRule]) -> tuple[Candidates, dict[int, list[str]]]:
    """The candidates with the weights that the rules give them, and the pages of each rule by its id."""
    facts = candidates.facts
    boosted = {id(rule): [url for url in dict.fromkeys(facts.url) if rule.names(url)] for rule in boosts}
    factors = dict.fromkeys(facts.url, 1.0)
    for rule in boosts:
        for url in boosted[id(rule)]:
            factors[url] *= rule.factor
    if not boosts:
        return candidates, boosted
    weight = facts.weight * np.array([factors[url] for url in facts.url])
    return replace(candidates, facts=replace(facts, weight=weight)), boosted
