"""Stage 5: the live index and the chunks are compared, and what differs is published (spec 10.5)."""

from array import array
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from sqlite3 import Connection
from typing import Literal

import numpy as np

from searchsocket.embedders.cache import EmbeddingCache
from searchsocket.errors import ConfigMissing, IndexCorrupt, LargeDeletion, ScopeNotIndexed
from searchsocket.events import Event
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.digests import digest_of
from searchsocket.pipeline.run.history import last_result
from searchsocket.pipeline.run.results import StageResult
from searchsocket.pipeline.run.stage import stage
from searchsocket.pipeline.run.stopping import uninterrupted
from searchsocket.pipeline.stages.page_bodies import stage_bodies
from searchsocket.pipeline.stages.site_pages import refuse_another_model
from searchsocket.state.chunks import count_chunks, fingerprints, places_of, records_at
from searchsocket.state.published import is_published, set_published, unpublished
from searchsocket.stores.base import PublishInfo, VectorStore
from searchsocket.system.batches import batches
from searchsocket.types import Generation, Scope

_BATCH = 500
_KEPT_DAYS = 7
Change = tuple[Literal["upsert", "delete"], str]
Pair = tuple[str, str | None, str | None]  # id, hash of the chunk, hash of the live record; None where there is none


@dataclass(slots=True)
class IndexPlan:
    """What publishing would do."""

    upserted: int = 0
    deleted: int = 0
    unchanged: int = 0
    kept: int = 0  # live records that the state does not know, kept because it may not know everything
    warnings: list[str] = field(default_factory=list)


@stage
def search_index(run: ScopeRun, db: Connection) -> StageResult:
    """Stage upserts and deletions, then publish them in one switch.

    Raises:
        LargeDeletion: More than half of the live pages would go.
        ConfigMissing: There is nothing to index at all.
        IndexCorrupt: The built generation failed verification; the live one stays.
        Interrupted: The run was told to stop; the live generation stays.
    """
    project, scope = run.project, run.scope
    store = run.backends.store
    plan = IndexPlan(warnings=repaired(store, scope))
    refuse_another_model(run)
    embedder = run.backends.embedder
    live = store.generation(scope)
    refuse_large_deletion(run, db, live)
    store.discard(scope)
    places = array("q")  # of the chunks to upsert
    for batch in batches(changes(run, db, store, live, plan), _BATCH):
        places.extend(places_of(db, scope.name, [record_id for kind, record_id in batch if kind == "upsert"]))
        if deletes := [record_id for kind, record_id in batch if kind == "delete"]:
            store.delete_by_ids(deletes, scope)
    with run.backends.open_cache() as cache:
        # In the order in which they lie: by id, every record and every vector would be read from another place.
        ordered = np.sort(np.array(places, np.int64))
        for start in range(0, len(ordered), _BATCH):
            rows = records_at(db, ordered[start : start + _BATCH].tolist())
            store.upsert(rows, cache.get([row.content_hash for row in rows], embedder.model_id), scope)
            done = start + len(rows)
            run.on_event(Event("progress", {"stage": "search_index", "done": done, "total": len(ordered)}))
        plan.warnings += cache.warnings
        _bound(cache, project.settings.embeddings.cache_max_mb)
    stage_bodies(run, db, store)
    db.execute("PRAGMA shrink_memory")  # publishing takes the most memory of all, and reads nothing of the state
    changed = bool(plan.upserted or plan.deleted)
    with ExitStack() as from_the_switch:
        info = _info(run, db, embedder.model_id, embedder.dimensions, changed=changed)
        generation = store.publish(scope, info, before_switch=lambda: from_the_switch.enter_context(uninterrupted(run)))
        # Dying before this line only makes the next run compare everything.
        set_published(db, scope.name, None if plan.kept else generation)
        run.on_event(Event("upserted", {"records": plan.upserted}))
        run.on_event(Event("deleted", {"records": plan.deleted}))
        published = live is None or generation.name != live.name
        if published:
            run.on_event(Event("registry_updated", {"scope": scope.name, "generation": generation.name}))
    return index_result(plan, generation, published=published)


