"""Rank code by one score of meaning, words and names: source first, then texts and tests, generated code last."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from searchsocket.extensions.code.parsing.file_kinds import language_of
from searchsocket.extensions.code.parsing.symbols import EXACT, LABEL, Spoken, spoken_name, ways_to_say, words_of_name
from searchsocket.extensions.code.search.candidates import CodeCandidates
from searchsocket.extensions.code.search.changelog import is_about_versions, is_history
from searchsocket.search.ranking.rank import min_max
from searchsocket.text.words import STOP_WORDS
from searchsocket.types import Scores

_GENERIC = frozenset({"index", "init", "lib", "main", "mod"})  # such a file is about what its folder is about
_MIN_CHARS = 4  # of a word that also matches longer words: `parse` and `parser`
DEFINES = 2.0  # for the definition of the name that is the query; more than all other evidence together
_MENTIONED = 0.4  # likewise for a name among other words, which may ask for its use
_LAST = 0.45  # share of the first for the last part of a name, as written
_LIKE = 0.25  # share of both for a name in other case, for its last part, and for a name that the query writes as words
WRITTEN = 1.0  # for an identifier that is the query, where it is written; as much as all evidence but definitions
_WRITTEN_AMONG = 0.25  # likewise for the identifiers among other words
_NAMED_FILE = 0.2  # for a file that is named as the query: the only sign of a definition in languages without grammar
_SHORT, _LINES = 0.85, 8  # factor of a chunk without lines, and the lines from which on there is none
_SENTENCE = 4  # words from which on a query describes code, instead of naming it
LONGER_AMONG = 30  # best candidates whose lines count
_REPEATED = 0.75  # factor of a result for each better one of its file
NEAR = 0.1  # of the score of the definition that the query names; candidates below it are unrelated
_TEST, _ALL = "test=true", f"{EXACT}=__all__"
_SHARE = {_TEST: 0.65, "generated=true": 0.4}  # factors compared with other source
_DECLARED = 0.7  # factor of a declaration in a header, if its definition is a candidate too
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".pyi", ".mli")
_TEST_NAME = 0.5  # factor of the words in the path of a test, which is named after other code; texts have none of them
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
_CALLABLE = frozenset({"function", "method", "block"})
_NO_VALUE, _ANY_VALUE = 0.55, 0.85  # factors of other code, and of a value whose name says nothing of the query
_CONSTANT = re.compile(rf"{EXACT}=(?:.*\.)?(_*[A-Z][A-Z0-9_]+)")
_ABOUT_TESTS = re.compile(r"\b(?:tests?|specs?|mocks?|fixtures?|examples?|benchmarks?)\b", re.IGNORECASE)
_LESS = {"impl": 0.9, "block": 0.95, "heading": 0.9, "key": 0.85, "module": 0.95}  # factors compared with a definition


class PathShares(NamedTuple):
    """Shares of words per file, in [0, 1] each."""

    name: Scores  # of the words of the file's name that the query contains
    query: Scores  # of the words of the query that the names of the file and its folder contain
    path: Scores  # of the words of the whole path that the query contains


class _PathWords(NamedTuple):
    name: frozenset[str]
    near: frozenset[str]  # of the name and the folder
    path: frozenset[str]


def path_shares(urls: Sequence[str], q: str) -> PathShares:
    """Return the shares for the files of some chunks; words match in all their forms."""
    query_words = words_of_query(q)
    files = {url: _words_of_path(url) for url in dict.fromkeys(urls)}
    matches = _matches(frozenset().union(*(words.path for words in files.values())), query_words)
    matching = matches.keys()
    shares = dict.fromkeys(files, (0.0, 0.0, 0.0))
    for url, words in files.items():
        if not words.path.isdisjoint(matching):
            contained = frozenset().union(*(matches[word] for word in words.near & matching))
            shares[url] = (
                len(words.name & matching) / max(1, len(words.name)),
                len(contained) / len(query_words),
                len(words.path & matching) / len(words.path),
            )
    columns = np.array([shares[url] for url in urls], np.float64)
    return PathShares(columns[:, 0], columns[:, 1], columns[:, 2])


@lru_cache(maxsize=64)
def words_of_query(q: str) -> frozenset[str]:
    """Return the stems of a query, identifiers split, without stop words."""
    return frozenset(words_of_name(q, STOP_WORDS))


def stem_of_file(url: str) -> str:
    """Return the name of a file up to its first dot."""
    name = url.rpartition("/")[2]
    return name.partition(".")[0] or name


@lru_cache(maxsize=1 << 14)  # queries share candidates
def _words_of_path(url: str) -> _PathWords:
    *folders, _ = url.strip("/").split("/")
    name = frozenset(words_of_name(stem_of_file(url)))
    folder = frozenset(words_of_name(folders[-1])) if folders else frozenset[str]()
    path = name.union(*map(words_of_name, folders))
    return _PathWords(folder if folder and name <= _GENERIC else name, name | folder, path)


def _matches(words: frozenset[str], query_words: frozenset[str]) -> dict[str, frozenset[str]]:
    """Return the words of the query that each word matches, without words that match none.

    Two words match if they are equal, or if the longer one begins with the shorter one.
    """
    long = tuple(word for word in query_words if len(word) >= _MIN_CHARS)
    beginnings = query_words.union(word[:end] for word in long for end in range(_MIN_CHARS, len(word)))
    return {
        word: frozenset(
            query_word for query_word in query_words if word == query_word or _is_beginning(word, query_word)
        )
        for word in words
        if word in beginnings or word.startswith(long)
    }


def _is_beginning(word: str, other: str) -> bool:
    return min(len(word), len(other)) >= _MIN_CHARS and (word.startswith(other) or other.startswith(word))


class Weights(NamedTuple):
    """Weights by which files are compared, for queries of all lengths; `bench/code/fit.py` compares fitted ones."""

    meaning: float = 0.5
    words: float = 0.05  # of the chunk
    file: float = 0.4  # words of the whole file
    name: float = 0.1  # see `PathShares`
    query: float = 0.2
    path: float = 0.1


_WEIGHTS = Weights()
_MEANING_IN_FILE, _WORDS_IN_FILE = 0.3, 0.7  # likewise for the chunks of one file, whose other signals are equal


class Signals(NamedTuple):
    """Evidence for each candidate, by column, in [0, 1] each; the first six in the order of `Weights`."""

    meaning: Scores
    words: Scores
    file: Scores
    name: Scores
    query: Scores
    path: Scores
    part: Scores  # factor: 1 for ordinary source, less for tests and generated files


class ScoreParts(NamedTuple):
    """Parts that add up to a score, see `FEATURES`."""

    meaning: float = 0.0
    words: float = 0.0
    file: float = 0.0
    name: float = 0.0
    query: float = 0.0
    path: float = 0.0
    definition: float = 0.0
    written: float = 0.0
    changelog: float = 0.0


class RankedCode(NamedTuple):
    """A candidate with its score in [0, 1] and the parts of the score."""

    score: float
    position: int
    defines: float
    meaning: float
    words: float
    file: float
    path: float  # share of the query's words in the names of the file and its folder
    parts: ScoreParts = ScoreParts()  # of the score, on request

    def scaled(self, factor: float) -> "RankedCode":
        """Return it with a part of its score."""
        parts = ScoreParts(*(factor * part for part in self.parts))
        return self._replace(score=round(factor * self.score, 6), parts=parts)

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


def rank_code(
    candidates: CodeCandidates, q: str, symbols: Sequence[str], weights: Weights = _WEIGHTS, *, explain: bool = False
) -> list[RankedCode]:
    """Return the candidates, best first; equal scores in path order, in a file by line.

    Args:
        explain: Also return the parts of each score, which takes 8 % of a search.
    """
    if not candidates.ids:
        return []
    signals = signals_of(candidates, q)
    written, spoken = _names_in(q, candidates.labels, symbols)
    defines = np.where(written, written, spoken)
    by_name = np.where(written, DEFINES if q.strip() in symbols else _MENTIONED, DEFINES) * defines
    if q.strip() in symbols:
        by_name += _named_file(candidates.facts.url, q)
    by_identifier = (WRITTEN if q.strip() in symbols else _WRITTEN_AMONG) * candidates.written
    terms = [
        weight / sum(weights) * signal * signals.part for weight, signal in zip(weights, signals[:-1], strict=True)
    ]
    # The definition of a named symbol matches the query even in a test or a generated file: its factor counts half.
    scale = 1.0 + by_name.max() + by_identifier.max()
    terms += [by_name * (0.5 + 0.5 * signals.part), by_identifier]
    own = np.sum(terms, axis=0)
    in_file = (_MEANING_IN_FILE * signals.meaning + _WORDS_IN_FILE * signals.words) * signals.part + np.sum(
        terms[-2:], axis=0
    )
    scores = np.round(_best_of_file_first(own, in_file, candidates) / scale, 6)
    repeated = _repeated(np.lexsort((candidates.facts.order, -scores)), candidates.facts.url)
    scores = np.round(scores * repeated, 6)
    order = np.lexsort((candidates.facts.order, -scores))
    columns = [scores[order], order, *(column[order] for column in (defines, *signals[:3], signals.query))]
    values = [column.tolist() for column in columns]
    if explain:
        parts = np.stack(terms)[:, order] * (scores / np.where(own > 0, own, 1))[order]
        return list(map(RankedCode, *values, map(ScoreParts, *parts.tolist())))
    return list(map(RankedCode, *values))


def _names_in(q: str, labels: Sequence[frozenset[str]], symbols: Sequence[str]) -> tuple[Scores, Scores]:
    """Return how well each candidate defines a name that the query writes, and one that it says in words."""
    written, spoken, name = np.zeros(len(labels)), np.zeros(len(labels)), spoken_name(q)
    if symbols:
        names = _label_scores(symbols)
        written = np.array([_exact_score(label, names) for label in labels])
    if q.strip() in symbols:  # among other words it may be any member
        endings = tuple(f".{name}" for name in symbols)
        written = np.maximum(written, [_LAST * _ends_name(label, endings) for label in labels])
    if name:
        spoken = np.array([_LIKE if name in _ways_to_say_any(label) else 0.0 for label in labels])
    return written, spoken


def _best_of_file_first(scores: Scores, in_file: Scores, candidates: CodeCandidates) -> Scores:
    """Return the scores so that the best chunk of each file, by another score, has the file's highest."""
    numbers = {url: number for number, url in enumerate(dict.fromkeys(candidates.facts.url))}
    files, order = np.array([numbers[url] for url in candidates.facts.url]), candidates.facts.order
    placed = np.empty_like(scores)
    placed[np.lexsort((order, -in_file, files))] = scores[np.lexsort((order, -scores, files))]
    return placed


