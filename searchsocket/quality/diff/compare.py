"""Pages and chunks that came, went, changed or moved; from values alone."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from searchsocket.quality.diff.pages import Content, PageContent

_SAME = 0.5  # of the chunks of the larger page, for a page to be that of another URL


@dataclass(frozen=True, slots=True)
class ChangedPage:
    """A page that says something else."""

    url: str
    title: str
    added: int  # chunks
    removed: int


@dataclass(frozen=True, slots=True)
class MovedPage:
    """A page whose content is found at another URL."""

    before: str  # what opened it
    after: str
    url: str
    old_url: str
    title: str
    same: float  # share of its chunks that are as they were


@dataclass(frozen=True, slots=True)
class ContentChanges:
    """How one generation differs from another, each list by URL."""

    added: tuple[PageContent, ...]
    removed: tuple[PageContent, ...]
    changed: tuple[ChangedPage, ...]
    moved: tuple[MovedPage, ...]
    unchanged: int  # pages
    chunks_added: int
    chunks_removed: int
    new_texts: int  # that the other generation nowhere has
    new_tokens: int  # of these, estimated

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.removed or self.changed or self.moved)


def compare(before: Content, after: Content) -> ContentChanges:
    """How `after` differs from `before`."""
    gone = [page for url, page in before.pages.items() if url not in after.pages]
    came = [page for url, page in after.pages.items() if url not in before.pages]
    moved = moved_pages(gone, came)
    sources, targets = {move.old_url for move in moved}, {move.url for move in moved}
    pairs = [(before.pages[url], page) for url, page in after.pages.items() if url in before.pages]
    changed = [_changed(old, new) for old, new in pairs if Counter(old.texts) != Counter(new.texts)]
    was, now = _texts(before.pages.values()), _texts(after.pages.values())
    new = set(now) - set(was)
    return ContentChanges(
        added=tuple(page for page in came if page.url not in targets),
        removed=tuple(page for page in gone if page.url not in sources),
        changed=tuple(changed),
        moved=tuple(moved),
        unchanged=len(pairs) - len(changed),
        chunks_added=(now - was).total(),
        chunks_removed=(was - now).total(),
        new_texts=len(new),
        new_tokens=sum(after.tokens[text] for text in new),
    )


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
    taken: set[str] = set()
    moved: list[MovedPage] = []
    for share, _, old_url, url, old, new in sorted(agreeing, key=lambda each: each[:4]):
        if f"<{old_url}" in taken or f">{url}" in taken:
            continue
        taken |= {f"<{old_url}", f">{url}"}
        moved.append(MovedPage(old.address, new.address, url, old_url, new.title, round(-share, 3)))
    return sorted(moved, key=lambda move: move.old_url)


def _share(old: PageContent, new: PageContent) -> float:
    both = (Counter(old.texts) & Counter(new.texts)).total()
    return both / max(len(old.texts), len(new.texts), 1)


def _changed(old: PageContent, new: PageContent) -> ChangedPage:
    was, now = Counter(old.texts), Counter(new.texts)
    return ChangedPage(new.url, new.title, (now - was).total(), (was - now).total())


def _texts(pages: Iterable[PageContent]) -> Counter[str]:
    return Counter(text for page in pages for text in page.texts)
