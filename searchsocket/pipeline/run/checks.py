"""Checks of the stages' outputs; Dagster shows them, and a failed blocking check stops a run."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from inspect import cleandoc

import numpy as np

from searchsocket.dollars import dollars
from searchsocket.errors import (
    BudgetExceeded,
    CandidateRefused,
    ConfigMissing,
    EmbeddingModelMismatch,
    GenerationNotKept,
    IndexCorrupt,
    Interrupted,
    LargeDeletion,
    SearchSocketError,
    SourceUnavailable,
    VectorBackendUnavailable,
)
from searchsocket.models.embedders.base import is_uncached
from searchsocket.models.paying.bill import price_of
from searchsocket.pipeline.extraction.job import extract_page, extraction_key, project_converter
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.remote_index import findings
from searchsocket.pipeline.run.results import CheckOutcome, CheckRefused, sha256
from searchsocket.pipeline.run.stage import AnyStage
from searchsocket.pipeline.stages.chunk_embeddings import (
    budget,
    chunk_embeddings,
    cost_tables,
    plan_embeddings,
    texts_at_stake,
)
from searchsocket.pipeline.stages.index_changes import nothing_to_index
from searchsocket.pipeline.stages.page_chunks import page_chunks
from searchsocket.pipeline.stages.page_mirror import page_mirror
from searchsocket.pipeline.stages.search_index import search_index
from searchsocket.pipeline.stages.site_pages import site_pages
from searchsocket.state.extracts import extract_key
from searchsocket.state.records import sorted_hashes
from searchsocket.stores.base.vector_store import CANDIDATE, VectorStore, index_digest
from searchsocket.system.batches import batches
from searchsocket.types import Generation, Scope

_NAMED = 5


def mirror_not_empty(run: ScopeRun) -> CheckOutcome:
    """The mirror contains at least one page."""
    with run.state.open(run.scope.name) as state:
        pages = state.chunks.count_mirrored()
    if not pages:
        return CheckOutcome(False, nothing_to_index(run), numbers={"pages": 0})
    return CheckOutcome(True, f"{pages:,} pages", numbers={"pages": pages})


def page_count_not_collapsed(run: ScopeRun) -> CheckOutcome:
    """The mirror contains at least half as many pages as the live index, unless the run accepts a large deletion."""
    live = live_generation(run)
    with run.state.open(run.scope.name) as state:
        pages, may_delete = state.chunks.count_mirrored(), state.published.may_delete()
    before = live.pages if live else 0
    numbers = {"pages": pages, "live_pages": before}
    if pages * 2 < before and may_delete and not run.options.accept_large_deletion:
        deleted = before - pages
        message = f"this run would delete {deleted:,} of the {before:,} pages of scope {run.scope.name!r}"
        return CheckOutcome(False, message, numbers=numbers)
    return CheckOutcome(True, f"{pages:,} pages; {before:,} are live", numbers=numbers)


def keys_unique(run: ScopeRun) -> CheckOutcome:
    """No two chunks share a key; one would silently replace the other."""
    with run.state.open(run.scope.name) as state:
        repeated, chunks = state.chunks.repeated_keys(_NAMED), state.chunks.count().chunks
    numbers = {"chunks": chunks, "repeated": len(repeated)}
    if repeated:
        named = ", ".join(f"{key} on {url}" for url, key in repeated)
        return CheckOutcome(False, f"chunks share a key: {named}", numbers=numbers)
    return CheckOutcome(True, f"{chunks:,} chunks, each with its own key", numbers=numbers)


def model_matches_manifest(run: ScopeRun) -> CheckOutcome:
    """The vectors are from the model of the live index, unless the run is forced to migrate."""
    live, model_id = live_generation(run), run.embedder.model_id
    if live is None or live.model_id == model_id:
        return CheckOutcome(True, f"every vector is of {model_id}")
    if run.options.force:
        return CheckOutcome(True, f"the run migrates from {live.model_id} to {model_id}", severity="warn")
    return CheckOutcome(False, str(EmbeddingModelMismatch(run.scope.name, live.model_id, model_id)))


def live_generation(run: ScopeRun) -> Generation | None:
    """The live generation; also None if it is damaged, so that the run builds it again."""
    try:
        return run.backends.store.generation(run.scope)
    except IndexCorrupt:
        return None


_SAMPLE = 20
_WINDOW = 500
_FAR_FEWER = 0.8  # of the pages of the previous run


@dataclass(frozen=True, slots=True)
class Check:
    """Check of one stage's output; a blocking check stops the later stages."""

    stage: AnyStage
    run: Callable[[ScopeRun], CheckOutcome]
    blocking: bool = False

    @property
    def name(self) -> str:
        return self.run.__name__

    @property
    def description(self) -> str:
        return " ".join(cleandoc(self.run.__doc__ or "").split())