def _repeated(order: NDArray[np.integer], urls: Sequence[str]) -> Scores:
    """Return a factor, lower for each further candidate of a file: another file says more than more of the same."""
    factors, next_factor = np.empty(len(order)), dict.fromkeys(urls, 1.0)
    for at in order.tolist():
        factors[at] = next_factor[urls[at]]
        next_factor[urls[at]] *= _REPEATED
    return factors


def signals_of(candidates: CodeCandidates, q: str) -> Signals:
    """Return the signals of the candidates of a query, without names of definitions."""
    pairs = zip(candidates.labels, candidates.facts.url, strict=True)
    own = np.array([0.0 if is_prose(url) else _TEST_NAME if _TEST in labels else 1.0 for labels, url in pairs])
    shares = path_shares(candidates.facts.url, q)
    return Signals(
        meaning=min_max(candidates.cosine),
        words=min_max(candidates.bm25),
        file=min_max(candidates.file_bm25),
        name=shares.name * own,
        query=shares.query * own,
        path=shares.path * own,
        part=_parts(candidates, q),
    )


def _parts(candidates: CodeCandidates, q: str) -> Scores:
    """Return the factor of each candidate by the kind of its file and of its definition."""
    facts, about_versions = candidates.facts, is_about_versions(q)
    prose = 1.0 if about_versions or _ABOUT_PROSE.search(q) else _PROSE
    parts = {label: part for label, part in _SHARE.items() if label != _TEST or not _ABOUT_TESTS.search(q)}
    shares = [
        _share(labels, parts) * _LESS.get(kind, 1.0) * (prose if is_prose(url) else 1.0)
        for labels, kind, url in zip(candidates.labels, facts.kind, facts.url, strict=True)
    ]
    if _ABOUT_VALUES.search(q):
        shares = [
            share
            * max(_ANY_VALUE if kind in _VALUES else _NO_VALUE, _NO_VALUE + (1 - _NO_VALUE) * _constant(labels, q))
            for share, labels, kind in zip(shares, candidates.labels, facts.kind, strict=True)
        ]
    if about_versions:
        shares = [
            1.0 if is_prose(url) and is_history(url) else share * _PROSE
            for share, url in zip(shares, facts.url, strict=True)
        ]
    return np.array(shares) * _declarations(candidates)


