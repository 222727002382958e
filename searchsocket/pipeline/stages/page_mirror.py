"""Stage 2: extract changed pages to Markdown, count links, find versions, update the mirror (spec 8.3, 8.4)."""

import difflib
import json
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from searchsocket.content.html.extract import EXTRACTOR_VERSION
from searchsocket.content.mirror import mirror_name
from searchsocket.content.pages import DOCUMENTS, ExtractedPage
from searchsocket.errors import ConfigError, StrictRoutesFailed
from searchsocket.events import Event
from searchsocket.pipeline.extraction.cluster import cluster_of
from searchsocket.pipeline.extraction.job import (
    Extraction,
    ExtractionJob,
    extract_batch,
    extraction_key,
    one_page_each,
    pages_without_answer,
    project_converter,
)
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.results import MirrorNumbers, StageResult, Table, digest_of, lines_of
from searchsocket.pipeline.run.stage import stage
from searchsocket.pipeline.stages.mirror_files import MirrorCounts, refresh_mirror
from searchsocket.pipeline.stages.site_pages import site_pages
from searchsocket.project.settings.model import RunSettings
from searchsocket.sources.static_output import listed_texts
from searchsocket.state.extracts import COPY, EXCLUDED_VERSION, NO_MARK, StoredPage, extract_key
from searchsocket.state.inventory import ProblemPart
from searchsocket.state.scope import ScopeState
from searchsocket.system.batches import batches
from searchsocket.system.processes import default_workers, map_batches
from searchsocket.text.skipped import MAX_SKIPPED, Skipped
from searchsocket.types import VersionFamily
from searchsocket.web.languages import page_languages
from searchsocket.web.urls.targets import resolve_target
from searchsocket.web.versions.families import (
    DETECTION_VERSION,
    UNMARKED,
    Placement,
    VersionRules,
    canonical_urls,
    find_families,
    place,
)
from searchsocket.web.versions.names import matches, read_listed
from searchsocket.web.versions.rows import VERSIONS, version_rows

SPELLED_OUT = 20  # of one kind
ALL = "all"
_LINKS_AT_ONCE = 5_000


def problem_lines(state: ScopeState, part: ProblemPart) -> tuple[str, ...]:
    """One line per problem of these pages; after the first ones, one line with the number of the others."""
    lines = [f"{problem.url}: {problem.text}" for problem in state.problems.first(part, SPELLED_OUT)]
    more = state.problems.count(part) - len(lines)
    return (*lines, f"... and {more} more like the last one") if more else tuple(lines)


_BATCH = 16
_WINDOW = 256  # pages whose rows are read at once
_SERIAL_BELOW_BYTES = 4_000_000  # of HTML; starting processes costs more than they save below this
_SERIAL_PAGE_BYTES = 500_000  # a larger page may take minutes, so a process that can be ended extracts it
_PREVIEW_CHARS = 2_000
SKIP_REASONS = {
    "empty": "no text",
    "encrypted": "a document with a password",
    "list": "a list of other pages",
    "noindex": "noindex",
    "redirect": "a redirect",
    COPY: "duplicate",
    EXCLUDED_VERSION: "an excluded version",
    NO_MARK: "no data-pagefind-body, which other pages have",
}


@stage(
    "Writing the mirror",
    MirrorNumbers,
    reads=[site_pages],
    version=EXTRACTOR_VERSION,
    kinds={"markdown"},
    columns=(
        ("url", "string", "canonical URL; one file per page"),
        ("title", "string", "title of the page"),
        ("route_file", "string", "route file of the page; empty if unknown"),
        ("incoming_links", "int", "number of pages that link to this page"),
        ("body", "string", "main content as Markdown"),
    ),
)
def page_mirror(run: ScopeRun, state: ScopeState) -> StageResult[MirrorNumbers]:
    """Extract the main content of each page into Markdown files that people can read and diff.

    Each file also records the route file of the page and the number of links to it.

    Raises:
        StrictRoutesFailed: Strict route mapping is on and a page has no exact route.
    """
    report = _Report()
    _extract_changed(run, state, report)
    report.warn("versions", detect_versions(run, state))
    settle_languages(state)
    resolve_links(state)
    mirror = refresh_mirror(run, state)
    state.links.set_resolved()
    report.warn("mirror", mirror.repaired)
    report.warn("routes", mirror.routes)
    _check_strict_routes(run, state)
    return _result(state, report, mirror)


