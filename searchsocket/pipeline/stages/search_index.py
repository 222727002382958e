"""Stage 5: compare the live index with the chunks and publish the differences (spec 10.5)."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from itertools import chain, islice

from searchsocket.content.mirror import mirror_file
from searchsocket.errors import IndexCorrupt, StateUnavailable
from searchsocket.events import Event
from searchsocket.models.embedders.base import is_uncached
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.pipeline.extraction.page_steps import (
    SERIAL_BELOW_PAGES,
    RowJob,
    add_phrases,
    embedded_rows,
    map_pages,
    mirror_text,
)
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.hooks import delete_former_output, hooks_of
from searchsocket.pipeline.run.remote_index import recall_of, recall_warnings, resync
from searchsocket.pipeline.run.results import (
    CheckOutcome,
    EmbeddingNumbers,
    GoldenQueriesFailed,
    IndexNumbers,
    StageResult,
    digest_of,
)
from searchsocket.pipeline.run.stage import Stage, stage, uninterrupted
from searchsocket.pipeline.stages.chunk_embeddings import chunk_embeddings
from searchsocket.pipeline.stages.index_changes import (
    BATCH,
    ChangeSet,
    Delete,
    IndexPlan,
    Upsert,
    changes_of_copy,
    live_changes,
    refuse_large_deletion,
)
from searchsocket.pipeline.stages.page_chunks import page_chunks
from searchsocket.pipeline.stages.site_pages import refuse_another_model
from searchsocket.state.records import ChunkSelection, records_of
from searchsocket.state.scope import ScopeState
from searchsocket.stores.base.index_reader import IndexReader, PageBody
from searchsocket.stores.base.vector_store import PublishInfo, RecordRows, VectorStore
from searchsocket.system.batches import batches
from searchsocket.types import Generation, Recall, Scope, Vectors

_RETENTION_DAYS = 7
StageTexts = Callable[[ScopeRun, ScopeState, VectorStore], None]
GOLDEN_FACT = "golden"  # the golden query result of the generation
GOLDEN_WARNING = "golden queries: "  # start of their message if the generation was accepted anyway
_BATCH = 200


def count_changes(run: ScopeRun, state: ScopeState) -> StageResult[IndexNumbers]:
    """The result that a dry run predicts."""
    store = run.backends.store
    live = store.generation(run.scope)
    refuse_large_deletion(run, state, live)
    plan = IndexPlan(live.records if live else 0)
    plan.count(live_changes(run, state, store, live))
    return _result(plan, live, plan.warnings(), published=False)


@stage(
    "Publishing",
    IndexNumbers,
    reads=[page_chunks, chunk_embeddings],
    kinds={"sqlite", "numpy"},
    columns=(
        ("id", "string", "stable key of the chunk"),
        ("url", "string", "URL path of the page"),
        ("title", "string", "title of the page"),
        ("text", "string", "text that search and snippets use"),
        ("vector", "array<float32>", "embedding, a vector of length 1"),
    ),
    dry=count_changes,
)
def search_index(run: ScopeRun, state: ScopeState) -> StageResult[IndexNumbers]:
    """Build a new generation next to the live one, verify it, then publish it atomically.

    Raises:
        LargeDeletion: More than half of the live pages would go.
        ConfigMissing: There is nothing to index at all.
        IndexCorrupt: The built generation failed verification; the live one stays.
        CheckRefused: The candidate fails its golden queries, or a check of an extension; it is kept next to the live
            one.
        RecallTooLow: The candidate's vector index misses too many of the nearest records; it is kept too.
        Interrupted: The run was stopped; the live generation stays.
        SearchSocketError: A hook of an extension refuses the switch, or cannot use the new generation.
    """
    result = publish_changes(run, state, search_index, chunk_embeddings, stage_bodies)
    delete_former_output(run)
    return replace(result, warnings=(*result.warnings, *_rules_without_effect(run)))


def _rules_without_effect(run: ScopeRun) -> list[str]:
    """Warnings about `curation.toml`; the index is complete without it."""

    def has_page(page: str) -> bool:
        reader = run.backends.store.reader(run.scope)  # opening a large generation takes a while
        return page in reader.generation.aliases or bool(reader.catalogue.page_records(page))

    return run.backends.curation.notices(has_page)


def publish_changes(
    run: ScopeRun,
    state: ScopeState,
    stage: Stage[IndexNumbers],
    embedding: Stage[EmbeddingNumbers],
    stage_texts: StageTexts,
) -> StageResult[IndexNumbers]:
    """Publish the chunks of either corpus; raises what `search_index` does.

    Args:
        stage: The calling stage; it reports progress.
        embedding: The stage that made the vectors; its report has their cost.
        stage_texts: Stages the texts of the corpus's documents.
    """
    live, warnings = _checked_live(run, state)
    staged = _stage_changes(run, state, live, stage)
    stage_texts(run, state, run.backends.store)
    generation, outcomes, notes = _switch(run, state, embedding, staged, live)
    is_new = live is None or generation.name != live.name
    warnings += [*staged.warnings, *recall_warnings(run, generation), *notes]
    result = _result(staged.plan, generation, warnings, published=is_new)
    result = _with_quality(result, outcomes, live if is_new else None, generation)
    hooks = hooks_of(run)
    if outcomes and hooks:  # a hook may send it to the next machine
        state.history.save(run.run_id, stage.name, run.clock().isoformat(), asdict(result))
    for each in hooks:
        each.after_publish(run)
    return result


def _checked_live(run: ScopeRun, state: ScopeState) -> tuple[Generation | None, list[str]]:
    """The live generation, once it is sound and may be replaced, with the warnings of its repair."""
    store = run.backends.store
    warnings = _repair(store, run.scope, reads_all=run.options.force)
    if run.options.resync:
        warnings += resync(run.backends, run.scope)
    refuse_another_model(run)
    live = store.generation(run.scope)
    refuse_large_deletion(run, state, live)
    return live, warnings


@dataclass(frozen=True, slots=True)
class _StagedChanges:
    """Changes written to the store's staging area, not yet visible."""

    plan: IndexPlan
    aliases: dict[str, str]
    warnings: list[str]