def _bound(cache: EmbeddingCache, max_mb: int) -> None:
    """Keep the cache below its limit, but for what was used in the last days, also by others."""
    limit = max_mb * 1_000_000
    if cache.held_bytes() > limit:
        cache.prune(unused_days=_KEPT_DAYS, max_bytes=limit * 9 // 10)


def repaired(store: VectorStore, scope: Scope) -> list[str]:
    """Take a damaged index out of service: all that it held is made again from the chunks and the cache.

    Returns:
        What was damaged, for the report.
    """
    try:
        store.reader(scope)
    except ScopeNotIndexed:
        return []
    except IndexCorrupt:
        return [f"{damage}; what it held is built again" for damage in store.repair(scope)]
    return []


def index_result(plan: IndexPlan, generation: Generation | None, *, published: bool) -> StageResult:
    """The stage's report; also what a dry run foresees."""
    return StageResult(
        stage="search_index",
        total=generation.records if generation else 0,
        numbers={
            "records": generation.records if generation else 0,
            "pages": generation.pages if generation else 0,
            "upserted": plan.upserted,
            "deleted": plan.deleted,
            "unchanged": plan.unchanged,
            "published": int(published),
        },
        version=digest_of([generation.digest, generation.bodies_digest]) if generation else "",
        seconds=0.0,
        warnings=tuple(plan.warnings),
        generation=generation.name if generation else "",
    )


def refuse_large_deletion(run: ScopeRun, db: Connection, live: Generation | None) -> None:
    """The last guard before the index: pages may also have gone by noindex, by settings or with the state."""
    _, pages = count_chunks(db, run.scope.name)
    if pages == 0:
        raise ConfigMissing(
            f"there is nothing to index for scope {run.scope.name!r}: no page has searchable text; the live index, if "
            f"any, is left as it is; {_advice(run)}"
        )
    if (
        live is not None
        and pages * 2 < live.pages
        and may_delete(db, run.scope.name)
        and not run.options.accept_large_deletion
    ):
        raise LargeDeletion(run.scope.name, live.pages - pages, live.pages)


def _advice(run: ScopeRun) -> str:
    """What to look at where a source gave no text."""
    name = run.make_source().name
    if name in ("content-files", "git-branch"):
        globs = ", ".join(run.project.settings.source.content_files.globs)
        return f"check source.content_files.globs ({globs}) and base_dir: files that they match are the pages"
    if name == "crawl":
        return "check source.crawl.base_url, and what the host answers there"
    return "check the build folder with `searchsocket doctor`"


def may_delete(db: Connection, scope: str) -> bool:
    """Whether the state knows every page of the site, so that a record it does not know is a removed one."""
    authoritative = db.execute("SELECT authoritative FROM scopes WHERE scope = ?", (scope,)).fetchone()[0]
    unknown = db.execute(
        "SELECT 1 FROM pages WHERE scope = ? AND removed = 0 AND "
        "(extract_key = '' OR (skip = '' AND chunk_key = '')) LIMIT 1",
        (scope,),
    ).fetchone()
    return bool(authoritative) and unknown is None


def changes(
    run: ScopeRun, db: Connection, store: VectorStore, live: Generation | None, plan: IndexPlan
) -> Iterator[Change]:
    """What must be done to the live records so that they are the chunks, by rising id; holds one of each at a time.

    `plan` counts what will differ in the index.
    """
    deleting = may_delete(db, run.scope.name)
    for record_id, wanted, present in _pairs(run, db, store, live, plan):
        if wanted is None:
            if deleting:
                plan.deleted += 1
                yield "delete", record_id
            else:
                plan.kept += 1
        elif wanted != present:
            plan.upserted += 1
            yield "upsert", record_id
        else:
            plan.unchanged += 1
            if run.options.force:  # written again, in case its vector differs; the store drops what does not
                yield "upsert", record_id
    if plan.kept:
        plan.warnings.append(
            f"{plan.kept} records of pages that this run did not see are kept; a complete run removes them"
        )


def _pairs(
    run: ScopeRun, db: Connection, store: VectorStore, live: Generation | None, plan: IndexPlan
) -> Iterator[Pair]:
    """The ids that may differ with both hashes; those that are known to be alike are only counted."""
    scope = run.scope.name
    if live is None or run.options.force or not is_published(db, scope, live):
        yield from merged(fingerprints(db, scope), store.fingerprints(run.scope) if live is not None else iter(()))
        return
    plan.unchanged = live.records
    for record_id, wanted, present in unpublished(db, scope):
        plan.unchanged -= present is not None
        if wanted or present:  # else it came and went
            yield record_id, wanted, present


def merged(wanted: Iterator[tuple[str, str]], present: Iterator[tuple[str, str]]) -> Iterator[Pair]:
    """Merge the chunks with the live records, both by rising id."""
    want, have = next(wanted, None), next(present, None)
    while want or have:
        if have is None or (want is not None and want[0] < have[0]):
            assert want is not None
            yield want[0], want[1], None
            want = next(wanted, None)
        elif want is None or have[0] < want[0]:
            yield have[0], None, have[1]
            have = next(present, None)
        else:
            yield want[0], want[1], have[1]
            want, have = next(wanted, None), next(present, None)


def _info(run: ScopeRun, db: Connection, model_id: str, dimensions: int, *, changed: bool) -> PublishInfo:
    embedded = last_result(db, run.scope.name, "chunk_embeddings")
    numbers = embedded.numbers if embedded else {}
    return PublishInfo(
        model_id=model_id,
        dimensions=dimensions,
        published_at=run.clock().isoformat(timespec="seconds").replace("+00:00", "Z"),
        estimated_tokens=int(numbers.get("estimated_tokens", 0)),
        estimated_cost_usd=float(numbers.get("estimated_cost_usd", 0.0)),
        source_revision=run.source_revision() if changed else "",  # else the live generation stays, with its own
    )
