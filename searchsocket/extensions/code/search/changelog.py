"""Entries of a changelog that answer in which version something changed, each below the heading of its version."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from searchsocket.search.answering.sentences import QuestionTerms, terms_of, text_words

ENOUGH = 0.5  # share of the question's words that an entry must contain to come before other code
# Questions about versions are answered by the changelog.
_ABOUT_VERSIONS = re.compile(
    r"\b(?:(?:which|what|since) (?:\w+ ){0,2}(?:versions?|releases?)|in (?:version|release) v?\d[\w.]*"
    r"|since when|when was|release notes)\b",
    re.IGNORECASE,
)
_HISTORY = re.compile(
    r"(?:^|/)(?:change(?:s|log)?|history|news|release[-_]?notes|releases|whats?[-_]?new)\b", re.IGNORECASE
)
# Words that ask for a version or say that something changed; every entry could contain them.
_ASKING = re.compile(
    r"\b(?:versions?|releases?|released|since|when|which|what|added|adds?|introduced|became?|changed|changes?|lets?"
    r"|made|makes?|gave|began|started|stopped|fixed|fixes)\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"[-*+] |\d+\. ")
_UNDERLINE = re.compile(r"([=\-~^*#\"])\1{2,}\s*")
_VERSION = re.compile(r"\d+\.\d+|\b\d{4}\b")
_LINK = re.compile(r"\[([^\]]+)\](?:\([^)\s]*\))?")  # in a heading


class ChangelogEntry(NamedTuple):
    """An entry of a changelog, by its lines in a text, from 0; the last one included."""

    first: int
    last: int
    share: float  # of the question's words that it contains


def is_about_versions(q: str) -> bool:
    """Return True if a question asks in which version something changed."""
    return _ABOUT_VERSIONS.search(q) is not None


def is_history(path: str) -> bool:
    """Return True if a file lists the changes of versions."""
    return _HISTORY.search(path) is not None


def change_terms(q: str, rarities: Mapping[str, float]) -> QuestionTerms:
    """Return the words of a question that an entry must contain: what changed, not that it changed."""
    return terms_of(_ASKING.sub(" ", q), rarities)


def best_entry(text: str, terms: QuestionTerms) -> ChangelogEntry:
    """Return the entry of a text with most of the question's words; the first of equal ones."""
    lines = text.split("\n")
    entries = [
        ChangelogEntry(first, last, _share("\n".join(lines[first : last + 1]), terms))
        for first, last in _entries(lines)
    ]
    return max(entries, key=lambda entry: entry.share, default=ChangelogEntry(0, len(lines) - 1, 0.0))


def _share(text: str, terms: QuestionTerms) -> float:
    words = text_words(text)
    return (terms.share_of(words) + terms.near_share_of(text, words)) / 2


def _entries(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each entry: an item of a list, or a paragraph."""
    first: int | None = None
    for at, line in enumerate(lines):
        if first is not None and (not line.strip() or _ITEM.match(line)):
            yield first, at - 1
            first = None
        if first is None and line.strip() and not _is_heading(lines, at) and not _UNDERLINE.fullmatch(line):
            first = at
    if first is not None:
        yield first, len(lines) - 1


def version_of(lines: Sequence[str], at: int) -> str:
    """Return the nearest heading above a line that names a version, without signs; "" if there is none."""
    above = range(min(at, len(lines) - 1), -1, -1)
    heading = next((lines[line] for line in above if _VERSION.search(lines[line]) and _is_heading(lines, line)), "")
    return _LINK.sub(r"\1", heading).strip("# \t")


def _is_heading(lines: Sequence[str], at: int) -> bool:
    below = lines[at + 1] if at + 1 < len(lines) else ""
    return lines[at].startswith("#") or (bool(lines[at].strip()) and bool(_UNDERLINE.fullmatch(below)))