_CHECK_FAILED = ("CHECK_FAILED", "the live index did not change")
_CHECKS_FAILED = {  # name -> (public code, advice)
    "mirror_not_empty": (ConfigMissing.code, "the live index did not change"),
    "page_count_not_collapsed": (LargeDeletion.code, "if that is intended, run again with --accept-large-deletion"),
    "model_matches_manifest": (EmbeddingModelMismatch.code, "the live index did not change"),
    "cost_within_budget": (BudgetExceeded.code, "`searchsocket index --dry-run` shows the most expensive pages"),
}


class CheckFailed(SearchSocketError):
    """A blocking check ended the run."""

    def __init__(self, check: str, outcome: CheckOutcome) -> None:
        self.code, advice = _CHECKS_FAILED.get(check, _CHECK_FAILED)
        super().__init__(f"{outcome.message} (check {check}); {advice}")


def outcome_of(check: Check, run: ScopeRun) -> CheckOutcome:
    """The result of a check. An error in a non-blocking check is its result, so that the other checks still run."""
    try:
        return check.run(run)
    except Interrupted:
        raise
    except SearchSocketError as error:
        if check.blocking:
            raise
        return CheckOutcome(False, f"[{error.code}] {error}")


def refused_outcomes(error: CandidateRefused, checks: Iterable[Check]) -> dict[str, CheckOutcome]:
    """The results of the checks of a stage whose candidate was refused, by name.

    The check that is the reason has its own result. The others are skipped, since the live index is unchanged; Dagster
    would show a check without a result as failed.
    """
    skipped = CheckOutcome(True, "skipped: the candidate was refused; the live index did not change", severity="warn")
    outcomes = {check.name: skipped for check in checks}
    if isinstance(error, CheckRefused) and error.check in outcomes:
        words = f"candidate {error.generation}: {error.outcome.message}"
        outcomes[error.check] = replace(error.outcome, message=words)
    return outcomes


def pages_complete(run: ScopeRun) -> CheckOutcome:
    """The source was read completely and has about as many pages as in the previous run."""
    with run.state.open(run.scope.name) as state:
        reports = state.history.newest(site_pages.name, 2)
    if not reports:
        return CheckOutcome(False, "the pages are not listed yet", severity="warn")
    total = int(reports[0]["total"])
    before = int(reports[1]["total"]) if reports[1:] else total
    numbers = {"pages": total, "before": before, "skipped": reports[0]["numbers"]["files_skipped"]}
    if not reports[0]["numbers"]["deletion_eligible"]:
        reason = "; ".join(reports[0]["warnings"][:3]) or "the run was limited"
        return CheckOutcome(
            False, f"{total:,} pages, but some could not be read: {reason}", severity="warn", numbers=numbers
        )
    if total < before * _FAR_FEWER:
        message = f"{total:,} pages, far fewer than {before:,} in the previous run; check that the build is complete"
        return CheckOutcome(False, message, severity="warn", numbers=numbers)
    compared = f"; {before:,} in the previous run" if reports[1:] else ""
    return CheckOutcome(True, f"{total:,} pages, all read{compared}", numbers=numbers)


def mirror_deterministic(run: ScopeRun) -> CheckOutcome:
    """Extracting a sample of pages twice gives the same Markdown."""
    settings = run.project.settings
    source = run.make_source()
    converter = project_converter(run.project.root, settings)
    how = extraction_key(settings, run.site, converter)
    with run.state.open(run.scope.name) as state:
        sample = state.extracts.sample(_SAMPLE)
    different = []
    checked = 0
    for page, key, body in sample:
        try:
            data = source.read(page)
        except SourceUnavailable:
            continue  # it could not be read and keeps its old content
        if key != extract_key(page, sha256(data), how):
            continue  # the bytes changed since; they may be those that no worker survived
        checked += 1
        again = extract_page(data, page, settings, run.site, converter)
        if again.body != body and not again.skip:
            different.append(page.url)
    if different:
        return CheckOutcome(
            passed=False,
            message=f"{len(different)} of {checked} pages changed when they were extracted again: {different[:5]}",
            numbers={"checked": checked, "different": len(different)},
        )
    return CheckOutcome(True, f"{checked} pages gave the same Markdown twice", numbers={"checked": checked})


