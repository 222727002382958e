"""Compare two generations for a review: content, cost, dead links and golden queries."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime

from searchsocket.backends import Backends
from searchsocket.content.chunking.records import MovedPage, PageContent, embedded_text, moved_pages
from searchsocket.errors import PageTextsMissing
from searchsocket.models.paying.cost import estimate, estimate_tokens
from searchsocket.project.project import Project
from searchsocket.quality.checks import is_file
from searchsocket.quality.gate import judge_readers
from searchsocket.quality.golden import golden_queries
from searchsocket.quality.judgement import IndexJudgement
from searchsocket.state.links import LinkToNowhere
from searchsocket.stores.base.index_reader import IndexReader
from searchsocket.system.json_text import JsonObject
from searchsocket.types import Generation, Record
from searchsocket.web.urls.targets import resolve_target

_BATCH = 500


@dataclass(frozen=True, slots=True)
class Content:
    """A whole generation."""

    pages: Mapping[str, PageContent]  # by URL
    tokens: Mapping[str, int]  # of each text, by its hash, estimated


def read_content(reader: IndexReader) -> Content:
    """Read all pages of a generation, in batches of records; keeps only hashes, titles and records' order."""
    pages: dict[str, list[tuple[int, str, Record]]] = {}
    tokens: dict[str, int] = {}
    for record in _records(reader):
        tokens[record.content_hash] = estimate_tokens(embedded_text(record.page.title, record.chunk))
        pages.setdefault(record.page.url, []).append((record.chunk.ordinal, record.content_hash, record))
    return Content({url: _page_of_rows(url, rows) for url, rows in sorted(pages.items())}, tokens)


def _records(reader: IndexReader) -> Iterator[Record]:
    after = ""
    while batch := reader.catalogue.fingerprints(after, _BATCH):
        yield from reader.catalogue.records([record_id for record_id, _ in batch])
        after = batch[-1][0]


def _page_of_rows(url: str, rows: list[tuple[int, str, Record]]) -> PageContent:
    facts = rows[0][2].page
    texts = tuple(content_hash for _, content_hash, _ in sorted(rows, key=lambda row: row[:2]))
    return PageContent(url, facts.address or url, facts.title, texts)


@dataclass(frozen=True, slots=True)
class _ChangedPage:
    """A page whose text changed."""

    url: str
    title: str
    added: int  # chunks
    removed: int


@dataclass(frozen=True, slots=True)
class _ContentChanges:
    """Differences between two generations, each list by URL."""

    added: tuple[PageContent, ...]
    removed: tuple[PageContent, ...]
    changed: tuple[_ChangedPage, ...]
    moved: tuple[MovedPage, ...]
    unchanged: int  # pages
    chunks_added: int
    chunks_removed: int
    new_texts: int  # texts that are nowhere in the old generation
    new_tokens: int  # estimated tokens of these texts

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.removed or self.changed or self.moved)


@dataclass(frozen=True, slots=True)
class Diff:
    """Differences between two generations."""

    before: Generation
    after: Generation
    content: _ContentChanges
    cost_usd: float  # estimated cost to embed the new texts
    dead_links: tuple[LinkToNowhere, ...]  # new ones only
    judgement: IndexJudgement | None  # of the scope's golden queries; None if it has none

    def to_json(self) -> JsonObject:
        """Return the diff as JSON; its keys are public."""
        content, judged = self.content, self.judgement
        return {
            "before": _generation(self.before),
            "after": _generation(self.after),
            "pages": {
                "added": list(map(_page, content.added)),
                "removed": list(map(_page, content.removed)),
                "changed": [asdict(page) for page in content.changed],
                "moved": [{"from": move.before, "to": move.after, "same": move.same} for move in content.moved],
                "unchanged": content.unchanged,
            },
            "chunks": {"added": content.chunks_added, "removed": content.chunks_removed, "newTexts": content.new_texts},
            "cost": {"tokens": content.new_tokens, "usd": self.cost_usd},
            "redirects": self.redirects(),
            "deadLinks": [link._asdict() for link in self.dead_links],
            "golden": None
            if judged is None
            else {
                "passed": judged.passed,
                "reasons": judged.reasons,
                "measures": asdict(judged.now),
                "before": asdict(judged.before) if judged.before else None,
                "moves": [{**asdict(move), "worse": move.is_worse} for move in judged.moves],
            },
        }

    def redirects(self) -> list[str]:
        """Return rows of a `_redirects` file, from the old URLs of moved pages to their new ones."""
        return [f"{move.before} {move.after} 301" for move in self.content.moved]