class _Report:
    """Counts and warnings of the pages.

    Only the first warnings of each kind are spelled out, so that a broken site does not flood the report.
    """

    def __init__(self) -> None:
        self.extracted = 0  # including reused ones
        self.reused = 0
        self.failed = 0
        self._kinds: dict[str, list[str]] = {}
        self._counts: Counter[str] = Counter()

    def warn(self, kind: str, warnings: Iterable[str]) -> None:
        examples = self._kinds.setdefault(kind, [])
        for warning in warnings:
            self._counts[kind] += 1
            if len(examples) < SPELLED_OUT:
                examples.append(warning)

    def lines(self) -> tuple[str, ...]:
        lines: list[str] = []
        for kind, warnings in self._kinds.items():
            lines += warnings
            if (more := self._counts[kind] - len(warnings)) > 0:
                lines.append(f"... and {more} more like the last one")
        return tuple(lines)


def _extract_changed(run: ScopeRun, state: ScopeState, report: _Report) -> None:
    settings = run.project.settings
    how = extraction_key(settings, run.site, project_converter(run.project.root, settings))
    settings_json = run.project.settings.model_dump_json()
    # Only ids are stored in memory: a page is read when it is extracted.
    if not run.options.force:
        report.reused = report.extracted = state.origin.take_pages(how)
    stale: Sequence[int] = state.extracts.stale(how, everything=run.options.force)
    total = report.extracted + len(stale)
    if not run.options.force:
        stale = _take_from_other_scopes(run, state, how, stale, report)
    jobs = (
        ExtractionJob(
            run.project.root,
            settings_json,
            run.source_mode,
            run.scope.name,
            run.fetched_dir,
            state.extracts.pages(ids),
            run_id=run.run_id,
        )
        for ids in batches(stale, _BATCH)
    )
    for results in _extractions(run.project.settings.run, jobs, small=_is_small(state, stale)):
        with state.transaction():
            for result in results:
                _store(run, state, how, result, report)
        page_mirror.progress(run, report.extracted, total)


def settle_languages(state: ScopeState) -> None:
    """Decide the language of each page, and which pages are translations, unless the set of pages is unchanged."""
    if not state.languages.is_settled():
        state.languages.settle(page_languages(state.languages.pages()))


def _is_small(state: ScopeState, stale: Sequence[int]) -> bool:
    """Return True if this process extracts the pages itself: little data, and no page that could take long."""
    size = 0
    for ids in batches(stale, _WINDOW):
        pages = state.extracts.pages(ids)
        sizes = [page.bytes for page in pages]
        size += sum(sizes)
        if size >= _SERIAL_BELOW_BYTES or max(sizes) > _SERIAL_PAGE_BYTES:
            return False
        if any(page.raw.kind in DOCUMENTS.values() for page in pages):  # compressed: their size means nothing
            return False
    return True


def _extractions(settings: RunSettings, jobs: Iterable[ExtractionJob], *, small: bool) -> Iterator[list[Extraction]]:
    """Extract the batches here, in processes or on a cluster; results have the same order."""
    if not small and (cluster := cluster_of(settings)):
        return cluster.extract(jobs)
    return map_batches(
        extract_batch,
        jobs,
        workers=0 if small else settings.workers or default_workers(),
        lost=lambda job: pages_without_answer(job.pages, settings),
        split=one_page_each,
    )