def cost_within_budget(run: ScopeRun) -> CheckOutcome:
    """The estimated cost of new embeddings is within the budget."""
    if not price_of(run.embedder, run.project.settings.embeddings.price_per_million_tokens_usd):
        # Looking up every text in the cache would take 4 % of a run over a new scope.
        return CheckOutcome(True, "the model is free", numbers={"estimated_cost_usd": 0.0})
    with run.state.open(run.scope.name) as state:
        plan = plan_embeddings(run, state)
    limits = budget(run)
    numbers = {"texts": plan.created, "estimated_tokens": plan.tokens, "estimated_cost_usd": plan.cost_usd}
    numbers |= {"spent_this_month_usd": limits.spent_usd} if limits.month_usd is not None else {}
    try:
        limits.allow(plan.cost_usd)
    except BudgetExceeded as error:
        return CheckOutcome(False, str(error), numbers=numbers, tables=cost_tables(plan))
    message = f"{plan.created} new texts, about {dollars(plan.cost_usd)}; {limits.words()}"
    return CheckOutcome(True, message, numbers=numbers, tables=cost_tables(plan))


def embeddings_sane(run: ScopeRun) -> CheckOutcome:
    """Every text to publish has a finite unit vector of the model's dimension."""
    embedder = run.embedder
    if is_uncached(embedder.model_id):
        return CheckOutcome(True, "the built-in model makes its vectors while the index is published")
    checked = missing = 0
    with run.state.open(run.scope.name) as state, run.backends.open_cache(read_only=True) as cache:
        # The cache checks every vector that it returns; a damaged one counts as missing.
        for window in batches(texts_at_stake(run, state, cache), _WINDOW):
            checked += len(window)
            missing += len(cache.missing([text.content_hash for text in window], embedder.model_id))
    numbers = {"texts": checked, "missing": missing}
    if missing:
        return CheckOutcome(False, f"{missing} of {checked} texts have no valid vector", numbers=numbers)
    return CheckOutcome(True, f"all {checked} texts have a valid vector", numbers=numbers)


def refused_candidate(store: VectorStore, scope: Scope) -> Generation | None:
    """Return the generation that a gate refused last; None if the store keeps none."""
    try:
        return store.reader_of(scope, CANDIDATE).generation
    except (GenerationNotKept, IndexCorrupt):
        return None


def index_matches_manifest(run: ScopeRun) -> CheckOutcome:
    """The live index contains exactly the current chunks, and its files match the manifest."""
    store = run.backends.store
    problems = store.verify(run.scope)
    live = sorted_hashes(store.record_hashes(run.scope))
    with run.state.open(run.scope.name) as state:
        expected = state.chunks.record_hashes()
        refused = refused_candidate(store, run.scope)
        is_refused = refused is not None and refused.digest == index_digest(state.chunks.fingerprints())
    missing = surplus = 0
    if not np.array_equal(expected, live):
        missing, surplus = len(np.setdiff1d(expected, live)), len(np.setdiff1d(live, expected))
    numbers = {"records": len(live), "missing": missing, "surplus": surplus}
    if problems:
        return CheckOutcome(False, "; ".join(problems[:5]), numbers=numbers)
    if is_refused and refused is not None:
        message = f"{len(live)} records of the previous generation; {refused.name} has the new chunks but was refused"
        return CheckOutcome(True, message, numbers=numbers)
    if missing or surplus:
        message = f"{missing} chunks are missing from the index, {surplus} records have no chunk"
        # A limited run leaves them different on purpose.
        return CheckOutcome(False, message, severity="warn", numbers=numbers)
    return CheckOutcome(True, f"{len(live)} records, all files intact", numbers=numbers)


def vectors_elsewhere(run: ScopeRun) -> CheckOutcome:
    """A remote vector store is reachable and contains exactly the rows of the index."""
    if run.backends.store.remote_index is None:
        return CheckOutcome(True, "the vectors are stored in the index folder")
    try:
        problems = list(findings(run.backends, [run.scope]))
    except VectorBackendUnavailable as error:
        return CheckOutcome(False, str(error))
    if problems:
        return CheckOutcome(False, "; ".join(f"{finding.problem}: {finding.fix}" for finding in problems[:5]))
    return CheckOutcome(True, "every row matches its record")


CHECKS: Mapping[str, Check] = {
    check.name: check
    for check in (
        Check(site_pages, pages_complete),
        Check(page_mirror, mirror_deterministic),
        Check(page_mirror, mirror_not_empty, blocking=True),
        Check(page_mirror, page_count_not_collapsed, blocking=True),
        Check(page_chunks, keys_unique, blocking=True),
        Check(page_chunks, cost_within_budget, blocking=True),
        Check(chunk_embeddings, model_matches_manifest, blocking=True),
        Check(chunk_embeddings, embeddings_sane, blocking=True),
        Check(search_index, index_matches_manifest),
        Check(search_index, vectors_elsewhere),
    )
}
