"""Ranking constants of a static export; they are defined in Python only (docs/static.md)."""

from typing import TYPE_CHECKING, Any

from searchsocket.search import result_confidence
from searchsocket.search.ranking import boosts, confidence, exact, occasions, relevance
from searchsocket.search.ranking.weights import WEIGHTS
from searchsocket.stores.words import evidence, keywords, names
from searchsocket.text import words

if TYPE_CHECKING:
    from searchsocket.project.settings.model import RankingSettings

_K1, _B = 1.2, 0.75  # of BM25; the values of tantivy
# Shares of the words of a chunk and of its page. An export has no vectors (docs/static.md).
_FEW_WORDS, _MANY_WORDS = (0.4, 0.6), (0.25, 0.75)
# Weights of neighbouring words, a second section and names. They are higher than on the server, which has vectors.
_NEIGHBOURS, _SECOND, _IN_NAME = 0.4, 0.2, 0.2
_UNKNOWN_NEAR = 2.2  # nearness assumed by confidence: an answer here has most of the query's words on one page
_CANDIDATES = 100  # minimum of each list; more cost nothing here
# A lower share of a query's words is enough if enough of them are known and on one page. The server decides these
# queries by nearness. (share of known words, words on one page, share by rarity)
_ENOUGH = ((0.65, 2, 0.3), (1.0, 1, 0.5))


def weights(settings: "RankingSettings") -> dict[str, Any]:
    """Return all values besides the index that determine the order of results."""
    return {
        "bm25": [_K1, _B],
        "fields": keywords.BOOSTS,
        "page": keywords._WHOLE,
        "terms": {
            "identifier": keywords._IDENTIFIER_BOOST,
            "part": keywords._PART_BOOST,
            "prefix": keywords._PREFIX_BOOST,
            "typo": keywords._TYPO_BOOST,
            "synonym": keywords._SYNONYM_BOOST,
            "joined": keywords._JOINED_BOOST,
            "completions": keywords._MAX_COMPLETIONS,
        },
        "common": [keywords._COMMON, keywords._COMMON_NAME],
        "shares": {"few": _FEW_WORDS, "many": _MANY_WORDS},
        "candidates": max(settings.candidate_k, _CANDIDATES),
        "neighbours": _NEIGHBOURS,
        "second": _SECOND,
        "inName": _IN_NAME,
        "named": WEIGHTS.named,
        "links": settings.weights.incoming_links if settings.enable_incoming_link_boost else 0.0,
        "depth": settings.weights.depth if settings.enable_depth_boost else 0.0,
        "manyLinks": boosts._MANY_LINKS,
        "exact": {
            "alone": WEIGHTS.only_word,
            "title": WEIGHTS.title,
            "heading": WEIGHTS.heading,
            "begunTitle": WEIGHTS.title_begun,
            "begunHeading": WEIGHTS.heading_begun,
            "among": WEIGHTS.identifiers,
            "nearly": names._NEARLY,
            "whole": exact.WHOLE,
        },
        "evidence": {
            "share": relevance.MIN_SHARE,
            "prefix": evidence._MIN_EVIDENT_PREFIX,
            "part": evidence._MIN_EVIDENT_PART,
            "typo": evidence._MIN_EVIDENT_TYPO,
        },
        "enough": _ENOUGH,
        "confidence": list(confidence.WEIGHTS),
        "unknownNear": _UNKNOWN_NEAR,
        "weak": confidence.WEAK,
        "doubtful": result_confidence._DOUBTFUL,
        "asksForOccasion": occasions._ASKS_FOR_OCCASION.pattern,
        "stopWords": words._STOP_WORD_LIST,
        "beforeNames": " ".join(sorted(words._BEFORE_NAMES)),
    }
