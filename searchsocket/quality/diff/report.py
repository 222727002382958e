"""Two generations compared in all that a reviewer asks for."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from searchsocket.backends import Backends
from searchsocket.content.chunking.moved import PageContent
from searchsocket.errors import PageTextsMissing
from searchsocket.models.paying.cost import estimate
from searchsocket.pipeline.run.dead_links import is_file
from searchsocket.project.project import Project
from searchsocket.quality.diff.compare import ContentChanges, compare
from searchsocket.quality.diff.pages import read_content
from searchsocket.quality.golden import golden_queries
from searchsocket.quality.judgement import IndexJudgement
from searchsocket.quality.judging import judge_readers
from searchsocket.state.links import LinkToNowhere
from searchsocket.stores.base import IndexReader
from searchsocket.types import Generation
from searchsocket.web.urls.targets import resolve_target


@dataclass(frozen=True, slots=True)
class Diff:
    """Differences between two generations."""

    before: Generation
    after: Generation
    content: ContentChanges
    cost_usd: float  # of embedding what is new, estimated
    dead_links: tuple[LinkToNowhere, ...]  # that were not there before
    judgement: IndexJudgement | None  # of the golden queries of the scope; None: it has none

    def to_json(self) -> Mapping[str, Any]:
        """For machines; the names are public."""
        content, judged = self.content, self.judgement
        return {
            "before": _named(self.before),
            "after": _named(self.after),
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
        """Rows of a `_redirects` file, by which old addresses lead to where their pages are now."""
        return [f"{move.before} {move.after} 301" for move in self.content.moved]


def diff_of(
    project: Project, backends: Backends, before: IndexReader, after: IndexReader, clock: Callable[[], datetime]
) -> Diff:
    """Compare `after` with `before`.

    Raises:
        EmbedderUnavailable: A golden query could not be embedded.
        ConfigError, ConfigMissing: The file of golden queries cannot be used.
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


def _named(generation: Generation) -> Mapping[str, Any]:
    names = ("scope", "name", "published_at", "source_revision", "pages", "records")
    return {name: getattr(generation, name) for name in names}


def _page(page: PageContent) -> Mapping[str, Any]:
    return {"url": page.url, "title": page.title, "chunks": len(page.texts)}


_LINK = re.compile(r"\]\((/[^\s()<>\"']*)")  # of a mirror file, where links within the site are paths


def links_to_nowhere(reader: IndexReader, urls: Iterable[str]) -> set[LinkToNowhere]:
    """The dead links of all pages; none where an older version published the index without its texts.

    Args:
        urls: Of all pages of the generation.
    """
    pages = set(urls)
    answers: dict[str, bool] = {}
    dead_links = set()
    for url in pages:
        try:
            text = reader.catalogue.page_body(url) or ""
        except PageTextsMissing:
            return set()
        for target in dict.fromkeys(match.partition("#")[0].partition("?")[0] for match in _LINK.findall(text)):
            if target not in answers:
                answers[target] = not is_file(target) and resolve_target(target, pages.__contains__) is None
            if answers[target]:
                dead_links.add(LinkToNowhere(target, url))
    return dead_links
