"""Evidence for chunks of code besides names: meaning, words, and their files."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from searchsocket.text.words import STOP_WORDS, index_text, parse_query
from searchsocket.types import Scores


class _Weights(NamedTuple):
    """Weights of the signals, fitted to changes and questions with known code."""

    meaning: float
    words: float  # of the chunk
    file: float  # words of the whole file
    path: float  # the share of its words that the query says
    second: float  # of what the second best chunk of the file is worth: where two say it, the file is about it


_FEW_WORDS = _Weights(0.5, 0.2, 0.3, 0.0, 0.0)
# Who says more describes a change or a part of the project, whose words lie scattered over its files and folders.
_MANY_WORDS = _Weights(0.5, 0.17, 0.33, 0.2, 0.3)
_MANY = 5  # words, stop words aside


def evidence_of(q: str, urls: Sequence[str], meaning: Scores, words: Scores, files: Scores, part: Scores) -> Scores:
    """The evidence of each chunk, in [0, 1].

    Args:
        urls: Of the chunks' files.
        meaning, words, files: In [0, 1] each.
        part: What a chunk scores of what other source would, in [0, 1].
    """
    is_long = sum(not word.is_stop for word in parse_query(q).words) >= _MANY
    worth = _MANY_WORDS if is_long else _FEW_WORDS
    mixed = worth.meaning * meaning + worth.words * words + worth.file * files
    if is_long:
        mixed += worth.path * np.array([_share_of_path(url, _words_of(q)) for url in urls])
    evidence = mixed * part / (worth.meaning + worth.words + worth.file + worth.path)
    return (evidence + worth.second * _second_best(evidence, urls)) / (1.0 + worth.second) if is_long else evidence


@lru_cache(maxsize=64)
def _words_of(q: str) -> frozenset[str]:
    """The words of a query in all their forms, without those that say nothing."""
    return frozenset(form for form in index_text(q).split() if form not in STOP_WORDS)


def _share_of_path(url: str, query_words: frozenset[str]) -> float:
    path_words = _words_of_path(url)
    return len(path_words & query_words) / len(path_words) if path_words else 0.0


@lru_cache(maxsize=1 << 14)  # each query meets the same ones
def _words_of_path(url: str) -> frozenset[str]:
    """The words of the folders, the name and its extension."""
    return frozenset(index_text(url.replace("/", " ").replace(".", " ")).split())


def _second_best(evidence: Scores, urls: Sequence[str]) -> Scores:
    """Of each chunk the second best evidence in its file; 0 where that has one candidate."""
    best: dict[str, float] = {}
    second: dict[str, float] = {}
    for url, value in zip(urls, evidence.tolist(), strict=True):
        least, most = sorted((best.get(url, 0.0), value))
        best[url], second[url] = most, max(second.get(url, 0.0), least)
    return np.array([second[url] for url in urls])
