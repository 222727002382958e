"""Weights of the ranking, read from `weights.json`, which `training/ranking` makes (docs/notes/ranking.md).

The score is the mix of the three lists (`lists`) plus each feature times its weight plus the configured boosts
(`boosts.py`); the sum is multiplied by the weight of the page.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from searchsocket.search.ranking.boosts import BOOSTS
from searchsocket.system.json_text import JsonObject
from searchsocket.text.words import parse_query

FILE = Path(__file__).with_name("weights.json")
_SOME, _MANY = 4, 5  # words, without stop words
_WHOLE = 1.1  # chunks per page among the candidates


# The terms of a score. `explain` returns these names; the API describes them in these words.
FEATURES = {
    "meaning": "cosine, scaled over the candidates",
    "words": "BM25 of the section, scaled over the candidates",
    "page": "BM25 of the page, scaled over the candidates",
    "rerank": "score of the reranker, scaled over its candidates",
    "second": "mixed score of the page's second best section",
    **{boost.name: boost.about for boost in BOOSTS},
    "title": "the query is the title",
    "title_begun": "the query begins the title; more for shorter titles",
    "heading": "the query is a heading",
    "heading_begun": "the query begins a heading; more for shorter ones",
    "only_word": "the only word of the query is, exactly, in the text, title or path",
    "identifiers": "share of the query's identifiers that the page has; rare ones count more",
    "neighbours": "share of the query's neighbouring words that are neighbours in one passage",
    "sentence": "all words of the query are close together in one passage",
    "together": "square of the share, by rarity, of the query's words in one passage",
    "all_names": "share of the query, by rarity, in title, path and the anchor of one section",
    "slug": "share of the last part of the path that is in the query",
    "named": "share of the title that is in the query, if title and path have all words of the query",
    "compared_title": "the whole title is in a query that compares",
    "version": "title or path have the version in the query; below 0 for another version",
}


class Shares(NamedTuple):
    """Weights of the lists, see `FEATURES`; the sum of the first three is 1."""

    meaning: float
    words: float
    page: float
    together: float = 0.0


class FeatureWeights(NamedTuple):
    """The weight of each feature of a candidate, see `FEATURES`. Features are in [0, 1], `version` in [-0.3, 1]."""

    second: float
    title: float
    title_begun: float
    heading: float
    heading_begun: float
    only_word: float
    identifiers: float
    neighbours: float
    sentence: float
    all_names: float
    slug: float
    named: float
    compared_title: float
    version: float


def _read() -> JsonObject:
    weights: JsonObject = json.loads(FILE.read_text(encoding="utf-8"))
    return weights


_FILE = _read()
ANSWER: JsonObject = _FILE["answer"]  # see `answerable.py`
EXPORT_ANSWER: JsonObject = _FILE["export_answer"]  # the same for an export, which has no vectors
WEIGHTS = FeatureWeights(**_FILE["features"])
LISTS: Mapping[str, Shares] = {name: Shares(**shares) for name, shares in _FILE["lists"].items()}


# Scaled scores, unlike reciprocal ranks, keep the distance between hits (docs/notes/ranking.md).
FEW_WORDS = LISTS["few_words"]
# A long query describes a page, over which its words are spread; the vector sum of many words is vague.
MANY_WORDS = LISTS["many_words"]
# Passages that answer mostly contain these words, but so do others.
SOME_WORDS = LISTS["some_words"]
# In functions or abstracts the chunk is the page, so its words would count twice; a model that reads means more there.
READ_WHOLE = LISTS["read_whole"]


def shares_of(q: str, urls: Sequence[str] = (), *, is_read: bool = False) -> Shares:
    """Return the weights of the lists for this query.

    Args:
        urls: The page of each candidate.
        is_read: True if the model reads a text as a whole, instead of adding up its words.
    """
    if is_read and urls and len(urls) < _WHOLE * len(set(urls)):
        return READ_WHOLE
    count = sum(not word.is_stop for word in parse_query(q).words)
    return MANY_WORDS if count >= _MANY else SOME_WORDS if count >= _SOME else FEW_WORDS