def _declarations(candidates: CodeCandidates) -> Scores:
    """Return the factors of the candidates as declarations: below 1 for functions of headers that a source defines."""
    facts, factors = candidates.facts, np.ones(len(candidates.ids))
    headers = [at for at, url in enumerate(facts.url) if url.endswith(_HEADERS)]
    names = {at: _names(candidates.labels[at]) for at in headers if facts.kind[at] in _CALLABLE}
    declared = frozenset().union(*names.values())
    if declared:
        sources = set(range(len(factors))).difference(headers)
        defined = frozenset().union(*(declared & candidates.labels[at] for at in sources))
        factors[[at for at, own in names.items() if own and own <= defined]] = _DECLARED
    return factors


def _names(labels: frozenset[str]) -> frozenset[str]:
    return frozenset(label for label in labels if label.startswith(f"{EXACT}="))


def _named_file(urls: Sequence[str], q: str) -> Scores:
    """Return the bonus of files that are named as the query, half of it if only the case differs."""
    name, folded = q.strip(), q.strip().casefold()
    stems = (url.rpartition("/")[2].rpartition(".")[0] for url in urls)
    return _NAMED_FILE * np.array([1.0 if stem == name else 0.5 * (stem.casefold() == folded) for stem in stems])


def _constant(labels: frozenset[str], q: str) -> float:
    """Return the greatest share of the words of a constant's name that the query contains."""
    names = (match[1] for label in labels if (match := _CONSTANT.fullmatch(label)))
    query_words, words = words_of_query(q), [frozenset(words_of_name(name)) for name in names]
    return max((len(word & query_words) / len(word) for word in words if word), default=0.0)


