"""Stage 1: list the pages, and detect changed and removed ones (spec 8.2)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from searchsocket.content.pages import RawPage
from searchsocket.errors import EmbeddingModelMismatch, IndexCorrupt, LargeDeletion, SourceUnavailable
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.results import PageNumbers, StageResult, digest_of, lines_of, sha256
from searchsocket.pipeline.run.stage import Stage, empty_temporary_dir, stage
from searchsocket.project.settings.source_kinds import SourceKind
from searchsocket.sources.base import Source, SourceReport
from searchsocket.state.inventory import PageEntry
from searchsocket.state.scope import ScopeState
from searchsocket.system.batches import batches
from searchsocket.text.skipped import first_skipped

_BATCH = 500
_NAMED = 3


@stage(
    "Reading the site",
    PageNumbers,
    kinds={"html"},
    columns=(
        ("url", "string", "canonical URL; one row per page"),
        ("locator", "string", "file or URL in the source"),
        ("raw_hash", "string", "SHA-256 of the bytes"),
        ("bytes", "int", "size of the page in bytes"),
    ),
)
def site_pages(run: ScopeRun, state: ScopeState) -> StageResult[PageNumbers]:
    """List the pages of the site by canonical URL and detect which of them changed.

    Records if the source was read completely, because only a complete run may delete pages.

    Raises:
        SourceUnavailable: Nothing can be listed.
        LargeDeletion: More than half of the known pages are gone; nothing was marked.
        EmbeddingModelMismatch: The scope is indexed with another model and the run is not forced.
    """
    return list_pages(run, state, site_pages)


def list_pages(run: ScopeRun, state: ScopeState, stage: Stage[PageNumbers]) -> StageResult[PageNumbers]:
    """Compare a source's list with the known pages, for the stage of any corpus; raises the errors of `site_pages`."""
    refuse_another_model(run)
    if run.workspace is None:
        empty_temporary_dir(run)
    if run.scope.branch:
        state.pages.set_branch(run.scope.branch)
    source = run.make_source(state.pages.url_form())
    pages = _PageLimit(source.pages(), run.options.max_pages)
    total = changed = 0
    for batch in batches(pages, _BATCH):
        with state.transaction():
            counts = _take(state, source, batch)
        total += counts.total
        changed += counts.changed
        stage.progress(run, total, source.report.expected)
    report = source.report
    if report.url_form is not None:
        state.pages.set_url_form(report.url_form)
    limited = pages.truncated or run.options.max_chunks is not None
    eligible = report.complete and not report.failed and not limited and total > 0
    gone = _remove_unseen(run, state) if eligible else 0
    if eligible:
        state.pages.set_complete()
    version, facts = digest_of(lines_of(state.pages.hashes())), {**source.origin.facts(), **report.facts()}
    return StageResult(
        total=total,
        numbers=PageNumbers(
            found=total + len(report.skipped) + len(report.failed),
            changed=changed,
            unchanged=total - changed,
            files_skipped=len(report.skipped),
            failed=len(report.failed),
            gone=gone,
            deletion_eligible=int(eligible),
        ),
        version=version,
        warnings=(
            *_warnings(run, report, eligible=eligible, limited=limited, total=total),
            *_same_elsewhere(run, source.kind, version, facts),
        ),
        facts=facts,
        skipped=first_skipped(report.skipped),
        skip_reasons=dict(Counter(report.skipped.values())),
        tables={
            "Biggest pages": [
                {"url": page.url, "bytes": page.bytes, "file": page.locator} for page in state.pages.biggest(10)
            ],
        },
    )


def _same_elsewhere(run: ScopeRun, kind: SourceKind, version: str, facts: Mapping[str, str]) -> list[str]:
    """Warn if another scope read the same bytes from the same place: one of the two has the wrong pages."""
    if not kind.scope_setting:
        return []
    others = [
        scope
        for scope, report in run.state.last_reports(site_pages.name).items()
        if scope != run.scope.name and (report["version"], report.get("facts")) == (version, facts)
    ]
    if not others:
        return []
    examples = ", ".join(map(repr, others[:_NAMED])) + (f" and {len(others) - _NAMED} more" if others[_NAMED:] else "")
    return [f"scope {examples} has the same pages; build this one first, or use {{scope}} in {kind.scope_setting}"]


def refuse_another_model(run: ScopeRun) -> None:
    """Refuse a change of the model without `--force`: vectors of two models cannot be compared (spec 10.6)."""
    try:
        live = run.backends.store.generation(run.scope)
    except IndexCorrupt:
        return  # an unreadable index has no vectors to compare with; the stage search_index builds it again
    model_id = run.embedder.model_id
    if live is not None and live.model_id != model_id and not run.options.force:
        raise EmbeddingModelMismatch(run.scope.name, live.model_id, model_id)


class _PageLimit:
    """The first `limit` pages; `truncated` is True if there were more."""

    def __init__(self, pages: Iterable[RawPage], limit: int | None) -> None:
        self._pages = pages
        self._limit = limit
        self.truncated = False

    def __iter__(self) -> Iterator[RawPage]:
        for number, page in enumerate(self._pages):
            if self._limit is not None and number >= self._limit:
                self.truncated = True
                return
            yield page


class _ReadCounts(NamedTuple):
    """Numbers of pages of a batch that could be read, and that changed."""

    total: int
    changed: int


def _take(state: ScopeState, source: Source, batch: list[RawPage]) -> _ReadCounts:
    # Marked as seen even if it cannot be read: a failure is not a removal.
    earlier = state.pages.see([page.url for page in batch])
    total, changed = len(batch), 0
    for page in batch:
        before = earlier.get(page.url)
        if before is not None and _is_same(page, before):
            continue
        try:
            data = source.read(page)
        except SourceUnavailable as error:
            source.report.failed[page.locator] = str(error)
            total -= 1
            continue
        raw_hash = sha256(data)
        changed += int(before is None or before.removed or before.raw_hash != raw_hash)
        state.pages.put(page, raw_hash, len(data), before)
    return _ReadCounts(total, changed)


def _is_same(page: RawPage, before: PageEntry) -> bool:
    """Return True if the page is unchanged and need not be read."""
    return (
        bool(page.stamp)
        and not before.removed
        and (before.stamp, before.locator, before.served_url, before.address)
        == (page.stamp, page.locator, page.served_url, page.address)
    )


def _remove_unseen(run: ScopeRun, state: ScopeState) -> int:
    gone, total = state.pages.count_unseen(), state.pages.count()
    if gone * 2 > total and not run.options.accept_large_deletion:
        raise LargeDeletion(run.scope.name, gone, total)
    if gone:
        state.pages.remove_unseen()
    return gone


def _warnings(run: ScopeRun, report: SourceReport, *, eligible: bool, limited: bool, total: int) -> tuple[str, ...]:
    pages = run.corpus.documents
    lines = list(report.warnings)
    lines += [f"{locator} could not be read: {error}" for locator, error in sorted(report.failed.items())]
    if limited:
        lines.append("the run is limited (--max-pages, --max-chunks), so no page was deleted")
    elif total == 0:
        lines.append(f"the source contains no {pages}, so none was deleted")
    elif not eligible:
        lines.append(f"some {pages} could not be read, so none was deleted")
    return tuple(lines)
