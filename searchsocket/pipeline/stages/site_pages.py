"""Stage 1: which pages there are, which of them changed, and which are gone (spec 8.2)."""

from collections.abc import Iterable, Iterator
from sqlite3 import Connection
from typing import NamedTuple

from searchsocket.errors import EmbeddingModelMismatch, IndexCorrupt, LargeDeletion, SourceUnavailable
from searchsocket.events import Event
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.digests import digest_of, sha256
from searchsocket.pipeline.run.results import StageResult
from searchsocket.pipeline.run.stage import empty_temporary_dir, stage
from searchsocket.sources.base import Source
from searchsocket.state.database import transaction
from searchsocket.state.pages import digest_rows, known_pages, put_page
from searchsocket.system.batches import batches
from searchsocket.types import RawPage

_BATCH = 500


@stage
def site_pages(run: ScopeRun, db: Connection) -> StageResult:
    """List the source's pages, read those that may have changed, and mark those that are gone.

    Raises:
        SourceUnavailable: Nothing can be listed.
        LargeDeletion: More than half of the known pages are gone; nothing was marked.
        EmbeddingModelMismatch: The scope is indexed with another model and the run is not forced.
    """
    refuse_another_model(run)
    if run.workspace is None:
        empty_temporary_dir(run)
    source = run.make_source()
    pages = _Limited(source.pages(), run.options.max_pages)
    # Which URLs were seen is kept by SQLite, on disk when there are many.
    db.execute("CREATE TEMP TABLE seen (url TEXT PRIMARY KEY) WITHOUT ROWID")
    found = changed = 0
    for batch in batches(pages, _BATCH):
        with transaction(db):
            taken = _take(run, db, source, batch)
        found += taken.found
        changed += taken.changed
        run.on_event(Event("progress", {"stage": "site_pages", "done": found, "total": source.report.expected}))
    report = source.report
    limited = pages.truncated or run.options.max_chunks is not None
    eligible = report.complete and not report.failed and not limited and found > 0
    removed = _mark_removed(run, db) if eligible else 0
    if eligible:
        db.execute("UPDATE scopes SET authoritative = 1 WHERE scope = ?", (run.scope.name,))
    version = digest_of(
        digest_rows(
            db, "SELECT url, raw_hash FROM pages WHERE scope = ? AND removed = 0 ORDER BY url", (run.scope.name,)
        )
    )
    return StageResult(
        stage="site_pages",
        total=found,
        numbers={
            "found": found,
            "changed": changed,
            "unchanged": found - changed,
            "skipped": len(report.skipped),
            "failed": len(report.failed),
            "gone": removed,
            "deletion_eligible": int(eligible),
        },
        version=version,
        seconds=0.0,
        warnings=_warnings(report.warnings, report.failed, eligible=eligible, limited=limited, found=found),
        tables={
            "Skipped files": [{"file": file, "reason": why} for file, why in sorted(report.skipped.items())[:100]],
            "Biggest pages": _biggest(db, run.scope.name),
        },
    )


def refuse_another_model(run: ScopeRun) -> None:
    """Spec 10.6: vectors of two models cannot be compared, so moving to another one is said aloud."""
    try:
        live = run.backends.store.generation(run.scope)
    except IndexCorrupt:
        return  # what cannot be read holds no vectors to compare with; the stage search_index builds it again
    model_id = run.backends.embedder.model_id
    if live is not None and live.model_id != model_id and not run.options.force:
        raise EmbeddingModelMismatch(run.scope.name, live.model_id, model_id)


class _Limited:
    """The first `limit` pages, and whether there were more."""

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


class _Taken(NamedTuple):
    """Pages of a batch that could be read, and how many of them changed."""

    found: int
    changed: int


def _take(run: ScopeRun, db: Connection, source: Source, batch: list[RawPage]) -> _Taken:
    known = known_pages(db, run.scope.name, [page.url for page in batch])
    found, changed = len(batch), 0
    for page in batch:
        old = known.get(page.url)
        # Seen even when it cannot be read: a failure is no removal.
        db.execute("INSERT OR IGNORE INTO seen (url) VALUES (?)", (page.url,))
        if (
            old is not None
            and page.stamp
            and (old.stamp, old.locator, old.served_url, old.removed)
            == (page.stamp, page.locator, page.served_url, False)
        ):
            continue
        try:
            data = source.read(page)
        except SourceUnavailable as error:
            source.report.failed[page.locator] = str(error)
            found -= 1
            continue
        raw_hash = sha256(data)
        changed += int(old is None or old.removed or old.raw_hash != raw_hash)
        put_page(db, run.scope.name, page, raw_hash, len(data))
        if old is not None and old.removed:
            db.execute("UPDATE scopes SET page_set_changed = 1 WHERE scope = ?", (run.scope.name,))
    return _Taken(found, changed)


def _mark_removed(run: ScopeRun, db: Connection) -> int:
    scope = run.scope.name
    gone = "scope = ? AND removed = 0 AND url NOT IN (SELECT url FROM seen)"
    removed = int(db.execute(f"SELECT COUNT(*) FROM pages WHERE {gone}", (scope,)).fetchone()[0])
    known = int(db.execute("SELECT COUNT(*) FROM pages WHERE scope = ? AND removed = 0", (scope,)).fetchone()[0])
    if removed * 2 > known and not run.options.accept_large_deletion:
        raise LargeDeletion(scope, removed, known)
    if removed:
        with transaction(db):
            db.execute(f"UPDATE pages SET removed = 1 WHERE {gone}", (scope,))
            db.execute("UPDATE scopes SET page_set_changed = 1 WHERE scope = ?", (scope,))
    return removed


def _biggest(db: Connection, scope: str) -> list[dict[str, object]]:
    rows = db.execute(
        "SELECT url, bytes, locator FROM pages WHERE scope = ? AND removed = 0 ORDER BY bytes DESC, url LIMIT 10",
        (scope,),
    )
    return [{"url": row[0], "bytes": row[1], "file": row[2]} for row in rows]


def _warnings(
    warnings: list[str], failed: dict[str, str], *, eligible: bool, limited: bool, found: int
) -> tuple[str, ...]:
    told = list(warnings)
    told += [f"{locator} could not be read: {error}" for locator, error in sorted(failed.items())]
    if limited:
        told.append("the run is limited (--max-pages, --max-chunks), so nothing is removed")
    elif found == 0:
        told.append("the source holds no pages, so nothing was removed")
    elif not eligible:
        told.append("not every page could be seen, so nothing was removed")
    return tuple(told)