def _stage_changes(
    run: ScopeRun, state: ScopeState, live: Generation | None, stage: Stage[IndexNumbers]
) -> _StagedChanges:
    """Stage deletions and upserts of records."""
    store, scope = run.backends.store, run.scope
    store.discard(scope)
    plan = IndexPlan(live.records if live else 0)
    upserts, changes = state.chunks.select(), ChangeSet()
    is_copy = live is None and state.origin.name() and not run.options.force
    live_batches = batches(live_changes(run, state, store, live), BATCH)
    for batch in changes_of_copy(run, state, store) if is_copy else live_batches:
        plan.count(batch)
        upserts.add([change.id for change in batch if isinstance(change, Upsert)])
        if deletes := [change.id for change in batch if isinstance(change, Delete)]:
            store.delete_by_ids(deletes, scope)
            changes.remove(store.reader(scope), deletes)
    warnings = plan.warnings()
    with run.backends.open_cache() as cache:
        done = 0
        for rows, vectors in _upsert_rows(run, state, upserts, changes):
            if vectors is None:
                vectors = cache.get(rows.content_hashes, run.embedder.model_id)
            store.upsert_rows(rows, vectors, scope)
            done += len(rows.rows)
            stage.progress(run, done, len(upserts))
        warnings += cache.warnings
        _bound(cache, run.project.settings.embeddings.cache_max_mb)
    return _StagedChanges(plan, changes.aliases(live.aliases if live else {}, state.links.is_searchable), warnings)


