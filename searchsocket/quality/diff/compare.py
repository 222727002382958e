"""Pages and chunks that came, went, changed or moved; from values alone."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from searchsocket.content.chunking.moved import MovedPage, PageContent, moved_pages
from searchsocket.quality.diff.pages import Content


@dataclass(frozen=True, slots=True)
class ChangedPage:
    """A page that says something else."""

    url: str
    title: str
    added: int  # chunks
    removed: int


@dataclass(frozen=True, slots=True)
class ContentChanges:
    """Differences between two generations, each list by URL."""

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
    """Compare two generations."""
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


def _changed(old: PageContent, new: PageContent) -> ChangedPage:
    was, now = Counter(old.texts), Counter(new.texts)
    return ChangedPage(new.url, new.title, (now - was).total(), (was - now).total())


def _texts(pages: Iterable[PageContent]) -> Counter[str]:
    return Counter(text for page in pages for text in page.texts)