def _take_from_other_scopes(
    run: ScopeRun, state: ScopeState, how: str, stale: Sequence[int], report: _Report
) -> Sequence[int]:
    """Copy extracts from other scopes: a branch shares nearly all its pages with another branch.

    Returns:
        The pages that no other scope has.
    """
    remaining = array("q")
    for ids in batches(stale, _WINDOW):
        with state.transaction():
            for page in state.extracts.pages(ids):
                extracted = state.extracts.same_elsewhere(page, extract_key(page.raw, page.raw_hash, how))
                if extracted is None:
                    remaining.append(page.id)
                else:
                    _store(run, state, how, Extraction(page, page.raw_hash, extracted), report)
                    report.reused += 1
    return remaining


def _store(run: ScopeRun, state: ScopeState, how: str, result: Extraction, report: _Report) -> None:
    page, extracted = result.page, result.extracted
    if extracted is None:
        report.failed += 1
        report.warn("failed", [f"{page.raw.url} ({page.raw.locator}) failed: {result.error}"])
        return
    report.extracted += 1
    state.problems.replace(page.id, "page", extracted.warnings)
    if result.raw_hash != page.raw_hash:  # rewritten between listing and reading
        state.extracts.rewritten(page.id, result.raw_hash)
    if _lost_its_content(run, state, page, extracted):
        report.warn("lost", [f"{page.raw.url} has no content now; its old content is kept (--force deletes it)"])
        return  # it is extracted again, with a warning, in the next run
    state.extracts.put(page.id, extract_key(page.raw, result.raw_hash, how), extracted)
    run.on_event(Event("page_extracted", {"url": page.raw.url, "main": extracted.main, "skip": extracted.skip}))


def _lost_its_content(run: ScopeRun, state: ScopeState, page: StoredPage, extracted: ExtractedPage) -> bool:
    """Return True if a page became empty; more often a selector no longer matches than the page lost its text."""
    return extracted.skip == "empty" and not run.options.force and state.extracts.is_searchable(page.id)


def _check_strict_routes(run: ScopeRun, state: ScopeState) -> None:
    if not (run.options.strict_routes or run.project.settings.routes.strict):
        return
    if rows := list(state.extracts.without_exact_route()):
        listed = ", ".join(f"{url} ({resolution})" for url, resolution in rows[:SPELLED_OUT])
        more = f" and {len(rows) - SPELLED_OUT} more" if len(rows) > SPELLED_OUT else ""
        raise StrictRoutesFailed(
            f"{len(rows)} pages have no exact route: {listed}{more}; fix them, or turn strict mode off"
        )


def _result(state: ScopeState, report: _Report, mirror: MirrorCounts) -> StageResult[MirrorNumbers]:
    routes: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    for skip, resolution, count in state.extracts.census():
        if skip:
            skipped[skip] += count
        else:
            routes[resolution] += count
    indexed = sum(routes.values())
    return StageResult(
        total=indexed,
        numbers=MirrorNumbers(
            indexed=indexed,
            extracted=report.extracted - report.reused,
            reused=report.reused,
            written=mirror.written,
            unchanged=indexed - mirror.written,
            removed=mirror.removed,
            pages_skipped=sum(skipped.values()),
            failed=report.failed,
            routes_exact=routes["exact"],
            routes_best_effort=routes["best-effort"],
            routes_none=routes["none"],
        ),
        version=digest_of(lines_of(state.mirror.digests())),
        skipped=[
            Skipped(page.url, SKIP_REASONS.get(page.skip, page.skip)) for page in state.extracts.skipped(MAX_SKIPPED)
        ],
        skip_reasons={SKIP_REASONS.get(skip, skip): count for skip, count in sorted(skipped.items())},
        preview=_preview(state),
        tables=version_table(state),
        warnings=(*report.lines(), *problem_lines(state, "page")),
    )


def _preview(state: ScopeState) -> str:
    """A sample page of the mirror, from the middle of the site."""
    for page_id in state.mirror.spread(1):
        page = state.mirror.page(page_id)
        body = page.extract.body[:_PREVIEW_CHARS]
        cut = "\n\n…" if len(page.extract.body) > len(body) else ""
        return f"`{mirror_name(page.url)}`\n\n{body}{cut}"
    return ""


