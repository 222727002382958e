"""Bonus of each page for words of its names, and exact matches: a name, or an identifier (docs/notes/ranking.md)."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from searchsocket.search.ranking.weights import WEIGHTS
from searchsocket.stores.base.index_reader import Candidates
from searchsocket.text.variants import variants_of
from searchsocket.text.words import has_unspaced, index_words, parse_query
from searchsocket.types import Scores

WHOLE = 0.9  # of a name: see `WordSnapshot.named`
# Words that prose does not contain: `a_b`, `$x`, `a::b`, `ab.cd`, `f()`, `camelCase`, `--flag`.
_NAME = re.compile(r"(?=.*[A-Za-z])(?:.*[_$].*|.*::.*|.*\w\w\.\w\w.*|.*\(\).*|.*[a-z][A-Z].*|--.*)")
_MAX_NAMES = 10  # each is searched in the text of every candidate
_BETWEEN_GROUPS = ", .'’\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"  # of digits; also a name and its number
_EDGES = " \t?!,;\"'`“”"

# Words that compare two subjects match neither: "call vs fork".
COMPARISON = frozenset({"vs", "versus", "differ", "compar", "comparison"})
_COMPARES = COMPARISON | {"or"}


def exact_features(
    q: str, candidates: Candidates, texts: Callable[[Sequence[str]], Sequence[str]]
) -> dict[str, Scores]:
    """Return the bonus of each candidate for exact matches, by feature.

    Args:
        texts: Returns the texts of records by id; called only if the query names an identifier.
    """
    is_titled = candidates.titled >= WHOLE
    is_headed = candidates.headed >= WHOLE
    headed: Scores = np.where(is_titled, 0.0, candidates.headed)
    features: dict[str, Scores] = {
        "title": WEIGHTS.title * is_titled * candidates.titled,
        "title_begun": WEIGHTS.title_begun * ~is_titled * candidates.titled,
        "heading": WEIGHTS.heading * is_headed * headed,
        "heading_begun": WEIGHTS.heading_begun * ~is_headed * headed,
    }
    identifiers, is_alone = _identifiers(q)
    if not identifiers:
        return features
    facts = candidates.facts
    contents = [list(map(_folded, row)) for row in zip(texts(candidates.ids), facts.title, facts.url, strict=True)]
    spelled = [(name, *(_spelled(name) if is_alone else ())) for name in identifiers]
    occurrences = np.array(
        [
            [any(name in text or name in title or name in url for name in names) for text, title, url in contents]
            for names in spelled
        ],
        np.float64,
    )
    # A name that most candidates contain, such as the product's, does not distinguish them.
    rare = np.ones(len(occurrences)) if is_alone else 1.0 - occurrences.mean(axis=1)
    most = WEIGHTS.only_word if is_alone else WEIGHTS.identifiers
    gains = np.where(is_titled, 0.0, most * (rare @ occurrences) / len(identifiers))
    return features | {"only_word" if is_alone else "identifiers": gains}


@lru_cache(maxsize=1 << 12)  # about 5 MB; queries for identifiers share candidates
def _folded(text: str) -> str:
    return text.casefold()


def _spelled(name: str) -> tuple[str, ...]:
    """Return the other spellings of a number or version, as texts may write them: `8,443` for `8443`."""
    variants = chain.from_iterable(variants_of(name).values()) if any(map(str.isdigit, name)) else ()
    return tuple(sign.join(forms) for forms in variants for sign in (_BETWEEN_GROUPS if len(forms) > 1 else "."))


def names_identifier(q: str) -> bool:
    """Return True if a query contains a word that prose does not: `a_b`, `f()`, `camelCase`, `--flag`."""
    return any(_NAME.fullmatch(word.strip(_EDGES)) for word in q.split())


def _identifiers(q: str) -> tuple[tuple[str, ...], bool]:
    """Return the identifiers in a query, and True if it is its only word."""
    words = [word.strip(_EDGES) for word in q.split()]
    # A single word counts as an identifier, except in scripts without spaces, where it may be several words.
    is_alone = len(words) == 1 and not has_unspaced(q)
    names = [word for word in words if word and (is_alone or _NAME.fullmatch(word))]
    distinct = tuple(dict.fromkeys(name.casefold() for name in names))[:_MAX_NAMES]
    return distinct, is_alone


class PageNames(NamedTuple):
    """The words of the names of a page."""

    title: frozenset[str]
    slug: frozenset[str]  # the last part of the path
    both: frozenset[str]  # title and path


def name_features(
    q: str,
    pages: Sequence[tuple[str, str]],
    codes: Sequence[int],
    anchors: Sequence[str],
    rarities: Mapping[str, float],
) -> dict[str, Scores]:
    """Return the bonus of each page, by feature.

    Args:
        pages: Title and path of each page.
        codes: The number of the page of each candidate.
        anchors: The anchor of each candidate.
        rarities: Rarities of the words of the query, see `WordSnapshot.rarities`.
    """
    words, plain = query_words(q)
    names = list(map(_names_of, pages))
    covered = [words & page_names.both for page_names in names]
    share = _shares(q, rarities)
    # Pages cover few different parts of a query.
    share_of = {part: sum([share[word] for word in part]) for part in set(covered)}
    covered_shares = [share_of[part] for part in covered]
    for code, anchor in set(zip(codes, anchors, strict=True)):
        if not words.isdisjoint(in_anchor := _words_between(anchor)):
            more = share_of[covered[code]] + sum([share[word] for word in in_anchor & words - covered[code]])
            covered_shares[code] = max(covered_shares[code], more)
    compares = not plain.isdisjoint(_COMPARES)
    covered_gains = [WEIGHTS.all_names * covered_share for covered_share in covered_shares]
    slugs, named, compared = [0.0] * len(names), [0.0] * len(names), [0.0] * len(names)
    for at, (title, slug, both) in enumerate(names):
        if not plain.isdisjoint(slug):
            slugs[at] = WEIGHTS.slug * len(slug & plain) / len(slug)
        if title and words <= both:
            named[at] = WEIGHTS.named * len(title & plain) / len(title)
        if compares and title and title <= plain:
            compared[at] = WEIGHTS.compared_title
    gains = np.array([covered_gains, slugs, named, compared], np.float64)
    return dict(zip(("all_names", "slug", "named", "compared_title"), gains, strict=True))


def _shares(q: str, rarities: Mapping[str, float]) -> dict[str, float]:
    """Return the share of each word in the query, by rarity; words that are on no page count as the rarest."""
    parsed = parse_query(q).words
    counted = [word for word in parsed if not word.is_stop] or parsed
    total = sum(rarities[word.exact] for word in counted) or 1.0
    return {word.stem or word.exact: rarities[word.exact] / total for word in counted}


@lru_cache(maxsize=64)
def query_words(q: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of a query without stop words, and all words in their indexed form."""
    parsed = parse_query(q).words
    stems = {word.stem or word.exact for word in parsed if not word.is_stop} or {word.exact for word in parsed}
    return frozenset(stems), frozenset(index_words(q))


@lru_cache(maxsize=1 << 13)  # queries share pages
def _names_of(page: tuple[str, str]) -> PageNames:
    title, url = page
    in_title = frozenset(index_words(title))
    return PageNames(
        in_title,
        _words_between(url.rstrip("/").rpartition("/")[2]),
        in_title | frozenset(index_words(url.replace("/", " "))),
    )


@lru_cache(maxsize=1 << 14)
def _words_between(name: str) -> frozenset[str]:
    """Return the words of a slug or anchor."""
    return frozenset(index_words(name.replace("-", " ").replace("_", " ")))
