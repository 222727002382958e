"""Exact matches: the name of a page or section, or an identifier (docs/notes/ranking.md)."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from searchsocket.search.ranking.weights import WEIGHTS
from searchsocket.stores.base import Candidates
from searchsocket.text.words import has_unspaced
from searchsocket.types import Scores

WHOLE = 0.9  # of a name: see `WordSnapshot.named`
# What prose does not hold: `a_b`, `$x`, `a::b`, `ab.cd`, `f()`, `camelCase`, `--flag`.
_NAME = re.compile(r"(?=.*[A-Za-z])(?:.*[_$].*|.*::.*|.*\w\w\.\w\w.*|.*\(\).*|.*[a-z][A-Z].*|--.*)")
_MAX_NAMES = 10  # each is looked for in the text of every candidate
_EDGES = " \t?!,;\"'`“”"


def exact_scores(q: str, found: Candidates, texts: Callable[[Sequence[str]], Sequence[str]]) -> Scores:
    """The bonus of each candidate for exact matches.

    Args:
        texts: Of records by id; asked for only where the query names an identifier.
    """
    is_titled = found.titled >= WHOLE
    named = np.where(is_titled, WEIGHTS.title, WEIGHTS.title_begun) * found.titled
    headings = np.where(found.headed >= WHOLE, WEIGHTS.heading, WEIGHTS.heading_begun) * found.headed
    named += np.where(is_titled, 0.0, headings)
    identifiers, most = _identifiers(q)
    if not identifiers:
        return named
    facts = found.facts
    where = [list(map(_folded, three)) for three in zip(texts(found.ids), facts.title, facts.url, strict=True)]
    occurrences = np.array(
        [[one in text or one in title or one in url for text, title, url in where] for one in identifiers], np.float64
    )
    # What most candidates hold, as the name of the product, tells none of them from the others.
    rare = np.ones(len(occurrences)) if most == WEIGHTS.only_word else 1.0 - occurrences.mean(axis=1)
    scores: Scores = named + np.where(is_titled, 0.0, most * (rare @ occurrences) / len(identifiers))
    return scores


@lru_cache(maxsize=1 << 12)  # about 5 MB: who asks for identifiers finds the same texts again
def _folded(text: str) -> str:
    return text.casefold()


def names_identifier(q: str) -> bool:
    """Return True if a query contains a word that prose does not: `a_b`, `f()`, `camelCase`, `--flag`."""
    return any(_NAME.fullmatch(word.strip(_EDGES)) for word in q.split())


def _identifiers(q: str) -> tuple[tuple[str, ...], float]:
    """The identifiers that a query names, and what a candidate with all of them gains."""
    words = [word.strip(_EDGES) for word in q.split()]
    # One word alone is meant as it is, whatever it looks like; without spaces a text may be several.
    is_alone = len(words) == 1 and not has_unspaced(q)
    names = [word for word in words if word and (is_alone or _NAME.fullmatch(word))]
    distinct = tuple(dict.fromkeys(name.casefold() for name in names))[:_MAX_NAMES]
    return distinct, WEIGHTS.only_word if is_alone else WEIGHTS.identifiers