def _upsert_rows(
    run: ScopeRun, state: ScopeState, upserts: ChunkSelection, changes: ChangeSet
) -> Iterator[tuple[RecordRows, Vectors | None]]:
    """The rows of the selected chunks, with their vectors unless the cache has them."""

    def jobs() -> Iterator[RowJob]:
        for chunks in upserts.batches(BATCH):
            changes.add(records_of(chunks, run.scope.name))
            yield RowJob(run.scope, chunks, is_uncached(run.embedder.model_id))

    total = state.chunks.count()
    pages = len(upserts) * total.pages // max(total.chunks, 1)
    return map_pages(embedded_rows, jobs(), run.project.settings.run, pages)


def _switch(
    run: ScopeRun,
    state: ScopeState,
    embedding: Stage[EmbeddingNumbers],
    staged: _StagedChanges,
    live: Generation | None,
) -> tuple[Generation, list[CheckOutcome], list[str]]:
    """Build the generation, judge it with the golden queries and switch to it; also return warnings of hooks."""
    state.release_memory()  # publishing takes the most memory of all, and reads nothing of the state
    plan = staged.plan
    outcomes: list[CheckOutcome] = []
    notes: list[str] = []
    with ExitStack() as from_the_switch:
        info = replace(
            _info(run, state, embedding, changed=bool(plan.upserted or plan.deleted)), aliases=staged.aliases
        )

        def gate(candidate: IndexReader) -> Recall | None:
            outcomes.extend(_judged(run, candidate))
            recall = recall_of(run, candidate, live, plan.upserted + plan.deleted)
            for hooks in hooks_of(run):
                notes.extend(hooks.before_switch(run, candidate))
            from_the_switch.enter_context(uninterrupted(run))
            return recall

        generation = run.backends.store.publish(run.scope, info, gate=gate)
        # Dying before this line only makes the next run compare everything.
        state.published.set(None if plan.kept else generation)
        state.origin.forget()
        run.on_event(Event("upserted", {"records": plan.upserted}))
        run.on_event(Event("deleted", {"records": plan.deleted}))
        if live is None or generation.name != live.name:
            run.on_event(Event("registry_updated", {"scope": run.scope.name, "generation": generation.name}))
    return generation, outcomes, notes


def _judged(run: ScopeRun, candidate: IndexReader) -> list[CheckOutcome]:
    """The golden query results of a candidate; empty without golden queries.

    Raises:
        GoldenQueriesFailed: It is not good enough.
    """
    outcome = run.judge(run, candidate) if run.judge else None
    if outcome is None:
        return []
    if not outcome.passed and outcome.severity == "error":
        raise GoldenQueriesFailed(run.scope.name, candidate.generation.name, outcome)
    return [outcome]


def _with_quality(
    result: StageResult[IndexNumbers],
    judged: Sequence[CheckOutcome],
    replaced: Generation | None,
    generation: Generation,
) -> StageResult[IndexNumbers]:
    """Add the golden query figures of the generation, and the age of the generation that it replaced."""
    measured = {name: value for outcome in judged for name, value in outcome.numbers.items()}
    numbers = replace(result.numbers, **measured)  # type: ignore[arg-type]  # the names are those of its fields
    if result.numbers.published:
        numbers = replace(numbers, generation_cost_usd=generation.estimated_cost_usd)
    if replaced is not None:
        began, ended = (datetime.fromisoformat(one.published_at) for one in (replaced, generation))
        numbers = replace(numbers, replaced_age_hours=round((ended - began).total_seconds() / 3600, 2))
    warnings = (*result.warnings, *(f"{GOLDEN_WARNING}{each.message}" for each in judged if not each.passed))
    tables = {title: rows for each in judged for title, rows in each.tables.items()}
    facts = {**result.facts, **({GOLDEN_FACT: judged[0].message} if judged else {})}
    return replace(result, numbers=numbers, warnings=warnings, tables={**result.tables, **tables}, facts=facts)


