"""Find the parts of titles that belong to the site instead of a page; this needs the titles of all pages."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from searchsocket.content.pages import ExtractedPage

MIN_PAGES = 5  # that must share an h1 or title part; fewer may share a name by chance, e.g. translations of a page
_SEPARATOR = re.compile(r"\s+(?:[|·•—–»›:]|::|-|\|\|)\s+|:\s+")
# The site's name in brackets: `Install (Acme)`, `[Acme] Install`.
_ENDING = re.compile(rf"{_SEPARATOR.pattern}|\s+(?=[(\[](?:[^()\[\]]|[(\[][^()\[\]]*[)\]])*[)\]]$)")
_OPENING = re.compile(r"[(\[][^()\[\]]*[)\]]\s+")


class HeadingCount(NamedTuple):
    """An h1 that several pages have."""

    heading: str
    pages: int
    head_titles: int  # different `<title>`s among these pages


@dataclass(frozen=True, slots=True)
class SiteTitles:
    """Parts that the titles of a site have in common."""

    headings: frozenset[str] = frozenset()
    start: str = ""  # of most `<title>`s, with its separator: `Acme | `
    end: str = ""  # ` | Acme`

    def title_of(self, page: ExtractedPage) -> str:
        """A page's name without the site's: from `<title>` if its h1 is common, otherwise the extracted title."""
        if page.heading in self.headings:
            return self._without_site(page.head_title, self.start) or page.title
        # `Guide: Install` may be the page's heading as well; other separators end the name of a site.
        start = "" if self.start.endswith(": ") and not self.start.endswith((" : ", " :: ")) else self.start
        return self._without_site(page.title, start) or page.title

    def _without_site(self, title: str, start: str) -> str:
        """Remove the start, and as many last parts of the common end as the title has."""
        ends = (self.end[match.start() :] for match in _ENDING.finditer(self.end))
        end = next((end for end in ends if title.endswith(end)), "")
        return title.removesuffix(end).removeprefix(start)


def common_headings(counts: Iterable[HeadingCount]) -> frozenset[str]:
    """The h1s that do not name a page: at least `MIN_PAGES` pages have them, mostly with different `<title>`s."""
    common = (count for count in counts if count.pages >= MIN_PAGES and count.head_titles * 2 > count.pages)
    return frozenset(count.heading for count in common)


def common_parts(head_titles: Iterable[str]) -> tuple[str, str]:
    """The common start and end of most `<title>`s, each with its separator; "" if fewer than `MIN_PAGES` have one."""
    starts: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    total = 0
    for title in head_titles:
        total += 1
        opening = _OPENING.match(title)
        starts.update(
            {title[: match.end()] for match in (*_SEPARATOR.finditer(title), *([opening] if opening else []))}
        )
        ends.update({title[match.start() :] for match in _ENDING.finditer(title)})
    return _of_most(starts, total), _of_most(ends, total)


def _of_most(parts: Counter[str], total: int) -> str:
    """The longest part of more than half of the titles; no two of these are equally long."""
    common = (part for part, count in parts.items() if count * 2 > total and count >= MIN_PAGES)
    return max(common, key=len, default="")
