"""Find what nearly all pages of a site have, to remove it: lists of links in main content, and parts of titles.

The lists are compared by the texts of their links, since a link to the page itself or to another version of it differs.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from searchsocket.content.markdown.blocks import Fence, is_rule, opening_fence
from searchsocket.content.pages import ExtractedPage

SAMPLE = 64  # pages of each language that are compared; more would hardly change the result
MIN_PAGES = 5
_MIN_LINKS = 5  # of a list that counts as navigation
_SHARE = 0.8  # of the pages that have a link, and of the lines of a list that have such links
_LABEL_CHARS = 60
_LINE = re.compile(
    r" *(?P<item>(?:[-*]|\d{1,9}\.) +)?(?:\[(?P<text>(?:\\.|[^\[\]\\])+)\]\([^()\s]*\)|(?P<label>[^\[\]]+))"
)

_SEPARATOR = re.compile(r"\s+(?:[|·•—–»›:]|::|-|\|\|)\s+|:\s+")
# The site's name in brackets: `Install (Acme)`, `[Acme] Install`.
_ENDING = re.compile(rf"{_SEPARATOR.pattern}|\s+(?=[(\[](?:[^()\[\]]|[(\[][^()\[\]]*[)\]])*[)\]]$)")
_OPENING = re.compile(r"[(\[][^()\[\]]*[)\]]\s+")


@dataclass(frozen=True, slots=True)
class _LinkList:
    """Consecutive lines with one link each, or a short label; blank lines and rules may be between them."""

    first: int  # line
    end: int
    texts: Sequence[str]
    links: int


def common_links(pages: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """The texts of links and labels in the lists of nearly all pages, or of nearly all pages of a language.

    Args:
        pages: The language and the body of each.

    Returns:
        The texts by language; empty if there are few pages or links.
    """
    counts: dict[str, Counter[str]] = {}
    numbers: Counter[str] = Counter()
    for language, body in pages:
        numbers[language] += 1
        texts = {text for links in _link_lists(body.split("\n")) for text in links.texts}
        counts.setdefault(language, Counter()).update(texts)
    everywhere = _common(sum(counts.values(), Counter()), numbers.total())
    return {language: everywhere | _common(own, numbers[language]) for language, own in counts.items()}


def _common(counts: Counter[str], pages: int) -> frozenset[str]:
    common = frozenset(text for text, count in counts.items() if count >= _SHARE * pages)
    return common if pages >= MIN_PAGES and len(common) >= _MIN_LINKS else frozenset()


def without_navigation(body: str, common: Collection[str]) -> str:
    """Remove the lists whose lines nearly all pages have; a page without other text keeps the last of them."""
    if not common:
        return body
    lines = body.split("\n")
    navigation = [
        links
        for links in _link_lists(lines)
        if sum(text in common for text in links.texts) >= _SHARE * len(links.texts)
    ]
    if not navigation:
        return body
    text = _cut(lines, navigation)
    return text if _has_prose(text) else _cut(lines, navigation[:-1])


def _cut(lines: Sequence[str], lists: Iterable[_LinkList]) -> str:
    rest: list[str] = []
    at = 0
    for links in lists:
        rest += lines[at : links.first]
        while rest and not rest[-1].strip():
            rest.pop()  # the blank line after the list remains
        at = links.end
    return "\n".join([*rest, *lines[at:]]).strip("\n")


def _has_prose(markdown: str) -> bool:
    return any(not line.startswith("#") and any(map(str.isalnum, line)) for line in markdown.split("\n"))


def _link_lists(lines: Sequence[str]) -> Iterator[_LinkList]:
    """Yield the lists of at least `_MIN_LINKS` links."""
    fence: Fence | None = None
    texts: list[str] = []
    first = end = links = 0
    for number, line in enumerate([*lines, "end"]):
        if fence is not None:
            fence = None if fence.closed_by(line) else fence
            continue
        match = _LINE.fullmatch(line)
        is_link = match is not None and match["text"] is not None
        is_label = match is not None and not is_link and bool(match["item"]) and len(line.strip()) <= _LABEL_CHARS
        if is_link or is_label:
            assert match is not None
            if not texts:
                first = number
            texts.append(match["text"] or match["label"])
            links += is_link
            end = number + 1
        elif line.strip() and not is_rule(line):
            if links >= _MIN_LINKS:
                yield _LinkList(first, end, tuple(texts), links)
            texts, links = [], 0
            fence = opening_fence(line)


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