def _bound(cache: EmbeddingCache, max_mb: int) -> None:
    """Prune the cache to its limit, except entries that any run used in the last days."""
    limit = max_mb * 1_000_000
    if cache.size_bytes() > limit:
        cache.prune(unused_days=_RETENTION_DAYS, max_bytes=limit * 9 // 10)


def _repair(store: VectorStore, scope: Scope, *, reads_all: bool) -> list[str]:
    """Take a damaged index out of service; the run rebuilds it from the chunks and the cache.

    Args:
        reads_all: Read all files, also those that have not changed since an earlier run verified them.

    Returns:
        The damage, for the report.
    """
    if not reads_all:
        with suppress(IndexCorrupt):
            # Opens the index, which checks its files. A reader would also prepare it for queries.
            next(store.fingerprints(scope), None)
            return []
    return [f"{damage}; it is rebuilt" for damage in store.repair(scope)]


def _result(
    plan: IndexPlan, generation: Generation | None, warnings: Sequence[str], *, published: bool
) -> StageResult[IndexNumbers]:
    return StageResult(
        total=generation.records if generation else 0,
        numbers=IndexNumbers(
            records=generation.records if generation else 0,
            pages=generation.pages if generation else 0,
            upserted=plan.upserted,
            deleted=plan.deleted,
            unchanged=plan.unchanged,
            published=int(published),
            vector_recall10=generation.recall.recall10 if generation and generation.recall else None,
        ),
        version=digest_of([generation.digest, generation.bodies_digest]) if generation else "",
        facts={
            "generation": generation.name,
            "published_at": generation.published_at,
            "model": generation.model_id,
            **({"commit": generation.source_revision} if generation.source_revision else {}),
            **({"vector_index": generation.vector_index} if generation.recall else {}),
        }
        if generation
        else {},
        warnings=tuple(warnings),
        generation=generation.name if generation else "",
    )


def _info(run: ScopeRun, state: ScopeState, embedding: Stage[EmbeddingNumbers], *, changed: bool) -> PublishInfo:
    report = state.history.last(embedding.name)
    embedded = EmbeddingNumbers.of(report["numbers"] if report else {})
    return PublishInfo(
        model_id=run.embedder.model_id,
        dimensions=run.embedder.dimensions,
        published_at=run.clock().isoformat(timespec="seconds").replace("+00:00", "Z"),
        estimated_tokens=embedded.estimated_tokens,
        estimated_cost_usd=float(embedded.estimated_cost_usd),
        source_revision=run.source_revision() if changed else "",  # else the live generation stays, with its own
        branch=run.scope.branch,
        versions=state.versions.families(),
    )


def stage_bodies(run: ScopeRun, state: ScopeState, store: VectorStore) -> None:
    """Stage the texts that the live generation lacks; it drops those of removed pages.

    A page can change while its records stay, for example in links of its front matter, and older versions published
    no texts. So all digests are compared, which takes a few microseconds per page.

    Raises:
        StateUnavailable: A mirror file is damaged; the page_mirror stage repairs it.
    """
    live = dict(store.body_digests(run.scope))
    changed = ((url, digest) for url, digest in state.chunks.cut_pages() if live.get(url) != digest)
    first = list(islice(changed, SERIAL_BELOW_PAGES))  # enough to decide; all of a large site would take memory
    jobs = ([_body(run, state, *page) for page in batch] for batch in batches(chain(first, changed), _BATCH))
    for bodies in map_pages(add_phrases, jobs, run.project.settings.run, len(first)):
        store.stage_bodies(bodies, run.scope)


def _body(run: ScopeRun, state: ScopeState, url: str, digest: str) -> PageBody:
    text = mirror_text([run.mirror_dir], url, digest)
    if text is None:
        state.mirror.distrust(url)  # make the next run check the content, not only size and time
        path = mirror_file(run.mirror_dir, url)
        raise StateUnavailable(f"the mirror file {path} is damaged; run `searchsocket index` to write it again")
    return PageBody(url, digest, text)