def _label_scores(symbols: Sequence[str]) -> Mapping[str, float]:
    """Return the score of a definition per label: 1 for its exact name, less in other case or for a part."""
    folded = {f"{LABEL}={name.casefold()}": _LIKE for name in symbols}
    return folded | {f"{EXACT}={name}": 1.0 for name in symbols}


def _exact_score(labels: frozenset[str], names: Mapping[str, float]) -> float:
    return max((share for label, share in names.items() if label in labels), default=0.0)


def _ends_name(labels: frozenset[str], endings: tuple[str, ...]) -> bool:
    """Return True if the last parts of a qualified name are these."""
    return any(label.endswith(endings) and label.startswith(f"{EXACT}=") for label in labels)


@lru_cache(maxsize=1 << 14)  # queries share candidates
def _ways_to_say_any(labels: frozenset[str]) -> frozenset[Spoken]:
    """Return the spoken forms of all names that a candidate defines."""
    names = (label.partition("=")[2] for label in labels if label.startswith(EXACT))
    return frozenset().union(*map(ways_to_say, names))


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


def describes_code(q: str) -> bool:
    """Return True if a query describes what code does, instead of naming it or asking for a value."""
    return len(q.split()) >= _SENTENCE and not _ABOUT_VALUES.search(q)


def longer_first(ranked: list[RankedCode], lines: Sequence[int]) -> list[RankedCode]:
    """Lower short chunks among the best candidates: an accessor has the words of a description, but does not do it.

    Args:
        lines: The number of lines of the best candidates, at most `LONGER_AMONG`.
    """
    factors = [_SHORT + (1 - _SHORT) * min(count / _LINES, 1) for count in lines]
    scaled = [candidate.scaled(factor) for candidate, factor in zip(ranked, factors, strict=False)]
    return sorted([*scaled, *ranked[len(scaled) :]], key=lambda candidate: -candidate.score)


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