def detect_versions(run: ScopeRun, state: ScopeState) -> list[str]:
    """Decide which pages belong to which version, are copies or lack a mark, unless the set of pages is unchanged.

    Returns:
        Warnings.

    Raises:
        ConfigError: `versions.default` is not a version of the site.
    """
    settings = run.project.settings.versions
    rules = VersionRules(settings.detect, settings.pattern, settings.default, settings.exclude)
    texts = listed_texts(run.make_source()) if run.source_kind.is_build else {}
    code = [EXTRACTOR_VERSION, DETECTION_VERSION]
    inputs = digest_of([*code, settings.model_dump_json(), json.dumps(texts, sort_keys=True)])
    if state.versions.is_settled(inputs):
        return []
    # Like Pagefind: once a page marks its content, pages without the mark are left out.
    unmarked = dict.fromkeys(state.versions.unmarked(), Placement((), UNMARKED))
    pages = [page for page in state.versions.pages() if page.page.url not in unmarked]
    listed = {parent: read_listed(text) for parent, text in texts.items()}
    families = find_families([page for page, _ in pages], listed, rules)
    check_default(rules, families)
    placements = place(pages, families, rules.exclude) | unmarked
    own = canonical_urls([page for page, _ in pages])
    state.versions.settle(
        inputs,
        tuple(_without_excluded(families, rules)),
        placements,
        compares_texts=bool(families) or any(url != canonical for url, canonical in own.items()),
    )
    return list(_warnings(rules, families))


def version_table(state: ScopeState) -> Mapping[str, Table]:
    """A table of the site's versions for people and `--json`; empty if there are none."""
    rows = version_rows(state.versions.families())
    return {VERSIONS: rows} if rows else {}


def check_default(rules: VersionRules, families: Sequence[VersionFamily]) -> None:
    """Check that `versions.default` names a version of the site.

    Raises:
        ConfigError: It names no version.
    """
    names = _names(families)
    if rules.default not in ("", ALL, *names):
        near = difflib.get_close_matches(rules.default, names, n=1, cutoff=0.0)
        hint = f"did you mean {near[0]}?" if near else "the site has no versions"
        raise ConfigError(f"versions.default = {json.dumps(rules.default)} is not a version of this site; {hint}")


def _without_excluded(families: Sequence[VersionFamily], rules: VersionRules) -> Iterator[VersionFamily]:
    """The families without their excluded versions."""
    for family in families:
        if versions := tuple(version for version in family.versions if not matches(version.name, rules.exclude)):
            default = "" if rules.default == ALL else family.default
            yield replace(family, versions=versions, default=default)


def _warnings(rules: VersionRules, families: Sequence[VersionFamily]) -> Iterator[str]:
    names = _names(families)
    if rules.pattern and not families:
        yield f"versions.pattern = {json.dumps(rules.pattern)} matches fewer than two folders of this site"
    for glob in rules.exclude:
        if not any(matches(name, [glob]) for name in names):
            near = difflib.get_close_matches(glob, names, n=1, cutoff=0.0)
            hint = f"; did you mean {near[0]}?" if near else ""
            yield f"versions.exclude: {json.dumps(glob)} matches no version of this site{hint}"


def _names(families: Sequence[VersionFamily]) -> list[str]:
    return [name for family in families for version in family.versions for name in (version.name, *version.aliases)]


def resolve_links(state: ScopeState) -> None:
    """Resolve new targets, and those whose page was added or removed; pages at both ends become dirty."""
    links = state.links
    is_searchable = lru_cache(maxsize=100_000)(links.is_searchable)
    redirect_of = lru_cache(maxsize=10_000)(links.redirect_of)
    for batch in batches(links.open_targets().items(), _LINKS_AT_ONCE):
        with state.transaction():
            for target, before in batch:
                links.resolve(target, before, resolve_target(target, is_searchable, redirect_of) or "")
