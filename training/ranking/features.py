"""Features of the candidate pages of one query: those of `FeatureWeights`, by the same names, and others.

A column is of pages: of its chunks each page has the greatest value.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from searchsocket.search.ranking.names import COMPARISON, WHOLE, exact_features, names_identifier, query_words
from searchsocket.search.ranking.rank import Ranking
from searchsocket.search.ranking.signals import RankingInput, asks_for_dated_page, is_dated_page
from searchsocket.search.ranking.weights import WEIGHTS
from searchsocket.text.words import index_words, parse_query
from searchsocket.types import Scores

SUM = "sum"  # what `weights.json` gives, before it is multiplied with the weight of the page
WEIGHT = "weight"
FEATURES = {
    SUM: "the score by `weights.json`, before it is multiplied and scaled to [0, 1]",
    WEIGHT: "of the page, listings and posts included",
    "second": "mix of the three lists of the second best section",
    "heading": "the query is a heading",
    "identifiers": "share of the identifiers that the page has, times how few candidates have them",
    "neighbours": "share of the neighbouring words that one passage has so",
    "all_names": "share of the query, by rarity, in title, path and one anchor",
    "slug": "share of the last part of the path that the query says",
    "named": "share of the title that the query says, where all its words are in title and path",
    "compared_title": "the whole title is in a query that compares",
    # Tried, and in no model that is shipped.
    "vector": "cosine of the best chunk, scaled over the candidates",
    "keyword": "BM25 of the best chunk, scaled likewise",
    "page": "BM25 of the page, scaled likewise",
    "vector_rank": "reciprocal of the rank by cosine",
    "keyword_rank": "reciprocal of the rank by BM25 of chunks",
    "page_rank": "reciprocal of the rank by BM25 of pages",
    "mean_three": "mean of the mix of the three best chunks",
    "share_said": "share, by rarity, of the words that one passage says",
    "in_name": "share of the words in title and path, by count",
    "title_rarity": "share of the words in the title, by rarity",
    "path_rarity": "share of the words in the path, by rarity",
    "heading_rarity": "share of the words in the best anchor, by rarity",
    "title_said": "share of the title that the query says",
    "heading_said": "share of the best anchor that the query says",
    "title_in_query": "the whole title is in the query",
    "title_both": "product of title_rarity and title_said",
    "heading_both": "product of the two of an anchor",
    "chunks": "chunks of the page among the candidates, as a share of the most",
    "same_chunk": "the best chunk by cosine is the best by BM25",
    "is_summary": "the best chunk is the page's summary",
    "position": "logarithm of the place of the best chunk among the page's candidates",
    "children": "logarithm of 1 + the candidate pages below it",
    "parent": "a candidate page is above it",
    "depth": "reciprocal of 1 + depth",
    "occasion": "a post or release note, and the query does not ask for one",
    "title_words": "words of the title",
    # Of the query alone: for trees.
    "words": "words of the query, stop words aside",
    "has_identifier": "the query names an identifier",
    "compares": "the query compares",
    "pages": "logarithm of the number of candidate pages",
    "chunks_a_page": "candidates per page",
    "best_cosine": "greatest cosine of the candidates",
}


def page_features(given: RankingInput, order: Ranking) -> tuple[list[str], Scores]:
    """The URLs of the candidate pages and their features, shape (pages, features)."""
    found, facts, q = given.candidates, given.candidates.facts, given.q
    assert order.parts
    assert order.chunks
    pages, chunks = order.parts, order.chunks
    at: dict[str, int] = {}
    for position, url in enumerate(facts.url):
        at.setdefault(url, position)
    urls, first = list(at), np.array(list(at.values()))
    codes = _codes(facts.url, urls)

    def best(values: Scores) -> Scores:
        greatest = np.full(len(urls), -np.inf)
        np.maximum.at(greatest, codes, values)
        return greatest

    lists = pages.lists
    sums = lists.fused + lists.second + sum(pages.boosts.columns.values()) + pages.matches
    columns: dict[str, Scores | float] = {
        SUM: sums[first],
        WEIGHT: pages.weight[first],
        "second": lists.second[first] / WEIGHTS.second,
        "heading": np.where(best(found.titled) >= WHOLE, 0.0, best(found.headed) * (best(found.headed) >= WHOLE)),
        "neighbours": best(np.array(given.words.neighbours(q, found.ids), np.float64)),
        "identifiers": _identifiers(given, best),
        "vector": lists.vector[first],
        "keyword": lists.keyword[first],
        "page": lists.page[first],
        "share_said": best(np.array(given.words.word_proximity(q, found.ids), np.float64)),
        "is_summary": _of_best(chunks.lists.fused, codes, np.array([kind == "summary" for kind in facts.kind])),
        "depth": (1.0 / (1.0 + facts.depth))[first],
        "occasion": np.array([not asks_for_dated_page(q) and is_dated_page(url) for url in urls], float),
        "words": float(sum(not word.is_stop for word in parse_query(q).words)),
        "has_identifier": float(names_identifier(q)),
        "pages": float(np.log(len(urls))),
        "chunks_a_page": len(codes) / len(urls),
        "best_cosine": float(lists.cosine.max()),
    }
    columns |= _names(given, urls, codes, best)
    columns |= _chunks(chunks.lists.fused, chunks.lists.cosine, chunks.lists.bm25, codes, facts.order, len(urls))
    for name, values in (("vector", lists.cosine), ("keyword", lists.bm25), ("page", lists.page_bm25)):
        column = values[first]
        columns[f"{name}_rank"] = np.where(column > 0, 1.0 / (1 + _ranks(column)), 0.0)
    folders = [f"{url.rstrip('/')}/" for url in urls]
    below = np.array([[url.startswith(folder) for url in urls] for folder in folders]) & ~np.eye(len(urls), dtype=bool)
    columns["children"] = np.log1p(below.sum(axis=1))
    columns["parent"] = below[[folder != "/" for folder in folders]].any(axis=0).astype(float)
    table = np.empty((len(urls), len(FEATURES)))
    for column_number, name in enumerate(FEATURES):
        table[:, column_number] = columns[name]
    return urls, table


def _codes(of: Sequence[str], urls: Sequence[str]) -> np.ndarray:
    number = {url: at for at, url in enumerate(urls)}
    return np.array([number[url] for url in of])


def _ranks(values: Scores) -> Scores:
    ranks = np.empty(len(values))
    ranks[np.argsort(-values, kind="stable")] = np.arange(len(values))
    return ranks


def _of_best(scores: Scores, codes: np.ndarray, values: np.ndarray) -> Scores:
    """The value of the best chunk of each page."""
    order = np.lexsort((-scores, codes))
    first = np.r_[True, codes[order][1:] != codes[order][:-1]]
    return values[order[first]].astype(float)


def _identifiers(given: RankingInput, best: Callable[[Scores], Scores]) -> Scores | float:
    """What identifiers give, without names; 0 where the query is one word."""
    found = given.candidates
    nothing = np.zeros(len(found.ids))
    features = exact_features(given.q, replace(found, titled=nothing, headed=nothing), given.texts)
    scores = sum(features.values(), nothing)
    return 0.0 if len(given.q.split()) == 1 else best(scores) / WEIGHTS.identifiers


def _names(
    given: RankingInput, urls: Sequence[str], codes: np.ndarray, best: Callable[[Scores], Scores]
) -> dict[str, Scores | float]:
    facts = given.candidates.facts
    titles = dict(zip(facts.url, facts.title, strict=True))
    parsed = parse_query(given.q).words
    counted = [word for word in parsed if not word.is_stop] or list(parsed)
    rarities = given.words.rarities(given.q)
    rarity = {word.stem or word.exact: rarities[word.exact] for word in counted}
    total = sum(rarity.values()) or 1.0
    plain = query_words(given.q)[1]

    def share(words: set[str]) -> float:
        return sum(value for word, value in rarity.items() if word in words) / total

    def said(words: set[str]) -> float:
        return len(words & plain) / len(words) if words else 0.0

    of_title = [set(index_words(titles[url])) for url in urls]
    of_path = [set(index_words(url.replace("/", " "))) for url in urls]
    slugs = (url.rstrip("/").rpartition("/")[2].replace("-", " ").replace("_", " ") for url in urls)
    of_slug = [set(index_words(slug)) for slug in slugs]
    of_heading = [set(index_words(anchor.replace("-", " ").replace("_", " "))) for anchor in facts.anchor]
    headings, saids = np.array([share(one) for one in of_heading]), np.array([said(one) for one in of_heading])
    both = [share(of_title[code] | of_path[code] | one) for code, one in zip(codes.tolist(), of_heading, strict=True)]
    said_of_title = np.array([said(one) for one in of_title])
    compares = not plain.isdisjoint(COMPARISON | {"or"})
    in_both = [one | other for one, other in zip(of_title, of_path, strict=True)]
    counted_words = query_words(given.q)[0]
    return {
        "title_rarity": (of_titles := np.array([share(one) for one in of_title])),
        "path_rarity": np.array([share(one) for one in of_path]),
        "heading_rarity": best(headings),
        "all_names": best(np.array(both)),
        "in_name": np.array([len(counted_words & one) / max(len(counted_words), 1) for one in in_both]),
        "named": np.array(
            [title * (counted_words <= one) for title, one in zip(said_of_title.tolist(), in_both, strict=True)]
        ),
        "title_said": said_of_title,
        "slug": np.array([said(one) for one in of_slug]),
        "heading_said": best(saids),
        "heading_both": best(headings * saids),
        "title_words": np.array([len(one) for one in of_title], float),
        "title_in_query": (whole := (said_of_title >= 1).astype(float)),
        "compared_title": whole * compares,
        "compares": float(compares),
        "title_both": of_titles * said_of_title,
    }


def _chunks(
    fused: Scores, cosine: Scores, bm25: Scores, codes: np.ndarray, order: np.ndarray, pages: int
) -> dict[str, Scores | float]:
    counts = np.bincount(codes, minlength=pages)
    means, same, position = np.zeros(pages), np.zeros(pages), np.zeros(pages)
    for page in range(pages):
        own = np.flatnonzero(codes == page)
        means[page] = np.sort(fused[own])[::-1][:3].mean()
        same[page] = own[cosine[own].argmax()] == own[bm25[own].argmax()]
        chosen = own[fused[own].argmax()]
        position[page] = np.log1p((order[own] < order[chosen]).sum())
    return {"chunks": counts / counts.max(), "mean_three": means, "same_chunk": same, "position": position}
