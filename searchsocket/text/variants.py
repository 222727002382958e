"""Other spellings of the words of a query.

Documents may have `v5.3` for `5.3`, `8,443` for `8443`, `ü` for `ue`, and `setup` for `set up` or `set-up`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, product

from searchsocket.text.synonyms import Forms
from searchsocket.text.words import QueryWord, parse_query, stem

_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_VERSION = re.compile(r"v(?=\d)(.+)")
_PLAIN_VERSION = re.compile(r"\d{1,4}(?:\.\d+)*(?:[-.+]\w+)*")
_MANY_DIGITS = re.compile(r"\d{4,15}")
_GROUPED_DIGITS = re.compile(r"\d{1,3}(?:\.\d{3})+")
_FIRST_GROUP, _GROUP = re.compile(r"\d{1,3}"), re.compile(r"\d{3}")
_HEXADECIMAL = re.compile(r"(?=.*\d)[0-9a-f]{4,16}")
_NAME_AND_NUMBER = re.compile(r"([a-z]+)(\d+(?:\.\d+)*)|(\d+(?:\.\d+)*)([a-z]{1,4})")
_MAX_UNIT_CHARS = 4
# Two letters typed for one that is folded to the first of them: ä, ö, ü and ø.
_DIGRAPH = re.compile("ae|oe|ue")
_DASH = re.compile("[-_]")
_MIN_DIGRAPH_CHARS = 4  # of the word: `toe` is not `tö`
_MAX_DIGRAPHS = 4  # each can be two letters indeed: `steuerloeschen`


@lru_cache(maxsize=64)  # several steps of a search read the same query
def variants_of(text: str) -> Mapping[str, tuple[Forms, ...]]:
    """The other spellings of the words of a query, by exact form; several forms are neighbours in a document.

    They count only for a word that no document contains: `neue` is not `nü` on a site that has `neue`. See
    `same_version` for the exception.
    """
    parsed = parse_query(text)
    variants: dict[str, dict[Forms, None]] = {}

    def add(word: QueryWord, forms: Forms) -> None:
        if forms != (word.exact,):
            variants.setdefault(word.exact, {})[forms] = None

    for word in parsed.words:
        for forms in _of_digraphs(word.exact) if word.stem else _of_number(word.exact):
            add(word, forms)
        if len(word.pieces) > 1 and _DASH.search(word.exact):
            add(word, (stem("".join(word.pieces)),))
            add(word, tuple(map(stem, word.pieces)))
    for first, second in pairwise(parsed.order):
        joined = first.exact + second.exact
        if (first.stem and second.stem) or _are_one_name(first, second):
            for word in (first, second):
                add(word, (stem(joined) if first.stem else joined,))
    for group in _digit_groups(parsed.order):
        for word in group:
            add(word, ("".join(part.exact for part in group),))
            add(word, (".".join(part.exact for part in group),))
    return {exact: tuple(forms) for exact, forms in variants.items()}


def same_version(exact: str) -> str:
    """The same version without its `v`, or with one; "" if the word is none."""
    if match := _VERSION.fullmatch(exact):
        return match[1]
    return f"v{exact}" if _PLAIN_VERSION.fullmatch(exact) else ""


def is_number(word: QueryWord) -> bool:
    """Return True for a number or a version, with or without a `v`."""
    return not word.stem and _PLAIN_VERSION.fullmatch(word.exact.removeprefix("v")) is not None


def _of_number(exact: str) -> Iterator[Forms]:
    """Other spellings of a word with digits."""
    if version := same_version(exact):
        yield (version,)
    if _MANY_DIGITS.fullmatch(exact):
        first = len(exact) % 3 or 3
        groups = (exact[:first], *(exact[at : at + 3] for at in range(first, len(exact), 3)))
        yield groups
        yield (".".join(groups),)
    elif _GROUPED_DIGITS.fullmatch(exact):
        yield (exact.replace(".", ""),)
        yield tuple(exact.split("."))
    if _HEXADECIMAL.fullmatch(exact):
        yield (f"0x{exact}",)
    elif exact.startswith("0x"):
        yield (exact.removeprefix("0x"),)
    if match := _NAME_AND_NUMBER.fullmatch(exact):
        name, number, count, unit = match.groups()
        yield (stem(name), number) if name else (count, stem(unit))


def _of_digraphs(exact: str) -> Iterator[Forms]:
    """The stems of a word of letters in which one or more of `ae`, `oe` and `ue` are one letter."""
    if len(exact) < _MIN_DIGRAPH_CHARS:
        return
    starts = [match.start() for match in _DIGRAPH.finditer(exact)][:_MAX_DIGRAPHS]
    for is_one in reversed(list(product((False, True), repeat=len(starts)))):
        seconds = {start + 1 for start, one in zip(starts, is_one, strict=True) if one}
        if seconds:
            yield (stem("".join(letter for at, letter in enumerate(exact) if at not in seconds)),)


def _are_one_name(first: QueryWord, second: QueryWord) -> bool:
    """Return True if documents may write a name and its number, or a number and its unit, as one word."""
    if first.stem:
        return _NUMBER.fullmatch(second.exact) is not None
    return bool(second.stem) and len(second.exact) <= _MAX_UNIT_CHARS and _NUMBER.fullmatch(first.exact) is not None


def _digit_groups(order: Sequence[QueryWord]) -> Iterator[Sequence[QueryWord]]:
    """The neighbouring words that may be the groups of one number: `8,443` or `12 500`."""
    start = 0
    while start < len(order):
        stop = start + 1
        if _FIRST_GROUP.fullmatch(order[start].exact):
            while stop < len(order) and _GROUP.fullmatch(order[stop].exact):
                stop += 1
        if stop - start > 1:
            yield order[start:stop]
        start = stop
