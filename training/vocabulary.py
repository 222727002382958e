"""Chooses what the built-in model has vectors for: MiniLM's word pieces, frequent words of documentation, buckets."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from training.pairs import Pair

EXTRA_WORDS = 26_000  # with the word pieces, 256 bytes each, the table stays below 16 MB
MIN_REPOSITORIES = 2  # a word of one project alone is a name that other sites do not use
MIN_COUNT = 5

BUCKETS = 2048  # for words that the pieces do not spell, see `searchsocket.models.embedders.builtin`

# The pieces of other scripts are single characters that MiniLM hardly knows: all of them look alike to it.
_USABLE_PIECE = re.compile(r"(##)?[a-z0-9]+")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]{2,30}")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def pieces(vocabulary: Path) -> list[str]:
    """MiniLM's word pieces of Latin letters and digits; marks are never looked up."""
    lines = vocabulary.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if _USABLE_PIECE.fullmatch(line)]


def buckets() -> list[str]:
    """Entries that no word spells."""
    return [f"[{number}]" for number in range(BUCKETS)]


def extra_words(pairs: Sequence[Pair], known: Iterable[str], limit: int = EXTRA_WORDS) -> list[str]:
    """Words and identifiers that most repositories share, most frequent first, then by spelling."""
    known = set(known)
    counts: Counter[str] = Counter()
    repositories: dict[str, set[str]] = {}
    for pair in pairs:
        for text in (pair.query, pair.passage):
            for word in _candidates(text):
                counts[word] += 1
                repositories.setdefault(word, set()).add(pair.repo)
    chosen = [
        word
        for word, count in counts.items()
        if count >= MIN_COUNT and len(repositories[word]) >= MIN_REPOSITORIES and word not in known
    ]
    return sorted(chosen, key=lambda word: (-counts[word], word))[:limit]


def _candidates(text: str) -> Iterable[str]:
    for word in _WORD.findall(text):
        parts = _PART.findall(word)
        yield from (part.lower() for part in parts if len(part) > 2 and part.isalpha())
        if len(parts) > 1:
            yield word.lower()
