"""Detect pages that moved to another URL, by comparing the hashes of their chunks."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_SAME = 0.5  # minimum share of equal chunks, of the page with more chunks


@dataclass(frozen=True, slots=True)
class PageContent:
    """The chunks of one page as hashes of their text; the hashes depend on neither scope nor URL."""

    url: str
    address: str  # the path that opens it
    title: str
    texts: tuple[str, ...]  # content hash of each chunk, in page order


@dataclass(frozen=True, slots=True)
class MovedPage:
    """A page whose content is now at another URL."""

    before: str  # the old address
    after: str  # the new address
    url: str
    old_url: str
    title: str
    same: float  # share of unchanged chunks


def moved_pages(removed: Sequence[PageContent], added: Sequence[PageContent]) -> list[MovedPage]:
    """Match each removed page with the added page that shares most of its content, if they share at least half.

    Each page is matched at most once. Pairs with the largest share are matched first, then pairs with the same last
    URL segment, then by URL.
    """
    places: dict[str, list[PageContent]] = {}
    for page in added:
        for text in set(page.texts):
            places.setdefault(text, []).append(page)
    pairs = [
        (-share, old.url.rpartition("/")[2] != new.url.rpartition("/")[2], old.url, new.url, old, new)
        for old in removed
        for new in {page.url: page for text in set(old.texts) for page in places.get(text, ())}.values()
        if (share := _share(old, new)) >= _SAME
    ]
    sources: set[str] = set()
    targets: set[str] = set()
    moves: list[MovedPage] = []
    for share, _, old_url, url, old, new in sorted(pairs, key=lambda pair: pair[:4]):
        if old_url in sources or url in targets:
            continue
        sources.add(old_url)
        targets.add(url)
        moves.append(MovedPage(old.address, new.address, url, old_url, new.title, round(-share, 3)))
    return sorted(moves, key=lambda move: move.old_url)


def _share(old: PageContent, new: PageContent) -> float:
    common = (Counter(old.texts) & Counter(new.texts)).total()
    return common / max(len(old.texts), len(new.texts), 1)
