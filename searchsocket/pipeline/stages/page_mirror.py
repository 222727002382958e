"""Stage 2: pages that changed become Markdown, links are counted, and the mirror on disk follows (spec 8.3, 8.4)."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from sqlite3 import Connection

from searchsocket.errors import StrictRoutesFailed
from searchsocket.events import Event
from searchsocket.html.converters import make_converter
from searchsocket.pipeline.extraction.carried import extract_on_cluster
from searchsocket.pipeline.extraction.job import (
    Extraction,
    ExtractionJob,
    extract_batch,
    extraction_key,
    given_up,
    one_page_each,
)
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.digests import digest_of
from searchsocket.pipeline.run.results import StageResult
from searchsocket.pipeline.run.stage import stage
from searchsocket.pipeline.stages.link_graph import resolve_links
from searchsocket.pipeline.stages.mirror_files import MirrorCounts, refresh_mirror
from searchsocket.settings.model import RunSettings
from searchsocket.state.database import transaction
from searchsocket.state.pages import (
    StoredPage,
    digest_rows,
    has_content,
    put_extract,
    same_extract,
    set_extract_key,
    stored_pages,
    to_extract,
)
from searchsocket.system.batches import batches
from searchsocket.system.processes import default_workers, map_batches
from searchsocket.types import ExtractedPage

_BATCH = 16
_WINDOW = 256  # pages whose rows are read at once
_SERIAL_BELOW_BYTES = 4_000_000  # of HTML; starting processes costs more than they save below this
_SERIAL_PAGE_BYTES = 500_000  # a larger page may take minutes, and is left to a process that can be ended
_TOLD = 20  # warnings of one kind that are spelled out


@stage
def page_mirror(run: ScopeRun, db: Connection) -> StageResult:
    """Extract what changed, count links, and bring the mirror files up to date.

    Raises:
        StrictRoutesFailed: Strict route mapping is on and a page has no exact route.
    """
    told = _Told()
    _extract_changed(run, db, told)
    resolve_links(db, run.scope.name)
    mirror = refresh_mirror(run, db)
    told.add("mirror", mirror.repaired)
    told.add("routes", mirror.routes)
    _hold_to_strict_routes(run, db)
    return _result(run, db, told, mirror)


class _Told:
    """Warnings by kind, capped when spelled out, so that a broken site does not flood the report."""

    def __init__(self) -> None:
        self.extracted = 0  # the reused ones included
        self.reused = 0
        self.failed = 0
        self._kinds: dict[str, list[str]] = {}
        self._counts: Counter[str] = Counter()

    def add(self, kind: str, warnings: Iterable[str]) -> None:
        kept = self._kinds.setdefault(kind, [])
        for warning in warnings:
            self._counts[kind] += 1
            if len(kept) < _TOLD:
                kept.append(warning)

    def lines(self) -> tuple[str, ...]:
        lines: list[str] = []
        for kind, warnings in self._kinds.items():
            lines += warnings
            if (more := self._counts[kind] - len(warnings)) > 0:
                lines.append(f"... and {more} more like the last one")
        return tuple(lines)


def _extract_changed(run: ScopeRun, db: Connection, told: _Told) -> None:
    settings = run.project.settings
    key = extraction_key(settings, run.site, make_converter(run.project.root, settings.extract))
    settings_json = run.project.settings.model_dump_json()
    # Only row ids are held: the rest of a page is read when its turn comes.
    todo = to_extract(db, run.scope.name, key, everything=run.options.force)
    total = len(todo)
    if not run.options.force:
        todo = _take_from_other_scopes(run, db, key, todo, told)
    jobs = (
        ExtractionJob(
            run.project.root, settings_json, run.source_mode, run.scope.name, run.fetched_dir, stored_pages(db, ids)
        )
        for ids in batches(todo, _BATCH)
    )
    for results in _extractions(run.project.settings.run, jobs, small=_is_small(db, todo)):
        with transaction(db):
            for result in results:
                _store(run, db, key, result, told)
        run.on_event(Event("progress", {"stage": "page_mirror", "done": told.extracted, "total": total}))


def _is_small(db: Connection, todo: Sequence[int]) -> bool:
    """Whether this process extracts the pages itself: few bytes in all, and no page that could hold it for long."""
    size = 0
    for ids in batches(todo, _WINDOW):
        sizes = [page.bytes for page in stored_pages(db, ids)]
        size += sum(sizes)
        if size >= _SERIAL_BELOW_BYTES or max(sizes) > _SERIAL_PAGE_BYTES:
            return False
    return True


def _extractions(settings: RunSettings, jobs: Iterable[ExtractionJob], *, small: bool) -> Iterator[list[Extraction]]:
    """The batches, extracted here, by processes or by a cluster; the same in the same order."""
    if settings.dask_address and not small:
        return extract_on_cluster(jobs, settings)
    return map_batches(
        extract_batch,
        jobs,
        workers=0 if small else settings.workers or default_workers(),
        lost=lambda job: given_up(job.pages, settings),
        split=one_page_each,
    )


def _take_from_other_scopes(run: ScopeRun, db: Connection, key: str, todo: Sequence[int], told: _Told) -> "array[int]":
    """A branch shares nearly all its pages with another one: what that one extracted is taken over.

    Returns:
        The row ids of pages that no other scope knows.
    """
    left = array("q")
    for ids in batches(todo, _WINDOW):
        with transaction(db):
            for page in stored_pages(db, ids):
                extracted = same_extract(db, page, f"{page.raw_hash}:{key}")
                if extracted is None:
                    left.append(page.id)
                else:
                    _store(run, db, key, Extraction(page, page.raw_hash, extracted), told)
                    told.reused += 1
    return left


def _store(run: ScopeRun, db: Connection, key: str, result: Extraction, told: _Told) -> None:
    page, extracted = result.page, result.extracted
    if extracted is None:
        told.failed += 1
        told.add("failed", [f"{page.raw.url} ({page.raw.locator}) failed: {result.error}"])
        return
    told.extracted += 1
    told.add("page", [f"{page.raw.url}: {warning}" for warning in extracted.warnings])
    extract_key = f"{page.raw_hash}:{key}"
    if result.raw_hash != page.raw_hash:  # rewritten between listing and reading: the next run looks again
        db.execute("UPDATE pages SET stamp = '', raw_hash = ? WHERE id = ?", (result.raw_hash, page.id))
        extract_key = f"{result.raw_hash}:{key}"
    if _lost_its_content(run, db, page, extracted):
        told.add("lost", [f"{page.raw.url} has no content any more; its old content is kept (--force takes it out)"])
        set_extract_key(db, page.id, f"{extract_key}:kept")  # looked at, and told, again on the next run
        return
    put_extract(db, page.id, run.scope.name, extract_key, extracted)
    run.on_event(Event("page_extracted", {"url": page.raw.url, "main": extracted.main, "skip": extracted.skip}))


def _lost_its_content(run: ScopeRun, db: Connection, page: StoredPage, extracted: ExtractedPage) -> bool:
    """A page that becomes empty is more often a selector that no longer fits than a page without text."""
    return extracted.skip == "empty" and not run.options.force and has_content(db, page.id)


def _hold_to_strict_routes(run: ScopeRun, db: Connection) -> None:
    if not (run.options.strict_routes or run.project.settings.routes.strict):
        return
    rows = db.execute(
        "SELECT url, route_resolution FROM pages WHERE scope = ? AND removed = 0 AND skip = '' "
        "AND mirror_digest != '' AND route_resolution != 'exact' ORDER BY url",
        (run.scope.name,),
    ).fetchall()
    if rows:
        listed = ", ".join(f"{url} ({resolution})" for url, resolution in rows[:_TOLD])
        more = f" and {len(rows) - _TOLD} more" if len(rows) > _TOLD else ""
        raise StrictRoutesFailed(f"{len(rows)} pages have no exact route: {listed}{more}; fix them or drop strict mode")


def _result(run: ScopeRun, db: Connection, told: _Told, mirror: MirrorCounts) -> StageResult:
    scope = run.scope.name
    routes: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    for skip, resolution, count in db.execute(
        "SELECT skip, route_resolution, COUNT(*) FROM pages WHERE scope = ? AND removed = 0 AND extract_key != '' "
        "GROUP BY skip, route_resolution",
        (scope,),
    ):
        if skip:
            skipped[skip] += count
        else:
            routes[resolution] += count
    indexed = sum(routes.values())
    version = digest_of(
        digest_rows(
            db, "SELECT url, mirror_digest FROM pages WHERE scope = ? AND mirror_digest != '' ORDER BY url", (scope,)
        )
    )
    return StageResult(
        stage="page_mirror",
        total=indexed,
        numbers={
            "indexed": indexed,
            "extracted": told.extracted - told.reused,
            "reused": told.reused,
            "written": mirror.written,
            "unchanged": indexed - mirror.written,
            "removed": mirror.removed,
            "skipped": sum(skipped.values()),
            "failed": told.failed,
            "routes_exact": routes["exact"],
            "routes_best_effort": routes["best-effort"],
            "routes_none": routes["none"],
        },
        version=version,
        seconds=0.0,
        warnings=told.lines(),
        tables={"Skipped pages": [{"reason": reason, "pages": count} for reason, count in sorted(skipped.items())]},
    )
