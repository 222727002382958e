"""Compare the words of paths with the words of a query: files are named after what they are about."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from searchsocket.extensions.code.parsing.symbols import words_of_name
from searchsocket.text.words import STOP_WORDS
from searchsocket.types import Scores

_GENERIC = frozenset({"index", "init", "lib", "main", "mod"})  # such a file is about what its folder is about
_MIN_CHARS = 4  # of a word that also matches longer words: `parse` and `parser`


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
        word: frozenset(other for other in query_words if word == other or _is_beginning(word, other))
        for word in words
        if word in beginnings or word.startswith(long)
    }


def _is_beginning(word: str, other: str) -> bool:
    return min(len(word), len(other)) >= _MIN_CHARS and (word.startswith(other) or other.startswith(word))
