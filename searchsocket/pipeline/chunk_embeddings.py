"""Stage 4: every text that was never embedded with this model is, once (spec 10.3, 11, 21)."""

from collections.abc import Iterator
from dataclasses import replace
from sqlite3 import Connection

from searchsocket.batches import batches
from searchsocket.embedders import make_embedder
from searchsocket.embedders.base import Embedder
from searchsocket.embedders.batch import EmbedOutcome, embed_missing, plan_missing
from searchsocket.embedders.cache import EmbeddingCache
from searchsocket.events import Event
from searchsocket.identity import embedded_text_of
from searchsocket.pipeline.context import ScopeRun
from searchsocket.pipeline.digests import digest_of
from searchsocket.pipeline.results import Number, StageResult
from searchsocket.pipeline.stage import stage
from searchsocket.state.chunks import content_hashes, records_with_hashes

_LOOKUP = 500


@stage
def chunk_embeddings(run: ScopeRun, db: Connection) -> StageResult:
    """Embed what the cache lacks, batch by batch; a run that dies resumes where it was.

    Raises:
        BudgetExceeded: The estimate is over the budget; nothing was called.
        BadVectors, EmbedderUnavailable: The provider failed; what it gave before stays in the cache.
    """
    embedder = make_embedder(run.project.settings.embeddings)
    with EmbeddingCache(run.project.state_dir / "embeddings.db") as cache:
        outcome = embed_missing(
            cache,
            embedder,
            lambda: texts_to_embed(db, run.scope.name, cache, embedder),
            batch_size=run.project.settings.embeddings.batch_size,
            max_cost_usd=budget(run),
            price_per_million_tokens_usd=run.project.settings.embeddings.price_per_million_tokens_usd,
            on_progress=lambda done, total: run.on_event(
                Event("progress", {"stage": "chunk_embeddings", "done": done, "total": total})
            ),
        )
        warnings = tuple(cache.warnings)
    run.on_event(Event("embedded_cached", {"texts": outcome.reused}))
    run.on_event(Event("embedded_new", {"texts": outcome.created, "tokens": outcome.tokens}))
    return replace(embedding_result(run, db, embedder, outcome), warnings=warnings)


def budget(run: ScopeRun) -> float | None:
    """Dollars that the run may spend; the caller's limit before the setting."""
    asked = run.options.max_cost_usd
    return run.project.settings.embeddings.max_cost_usd if asked is None else asked


def plan_embeddings(run: ScopeRun, db: Connection) -> EmbedOutcome:
    """What embedding the texts that the cache lacks would take; calls and writes nothing."""
    settings = run.project.settings.embeddings
    embedder = make_embedder(settings)
    with EmbeddingCache(run.project.state_dir / "embeddings.db", read_only=True) as cache:
        return plan_missing(
            embedder,
            texts_to_embed(db, run.scope.name, cache, embedder),
            price_per_million_tokens_usd=settings.price_per_million_tokens_usd,
        )


def texts_to_embed(db: Connection, scope: str, cache: EmbeddingCache, embedder: Embedder) -> Iterator[tuple[str, str]]:
    """(content_hash, text) of every distinct text that the cache lacks; reads only those texts."""
    for hashes in batches(list(content_hashes(db, scope)), _LOOKUP):
        missing = cache.missing(hashes, embedder.model_id)
        if missing:
            for record in records_with_hashes(db, scope, missing):
                yield record.content_hash, embedded_text_of(record)


def embedding_result(run: ScopeRun, db: Connection, embedder: Embedder, outcome: EmbedOutcome) -> StageResult:
    """The stage's report; also what a dry run foresees."""
    hashes = list(content_hashes(db, run.scope.name))
    created = outcome.created
    numbers: dict[str, Number] = {
        "unique_texts": len(hashes),
        "created": created,
        "reused": len(hashes) - created,
        "estimated_tokens": outcome.tokens,
        "estimated_cost_usd": outcome.cost_usd,
        "dimensions": embedder.dimensions,
    }
    return StageResult(
        stage="chunk_embeddings",
        total=len(hashes),
        numbers=numbers,
        version=digest_of([embedder.model_id, *hashes]),
        seconds=0.0,
        preview=f"Model `{embedder.model_id}`, {embedder.dimensions} dimensions",
    )
