"""Pages whose content is found at another URL; what pages say is compared by the hashes of their texts."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_SAME = 0.5  # of the chunks of the larger page, for a page to be that of another URL


@dataclass(frozen=True, slots=True)
class PageContent:
    """The chunks of one page; what they say is told by hashes that no scope and no URL is part of."""

    url: str
    address: str  # what opens it
    title: str
    texts: tuple[str, ...]  # content hash of each chunk, in page order


@dataclass(frozen=True, slots=True)
class MovedPage:
    """A page whose content is found at another URL."""

    before: str  # what opened it
    after: str
    url: str
    old_url: str
    title: str
    same: float  # share of its chunks that are as they were


def moved_pages(gone: Sequence[PageContent], came: Sequence[PageContent]) -> list[MovedPage]:
    """Pages that went, each with the one that came and says most of the same, where any says half of it.

    A page moves to one place, and to one place moves one page: those that agree most are matched first, then those
    whose last segment stays, then by URL.
    """
    places: dict[str, list[PageContent]] = {}
    for page in came:
        for text in set(page.texts):
            places.setdefault(text, []).append(page)
    agreeing = [
        (-share, old.url.rpartition("/")[2] != new.url.rpartition("/")[2], old.url, new.url, old, new)
        for old in gone
        for new in {page.url: page for text in set(old.texts) for page in places.get(text, ())}.values()
        if (share := _share(old, new)) >= _SAME
    ]
    sources: set[str] = set()
    targets: set[str] = set()
    moved: list[MovedPage] = []
    for share, _, old_url, url, old, new in sorted(agreeing, key=lambda each: each[:4]):
        if old_url in sources or url in targets:
            continue
        sources.add(old_url)
        targets.add(url)
        moved.append(MovedPage(old.address, new.address, url, old_url, new.title, round(-share, 3)))
    return sorted(moved, key=lambda move: move.old_url)


def _share(old: PageContent, new: PageContent) -> float:
    both = (Counter(old.texts) & Counter(new.texts)).total()
    return both / max(len(old.texts), len(new.texts), 1)
