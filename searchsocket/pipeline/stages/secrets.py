"""Report probable secrets in the texts of pages: their number and pages, never their values (spec 24)."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from searchsocket.pipeline.extraction.redaction_job import (
    RedactedPage,
    RedactionJob,
    one_page_each,
    pages_without_answer,
    redact_batch,
)
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.state.inventory import Problem
from searchsocket.state.scope import ScopeState
from searchsocket.system.processes import default_workers, map_batches

P = TypeVar("P")
_NAMED = 10  # pages
_EVERY = 1_000_000_000


def redact_pages(
    run: ScopeRun, batches: Iterable[Sequence[tuple[P, Sequence[str]]]]
) -> Iterator[list[tuple[P, RedactedPage]]]:
    """Redact the texts of pages in workers, within the limits of a page; in order, and yield them with their pages.

    Texts that stay on this machine are passed on unchanged, and start no worker.

    Args:
        batches: Pages, each with its texts.
    """
    settings, redactor = run.project.settings.run, run.redactor
    pages: deque[Sequence[P]] = deque()

    def jobs() -> Iterator[RedactionJob]:
        for batch in batches:
            pages.append([page for page, _ in batch])
            yield RedactionJob(redactor, settings, [texts for _, texts in batch])

    workers = (settings.workers or default_workers()) if redactor else 0
    results = map_batches(redact_batch, jobs(), workers=workers, lost=pages_without_answer, split=one_page_each)
    remaining: list[P] = []
    for result in results:
        remaining = remaining or list(pages.popleft())
        batch, remaining = remaining[: len(result)], remaining[len(result) :]
        yield list(zip(batch, result, strict=True))


def secret_count(page: RedactedPage) -> list[str]:
    """The problem of a page with secrets."""
    return [str(page.secrets)] if page.secrets else []


def secret_lines(state: ScopeState) -> list[str]:
    """Return one line about all pages; empty if no text looks like a secret."""
    pages = _pages(state)
    if not pages:
        return []
    total = sum(int(page.text) for page in pages)
    examples = [f"{page.url} ({page.text})" for page in pages[:_NAMED]]
    more = [f"and {len(pages) - _NAMED} more"] if len(pages) > _NAMED else []
    values = "1 value" if total == 1 else f"{total:,} values"
    pages_text = "1 page" if len(pages) == 1 else f"{len(pages):,} pages"
    look = "looks like a secret and was" if total == 1 else "look like secrets and were"
    return [f"{values} on {pages_text} {look} not sent to the provider: {', '.join([*examples, *more])}"]


def secret_table(state: ScopeState) -> dict[str, list[dict[str, object]]]:
    """Return a table of the pages with most probable secrets."""
    pages = sorted(_pages(state), key=lambda page: (-int(page.text), page.url))[:_NAMED]
    rows = [{"url": page.url, "values": int(page.text)} for page in pages]
    return {"Pages with what looks like a secret": rows} if rows else {}


def _pages(state: ScopeState) -> list[Problem]:
    return state.problems.first("secrets", _EVERY)
