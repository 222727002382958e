"""Stage 4: embed each text that was not embedded with this model before (spec 10.3, 11, 21)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

from searchsocket.errors import IndexCorrupt
from searchsocket.events import Event
from searchsocket.models.embedders.base import Embedder, is_uncached
from searchsocket.models.embedders.batch import embed_missing, embedding_turn, note_missing
from searchsocket.models.embedders.cache import EmbeddingCache
from searchsocket.models.embedders.cache_place import FILE, adopt
from searchsocket.models.embedders.refused_texts import RefusedText
from searchsocket.models.paying.bill import EmbedOutcome, plan_missing
from searchsocket.models.paying.cost import Budget
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.hooks import shared_vectors_of
from searchsocket.pipeline.run.results import EmbeddingNumbers, StageResult, Table, digest_of
from searchsocket.pipeline.run.stage import Stage, raise_if_stopped, stage
from searchsocket.pipeline.stages.page_chunks import page_chunks
from searchsocket.state.records import TextToEmbed
from searchsocket.state.scope import ScopeState
from searchsocket.system.batches import batches
from searchsocket.system.json_text import JsonObject

_CUT, _LEFT_OUT = "Texts cut to what the provider takes", "Texts without a vector"
_NAMED = 5
_LOOKED_UP = 500


@dataclass(frozen=True, slots=True)
class RefusedTexts:
    """Rows with `place`, `reason` and `text`, the content hash."""

    cut: Table
    left_out: Table

    def tables(self) -> Mapping[str, Table]:
        """Return the tables of the report that are not empty."""
        return {title: rows for title, rows in ((_CUT, self.cut), (_LEFT_OUT, self.left_out)) if rows}

    def warnings(self, total: int) -> Iterator[str]:
        """Yield warnings that name the texts, of `total` texts in all."""
        if self.cut:
            problem = f"{len(self.cut):,} of {total:,} texts were cut to what the provider takes"
            yield f"{problem}: {_named(self.cut)}; embeddings.max_tokens states the maximum for all"
        if self.left_out:
            problem = f"{len(self.left_out):,} of {total:,} texts have no vector, as the provider refused them"
            advice = "words alone find them; `--force` sends them again"
            yield f"{problem}: {_named(self.left_out)}; {advice}"


def refused_texts(
    state: ScopeState, cache: EmbeddingCache, outcome: EmbedOutcome, model_id: str, last_report: JsonObject | None
) -> RefusedTexts:
    """The texts that this run cut, and those of the scope that this run or an earlier one left out."""
    left_out = {row["text"]: row for row in _rows(state, outcome.refused)}
    earlier = {row["text"]: row for row in (last_report or {}).get("tables", {}).get(_LEFT_OUT, ())}
    for hashes in batches([key for key in earlier if key not in left_out], _LOOKED_UP):
        current = state.chunks.with_texts(hashes)
        left_out.update((key, earlier[key]) for key in cache.look_up(current, model_id)[1])
    # The cache knows that a text was refused; only the report knows why.
    rows = [{**row, "reason": earlier.get(key, row)["reason"]} for key, row in left_out.items()]
    return RefusedTexts(list(_rows(state, outcome.cut)), rows)


def _rows(state: ScopeState, texts: Sequence[RefusedText]) -> Iterator[JsonObject]:
    places = state.chunks.places_at([text.position for text in texts])
    for text, place in zip(texts, places, strict=True):
        yield {"place": place, "reason": text.reason, "text": text.key}


def _named(rows: Table) -> str:
    places = ", ".join(str(row["place"]) for row in rows[:_NAMED])
    more = f" and {len(rows) - _NAMED:,} more" if len(rows) > _NAMED else ""
    return f"{places}{more} ({rows[0]['reason']})"


def count_embeddings(run: ScopeRun, state: ScopeState) -> StageResult[EmbeddingNumbers]:
    """The result that a dry run predicts."""
    return _result(state, run.embedder, plan_embeddings(run, state))


@stage(
    "Embedding",
    EmbeddingNumbers,
    reads=[page_chunks],
    kinds={"numpy"},
    columns=(
        ("content_hash", "string", "SHA-256 of the embedded text"),
        ("model_id", "string", "embedding model"),
        ("vector", "array<float32>", "embedding, a vector of length 1"),
    ),
    dry=count_embeddings,
)
def chunk_embeddings(run: ScopeRun, state: ScopeState) -> StageResult[EmbeddingNumbers]:
    """Embed every chunk; known texts come from the cache.

    Each batch is stored as it arrives, so the next run continues after a failure of the provider.

    Raises:
        BudgetExceeded: The estimate is over the budget; nothing was called.
        ConfigError, ConfigMissing: See `golden_tokens`; nothing was called.
        BadVectors, EmbedderUnavailable, EmbedderRefused: The provider failed; the cache keeps earlier vectors.
    """
    return embed_chunks(run, state, chunk_embeddings)


def embed_chunks(run: ScopeRun, state: ScopeState, stage: Stage[EmbeddingNumbers]) -> StageResult[EmbeddingNumbers]:
    """Embed the chunks of one corpus; raises the same errors as `chunk_embeddings`."""
    settings, embedder = run.project.settings.embeddings, run.embedder
    query_tokens = golden_tokens(run, state)
    with (
        run.backends.open_cache() as cache,
        embedding_turn(
            cache.path,
            embedder.model_id,
            is_needed=lambda: plan_embeddings(run, state).created > 0,
            on_wait=lambda: raise_if_stopped(run),
        ),
    ):
        move_warning = adopt(run.project.state_dir / FILE, cache)
        problems: list[str] = []
        shared = shared_vectors_of(run, problems.append)
        if run.options.force:  # what the provider refused is sent again
            cache.forget_refused((text.content_hash for text in state.chunks.texts()), embedder.model_id)
        if shared and not run.options.force:
            tokens = {text.content_hash: text.tokens for text in texts_at_stake(run, state, cache)}
            shared.fill(cache, tokens)
        texts = texts_at_stake(run, state, cache)
        if is_uncached(embedder.model_id):
            outcome = note_missing(cache, embedder, texts)
        else:
            outcome = embed_missing(
                cache,
                embedder,
                texts,
                partial(state.chunks.texts_at, prepare=run.redactor or _as_it_is),
                batch_size=settings.batch_size,
                concurrency=settings.concurrency,
                budget=budget(run),
                price_per_million_tokens_usd=settings.price_per_million_tokens_usd,
                pages_at=state.chunks.pages_at,
                query_tokens=query_tokens,
                on_paid=partial(_note_payment, run, embedder),
                on_progress=lambda done, total: stage.progress(run, done, total),
            )
        if shared:
            sent = state.chunks.texts() if shared.is_new else texts_at_stake(run, state, cache)
            shared.send(cache, (text.content_hash for text in sent))
        state.published.set_cache_size(cache.size())
        refused = refused_texts(state, cache, outcome, embedder.model_id, state.history.last(stage.name))
        warnings = (*filter(None, [move_warning]), *cache.warnings, *problems)
    result = _with_refused(_result(state, embedder, outcome), refused, warnings)
    run.on_event(Event("embedded_cached", {"texts": result.numbers.reused}))
    run.on_event(Event("embedded_new", {"texts": outcome.created, "tokens": outcome.tokens}))
    return result


def _with_refused(
    result: StageResult[EmbeddingNumbers], refused: RefusedTexts, warnings: tuple[str, ...]
) -> StageResult[EmbeddingNumbers]:
    """Add the texts that the provider refused."""
    left_out, unique = len(refused.left_out), result.numbers.unique_texts
    reused = max(0, unique - result.numbers.created - left_out)
    numbers = replace(result.numbers, reused=reused, cut=len(refused.cut), left_out=left_out)
    tables = {**result.tables, **refused.tables()}
    return replace(result, numbers=numbers, warnings=(*warnings, *refused.warnings(unique)), tables=tables)


def _as_it_is(text: str) -> str:
    return text


def budget(run: ScopeRun) -> Budget:
    """The budget of the run; the option takes precedence over the settings."""
    max_usd, budget = run.options.max_cost_usd, run.project.settings.costs.budget
    spent = run.backends.ledger.paid_usd() if budget.month_usd is not None else 0.0
    return Budget(budget.run_usd if max_usd is None else max_usd, budget.month_usd, spent)


def _note_payment(run: ScopeRun, embedder: Embedder, tokens: int, cost_usd: float) -> None:
    if embedder.is_remote or cost_usd:
        run.backends.ledger.add("index", embedder.model_id, tokens=tokens, cost_usd=cost_usd)


def plan_embeddings(run: ScopeRun, state: ScopeState) -> EmbedOutcome:
    """Plan embedding the texts that the cache lacks; calls and writes nothing."""
    settings = run.project.settings.embeddings
    with run.backends.open_cache(read_only=True) as cache:
        return plan_missing(
            cache,
            run.embedder,
            texts_at_stake(run, state, cache),
            price_per_million_tokens_usd=settings.price_per_million_tokens_usd,
            pages_at=state.chunks.pages_at,
            query_tokens=golden_tokens(run, state),
        )


def golden_tokens(run: ScopeRun, state: ScopeState) -> int:
    """Tokens of the golden queries that a remote provider embeds before the switch; 0 if nothing will be published.

    Raises:
        ConfigError, ConfigMissing: The file of the golden queries is not valid or does not exist.
    """
    embedder, texts = run.embedder, run.golden_texts(run)
    if not embedder.is_remote or not texts:
        return 0
    if not run.options.force and _state_is_live(run, state) and next(state.published.changes(), None) is None:
        return 0
    return sum(map(embedder.count_tokens, dict.fromkeys(texts)))


def texts_at_stake(run: ScopeRun, state: ScopeState, cache: EmbeddingCache) -> Iterator[TextToEmbed]:
    """The distinct texts whose vectors may be published or are not known to be in the cache.

    If the other records are live and the cache has lost nothing since, only texts of changed chunks. If the scope
    starts from another one and no vectors are cached, only texts that the other one lacks. Otherwise all.
    """
    if run.options.force:
        return state.chunks.texts()
    if is_uncached(run.embedder.model_id) and state.origin.name():
        return state.origin.new_texts()
    if 0 <= state.published.cache_size() <= cache.size() and _state_is_live(run, state):
        return state.published.changed_texts()
    return state.chunks.texts()


def _state_is_live(run: ScopeRun, state: ScopeState) -> bool:
    try:
        live = run.backends.store.generation(run.scope)
    except IndexCorrupt:
        return False  # it will be built again and needs every vector
    return state.published.is_of(live)


def _result(state: ScopeState, embedder: Embedder, outcome: EmbedOutcome) -> StageResult[EmbeddingNumbers]:
    unique = state.chunks.count_texts()
    return StageResult(
        total=unique,
        numbers=EmbeddingNumbers(
            unique_texts=unique,
            created=outcome.created,
            reused=unique - outcome.created,
            estimated_tokens=outcome.tokens,
            estimated_cost_usd=outcome.cost_usd,
            charged_tokens=outcome.charged_tokens,
            charged_cost_usd=outcome.charged_usd,
            dimensions=embedder.dimensions,
        ),
        version=digest_of([embedder.model_id, *state.chunks.texts_digests()]),
        facts={"model": embedder.model_id},
        tables=cost_tables(outcome),
    )


def cost_tables(outcome: EmbedOutcome) -> Mapping[str, Table]:
    """Tables of the pages' costs."""
    return {
        "Most expensive pages": [asdict(page) for page in outcome.pages],
        "Looks like build output": [asdict(group) for group in outcome.build_output],
    }
