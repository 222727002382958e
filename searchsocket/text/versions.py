"""Versions in queries, titles and paths, compared by their parts: `8`, `v8` and `8.0` are the same version."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

# A `v`, numbers, and the name of a preview with its number. In a path, dashes separate the numbers: `electron-13-0`.
_START, _PREVIEW = r"(?:(?<![^\W_])(?<!\.)|(?<=[^\W\d_]{3}))(v?)", r"(?:[-.]?([a-z]+[-.]?\d+))?(?![^\W_]|\.\d)"
_IN_TEXT = re.compile(rf"{_START}(\d{{1,4}}(?:\.\d{{1,4}}){{0,2}}){_PREVIEW}", re.IGNORECASE)
_IN_PATH = re.compile(rf"{_START}(\d{{1,4}}(?:[.-]\d{{1,4}}){{0,2}}){_PREVIEW}", re.IGNORECASE)
_DAY = re.compile(r"^(?:19|20)\d\d-\d\d-\d\d-")
_SEPARATOR = re.compile("[.-]")
_BARE = 0.6  # of a number that may be none: "part 3"
_NEXT = 0.4  # of the same version with fewer numbers, or with more of them
_OTHER = -0.3


class Version(NamedTuple):
    """A version without zeros at its end."""

    numbers: tuple[str, ...]
    preview: str = ""  # `beta1`
    is_bare: bool = False  # a single number, which may be none


def version_of(word: str) -> Version | None:
    """Return the version that a word is, in any spelling; None if it is none."""
    match = _IN_TEXT.fullmatch(word)
    return _version(*match.groups(default="")) if match else None


def is_version(word: str) -> bool:
    """Return True if a word of a query is a version: a number with a `v` or a dot. Others may count something."""
    version = version_of(word) if any(map(str.isdigit, word)) else None
    return version is not None and not version.is_bare


def versions_of_query(q: str) -> tuple[Version, ...]:
    """Return the versions in a query: numbers with a `v` or a dot. Others may count something."""
    return _versions_of_query(q) if any(map(str.isdigit, q)) else ()


@lru_cache(maxsize=64)  # several steps of a search read the same query
def _versions_of_query(q: str) -> tuple[Version, ...]:
    return tuple(version for version in _versions(_IN_TEXT, q) if not version.is_bare)


@lru_cache(maxsize=1 << 13)  # queries share pages
def versions_of_page(title: str, url: str) -> tuple[Version, ...]:
    """Return the versions in a title and in the last part of a path."""
    name = _DAY.sub("", url.rstrip("/").rpartition("/")[2])
    return tuple(dict.fromkeys((*_versions(_IN_TEXT, title), *_versions(_IN_PATH, name))))


def _versions(pattern: re.Pattern[str], text: str) -> Iterable[Version]:
    return (_version(*groups) for groups in pattern.findall(text))


def _version(sign: str, numbers: str, preview: str) -> Version:
    parts = [part.lstrip("0") or "0" for part in _SEPARATOR.split(numbers)]
    is_bare = not sign and len(parts) == 1
    while len(parts) > 1 and parts[-1] == "0":
        parts.pop()
    return Version(tuple(parts), _SEPARATOR.sub("", preview.lower()), is_bare)


def version_match(query: Sequence[Version], page: Sequence[Version]) -> float:
    """Return how well a page's versions match those of a query.

    1 for the same version, less for one with fewer or more numbers, 0 without any version, below 0 for another one. The
    mean of several versions in the query.
    """
    if not query or not page:
        return 0.0
    return sum(max(_match(one, other) for other in page) for one in query) / len(query)


def _match(query: Version, page: Version) -> float:
    one, other = query.numbers, page.numbers
    least = min(len(one), len(other))
    if one[:least] != other[:least]:
        return _OTHER
    sure = _BARE if page.is_bare else 1.0
    if one == other:
        return sure * (1.0 if query.preview == page.preview else _NEXT)
    return sure * _NEXT * (1 + (least / len(one) if least < len(one) else 0))
