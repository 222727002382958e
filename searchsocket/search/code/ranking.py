"""Rank code by one score of meaning, words and names: source first, then texts and tests, generated code last."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from searchsocket.code.languages import language_of
from searchsocket.code.symbols import EXACT, LABEL, Spoken, spoken_name, ways_to_say
from searchsocket.search.code.candidates import CodeCandidates
from searchsocket.search.code.changelog import is_about_versions, is_history
from searchsocket.search.ranking.fusion import min_max
from searchsocket.stores.base import WordEvidence
from searchsocket.text.words import STOP_WORDS, index_text, parse_query
from searchsocket.types import Scores

DEFINES = 2.0  # for the definition of an exact name in the query; more than all other evidence together
NEAR = 0.1  # of the score of the definition that the query names; candidates below it are unrelated
_TEST, _ALL = "test=true", f"{EXACT}=__all__"
_SHARE = {_TEST: 0.8, "generated=true": 0.4}  # factors compared with other source
_SPOKEN = 0.25  # of `DEFINES`, for a name that the query writes as words
_PROSE, _LIST = 0.85, 0.7  # factors of a text about code, and of a list of names
_PROSE_LANGUAGES = frozenset({"markdown", "text"})
_ABOUT_PROSE = re.compile(
    r"\b(?:docs?|documentation|guides?|readme|changelogs?|tutorials?"
    r"|is there (?:an?|any) (?:option|setting|flag|way))\b|^(?:can|could|is it possible) (?:\w+ ){3}",
    re.IGNORECASE,
)
# "Where is it set" is answered by constants and fields; functions only use them.
_ABOUT_VALUES = re.compile(
    r"\bwhere (?:is|are) (?:\S+ ){0,12}(?:set|listed|configured|defined|mapped)\b"
    r"|\bwhere (?:is|are) (?:\S+ ){0,4}(?:defaults?|limits?|constants?|maximum|minimum|largest|smallest|longest)\b"
    r"|\bwhere is it set\b|\bwhere is that set\b",
    re.IGNORECASE,
)
_VALUES = frozenset({"constant", "variable", "field", "property", "key", "block"})
_NO_VALUE, _ANY_VALUE = 0.65, 0.85  # factors of other code, and of a value whose name says nothing of the query
_CONSTANT = re.compile(rf"{EXACT}=(?:.*\.)?(_*[A-Z][A-Z0-9_]+)")
_ABOUT_TESTS = re.compile(r"\b(?:tests?|specs?|mocks?|fixtures?|examples?|benchmarks?)\b", re.IGNORECASE)
_LESS = {"impl": 0.9, "block": 0.95, "heading": 0.9, "key": 0.85, "module": 0.95}  # factors compared with a definition
# A query is answered if a file contains this share of its words, a chunk is this near, or it contains a known name.
MIN_SHARE, MIN_COVERAGE, MIN_COSINE, MIN_COSINE_ALONE = 0.5, 0.34, 0.12, 0.45


class _Weights(NamedTuple):
    """Weights of the signals, fitted to changes and questions with known code."""

    meaning: float
    words: float  # of the chunk
    file: float  # words of the whole file
    path: float  # share of its words that the query contains
    second: float  # evidence of the file's second best chunk: if two chunks match, the file is about the subject


_FEW_WORDS = _Weights(0.5, 0.2, 0.3, 0.0, 0.0)
# A long query describes a change or a part of the project, whose words are spread over files and folders.
_MANY_WORDS = _Weights(0.5, 0.17, 0.33, 0.2, 0.3)
_MANY = 5  # words, stop words aside


class RankedCode(NamedTuple):
    """A candidate with its score in [0, 1] and the parts of the score."""

    score: float
    position: int
    defines: float
    meaning: float
    words: float
    file: float

    def signals(self, labels: frozenset[str]) -> tuple[str, ...]:
        """Return the names of the signals that counted; computed only for results."""
        present = {
            "definition": self.defines > 0,
            "meaning": self.meaning >= 0.5,
            "words": self.words >= 0.3,
            "file": self.file >= 0.5,
            "test": _TEST in labels,
            "generated": "generated=true" in labels,
        }
        return tuple(name for name, is_present in present.items() if is_present)


def is_enough_code(words: WordEvidence, best_cosine: float, *, is_named: bool) -> bool:
    """Return True if the evidence is enough: reject nonsense, accept questions in other words than the code's."""
    if is_named or words.share >= MIN_SHARE or best_cosine >= MIN_COSINE_ALONE:
        return True
    return words.known >= MIN_COVERAGE and best_cosine >= MIN_COSINE


def rank_code(candidates: CodeCandidates, q: str, symbols: Sequence[str]) -> list[RankedCode]:
    """Return the candidates, best first; equal scores in path order, in a file by line."""
    if not candidates.ids:
        return []
    meaning, words, files = min_max(candidates.cosine), min_max(candidates.bm25), min_max(candidates.file_bm25)
    spoken, names = spoken_name(q), _label_scores(symbols)
    defines = [_exact_score(labels, names) or _spoken_score(labels, spoken) for labels in candidates.labels]
    about_versions = is_about_versions(q)
    prose = 1.0 if about_versions or _ABOUT_PROSE.search(q) else _PROSE
    parts = {label: part for label, part in _SHARE.items() if label != _TEST or not _ABOUT_TESTS.search(q)}
    shares = [
        _share(labels, parts) * _LESS.get(kind, 1.0) * (prose if is_prose(url) else 1.0)
        for labels, kind, url in zip(candidates.labels, candidates.facts.kind, candidates.facts.url, strict=True)
    ]
    if _ABOUT_VALUES.search(q):
        shares = [
            share
            * max(_ANY_VALUE if kind in _VALUES else _NO_VALUE, _NO_VALUE + (1 - _NO_VALUE) * _constant(labels, q))
            for share, labels, kind in zip(shares, candidates.labels, candidates.facts.kind, strict=True)
        ]
    if about_versions:
        shares = [
            1.0 if is_prose(url) and is_history(url) else share * _PROSE
            for share, url in zip(shares, candidates.facts.url, strict=True)
        ]
    part, by_name = np.array(shares), DEFINES * np.array(defines)
    evidence = evidence_of(q, candidates.facts.url, meaning, words, files, part)
    # The definition of a named symbol matches the query even in a test or a generated file: its factor counts half.
    scores = np.round((evidence + by_name * (0.5 + 0.5 * part)) / (1.0 + by_name.max()), 6)
    order = np.lexsort((candidates.facts.order, -scores))
    columns = [scores[order], order, *(column[order] for column in (np.array(defines), meaning, words, files))]
    return list(map(RankedCode, *(column.tolist() for column in columns)))


