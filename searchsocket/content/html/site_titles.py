"""Decide for which pages `<title>` is the title instead of the h1; this needs the whole site."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from searchsocket.content.pages import ExtractedPage

MIN_PAGES = 5  # that share an h1: fewer may have one name, such as a page in each language
_SEPARATOR = re.compile(r"\s+(?:[|·•—–»:]|::|-|\|\|)\s+|:\s+")


class HeadingCount(NamedTuple):
    """An h1 that several pages have."""

    heading: str
    pages: int
    head_titles: int  # different `<title>`s of these pages


@dataclass(frozen=True, slots=True)
class SiteTitles:
    """Parts that the titles of a site have in common."""

    headings: frozenset[str] = frozenset()
    start: str = ""  # of most `<title>`s, with its separator: `Acme | `
    end: str = ""  # ` | Acme`

    def title_of(self, page: ExtractedPage) -> str:
        """A page's own name: that of its extract, unless it is an h1 that names no page."""
        if page.heading not in self.headings:
            return page.title
        return page.head_title.removesuffix(self.end).removeprefix(self.start) or page.title


def common_headings(counts: Iterable[HeadingCount]) -> frozenset[str]:
    """The h1s that name no page: of at least `MIN_PAGES`, which mostly differ in their `<title>`."""
    return frozenset(each.heading for each in counts if each.pages >= MIN_PAGES and each.head_titles * 2 > each.pages)


def common_parts(head_titles: Iterable[str]) -> tuple[str, str]:
    """The common beginning and end of most `<title>`s, each with its separator; "" if there is none."""
    starts: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    total = 0
    for title in head_titles:
        total += 1
        separators = list(_SEPARATOR.finditer(title))
        starts.update({title[: match.end()] for match in separators})
        ends.update({title[match.start() :] for match in separators})
    return _of_most(starts, total), _of_most(ends, total)


def _of_most(parts: Counter[str], total: int) -> str:
    """The longest part of more than half of the titles; no two of these are equally long."""
    return max((part for part, count in parts.items() if count * 2 > total), key=len, default="")