def diff_of(
    project: Project, backends: Backends, before: IndexReader, after: IndexReader, clock: Callable[[], datetime]
) -> Diff:
    """Compare `after` with `before`.

    Raises:
        EmbedderUnavailable: A golden query could not be embedded.
        ConfigError, ConfigMissing: The file of golden queries is not valid or does not exist.
    """
    old, new = read_content(before), read_content(after)
    content = compare(old, new)
    dead = links_to_nowhere(after, new.pages) - links_to_nowhere(before, old.pages)
    scope = project.scope_named(after.generation.scope)
    queries = golden_queries(project.root, project.settings.golden.file, scope.name, "site")
    judged = judge_readers(project, backends, scope, queries, after, before, clock) if queries else None
    price = backends.embedder_of(after.generation.model_id).price_per_million_tokens_usd
    cost = estimate(content.new_tokens, price)
    return Diff(before.generation, after.generation, content, cost, tuple(sorted(dead)), judged)


def _generation(generation: Generation) -> JsonObject:
    names = ("scope", "name", "published_at", "source_revision", "pages", "records")
    return {name: getattr(generation, name) for name in names}


def _page(page: PageContent) -> JsonObject:
    return {"url": page.url, "title": page.title, "chunks": len(page.texts)}


_LINK = re.compile(r"\]\((/[^\s()<>\"']*)")  # in a mirror file, internal links are paths


def links_to_nowhere(reader: IndexReader, urls: Iterable[str]) -> set[LinkToNowhere]:
    """Return the dead links of all pages; empty if an older version published the index without its texts.

    Args:
        urls: URLs of all pages of the generation.
    """
    pages = set(urls)
    is_dead: dict[str, bool] = {}  # by target
    dead_links = set()
    for url in pages:
        try:
            text = reader.catalogue.page_body(url) or ""
        except PageTextsMissing:
            return set()
        for target in dict.fromkeys(match.partition("#")[0].partition("?")[0] for match in _LINK.findall(text)):
            if target not in is_dead:
                is_dead[target] = not is_file(target) and resolve_target(target, pages.__contains__) is None
            if is_dead[target]:
                dead_links.add(LinkToNowhere(target, url))
    return dead_links


def compare(before: Content, after: Content) -> _ContentChanges:
    """Compare two generations."""
    old_pages = [page for url, page in before.pages.items() if url not in after.pages]
    new_pages = [page for url, page in after.pages.items() if url not in before.pages]
    moves = moved_pages(old_pages, new_pages)
    sources, targets = {move.old_url for move in moves}, {move.url for move in moves}
    pairs = [(before.pages[url], page) for url, page in after.pages.items() if url in before.pages]
    changes = [_changed_page(old, new) for old, new in pairs if Counter(old.texts) != Counter(new.texts)]
    old_texts, new_texts = _texts(before.pages.values()), _texts(after.pages.values())
    added_texts = set(new_texts) - set(old_texts)
    return _ContentChanges(
        added=tuple(page for page in new_pages if page.url not in targets),
        removed=tuple(page for page in old_pages if page.url not in sources),
        changed=tuple(changes),
        moved=tuple(moves),
        unchanged=len(pairs) - len(changes),
        chunks_added=(new_texts - old_texts).total(),
        chunks_removed=(old_texts - new_texts).total(),
        new_texts=len(added_texts),
        new_tokens=sum(after.tokens[text] for text in added_texts),
    )


def _changed_page(old: PageContent, new: PageContent) -> _ChangedPage:
    old_texts, new_texts = Counter(old.texts), Counter(new.texts)
    return _ChangedPage(new.url, new.title, (new_texts - old_texts).total(), (old_texts - new_texts).total())


def _texts(pages: Iterable[PageContent]) -> Counter[str]:
    return Counter(text for page in pages for text in page.texts)