def _constant(labels: frozenset[str], q: str) -> float:
    """Return the greatest share of the words of a constant's name that the query contains."""
    names = (match[1] for label in labels if (match := _CONSTANT.fullmatch(label)))
    return max((_share_of_path(name.replace("_", " "), _words_of(q)) for name in names), default=0.0)


def _label_scores(symbols: Sequence[str]) -> Mapping[str, float]:
    """Return the score of a definition per label: 1 for its exact name, less in other case or for a part."""
    folded = {f"{LABEL}={name.casefold()}": 0.5 if "." in name else 0.45 for name in symbols}
    return folded | {f"{EXACT}={name}": 1.0 for name in symbols}


def _exact_score(labels: frozenset[str], names: Mapping[str, float]) -> float:
    return max((share for label, share in names.items() if label in labels), default=0.0) if names else 0.0


def _spoken_score(labels: frozenset[str], spoken: Spoken) -> float:
    """Return the score of a definition whose name the query writes as words."""
    if not spoken:
        return 0.0
    return _SPOKEN if any(spoken in ways_to_say(name) for name in _names_of(labels)) else 0.0


@lru_cache(maxsize=1 << 14)  # queries share candidates
def _names_of(labels: frozenset[str]) -> tuple[str, ...]:
    return tuple(label.partition("=")[2] for label in labels if label.startswith(EXACT))


@lru_cache(maxsize=1 << 14)
def is_prose(url: str) -> bool:
    """Return True if a file is a text about code."""
    return language_of(url.rpartition("/")[2]) in _PROSE_LANGUAGES


def _share(labels: frozenset[str], parts: Mapping[str, float]) -> float:
    share = _LIST if _ALL in labels else 1.0
    for label, part in parts.items():
        if label in labels:
            share *= part
    return share


def near_first(ranked: list[RankedCode], q: str) -> list[RankedCode]:
    """Drop candidates far below the first, if the query is the exact name that the first defines."""
    if not ranked or ranked[0].defines < 1.0 or len(q.split()) > 1:
        return ranked
    return [candidate for candidate in ranked if candidate.score >= NEAR * ranked[0].score]


def at_most_each(ranked: Sequence[RankedCode], urls: Sequence[str], most: int, top_k: int) -> list[RankedCode]:
    """Return the best `top_k` candidates, at most `most` per file."""
    per_file: dict[str, int] = {}
    best: list[RankedCode] = []
    for candidate in ranked:
        url = urls[candidate.position]
        if per_file.get(url, 0) < most:
            per_file[url] = per_file.get(url, 0) + 1
            best.append(candidate)
            if len(best) == top_k:
                break
    return best


def evidence_of(q: str, urls: Sequence[str], meaning: Scores, words: Scores, files: Scores, part: Scores) -> Scores:
    """Return the evidence of each chunk, in [0, 1].

    Args:
        urls: URLs of the chunks' files.
        meaning, words, files: In [0, 1] each.
        part: Factor per chunk, in [0, 1]; 1 for ordinary source, less for tests and generated files.
    """
    is_long = sum(not word.is_stop for word in parse_query(q).words) >= _MANY
    weights = _MANY_WORDS if is_long else _FEW_WORDS
    total = weights.meaning * meaning + weights.words * words + weights.file * files
    if is_long:
        total += weights.path * np.array([_share_of_path(url, _words_of(q)) for url in urls])
    evidence = total * part / (weights.meaning + weights.words + weights.file + weights.path)
    if not is_long:
        return evidence
    return (evidence + weights.second * _second_best(evidence, urls)) / (1.0 + weights.second)


@lru_cache(maxsize=64)
def _words_of(q: str) -> frozenset[str]:
    """Return the words of a query in all their forms, without stop words."""
    return frozenset(form for form in index_text(q).split() if form not in STOP_WORDS)


def _share_of_path(url: str, query_words: frozenset[str]) -> float:
    path_words = _words_of_path(url)
    return len(path_words & query_words) / len(path_words) if path_words else 0.0


@lru_cache(maxsize=1 << 14)  # queries share candidates
def _words_of_path(url: str) -> frozenset[str]:
    """Return the words of the folders, the file name and its extension."""
    return frozenset(index_text(url.replace("/", " ").replace(".", " ")).split())


def _second_best(evidence: Scores, urls: Sequence[str]) -> Scores:
    """Return for each chunk the second best evidence in its file; 0 if the file has one candidate."""
    best: dict[str, float] = {}
    second: dict[str, float] = {}
    for url, value in zip(urls, evidence.tolist(), strict=True):
        least, most = sorted((best.get(url, 0.0), value))
        best[url], second[url] = most, max(second.get(url, 0.0), least)
    return np.array([second[url] for url in urls])
