"""Results of a few sample queries in the live generation, as a quick test for people."""

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import dagster as dg

from searchsocket.errors import SearchSocketError
from searchsocket.models.embedders.base import Embedder
from searchsocket.models.embedders.queries import NoVector, QueryVectors
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.results import StageResult
from searchsocket.search.query import SearchQuery
from searchsocket.types import Vector
from searchsocket_assets.run.details import table

if TYPE_CHECKING:
    from searchsocket.search.engine import SearchEngine

SAMPLES = "sample_queries"  # key of the metadata
_PAGES = 3
_MAX_SECONDS = 2.0  # for all of them
_MAX_CHARS = 80


def sample_metadata(
    instance: dg.DagsterInstance, key: dg.AssetKey, run: ScopeRun, result: StageResult[Any]
) -> dict[str, Any]:
    """The sample queries of the live generation after the stage; they run again only for a new generation."""
    records_filter = dg.AssetRecordsFilter(asset_key=key, asset_partitions=[run.scope.name])
    for record in instance.fetch_materializations(records_filter, limit=1).records:
        before = record.asset_materialization.metadata if record.asset_materialization else {}
        if SAMPLES in before and "generation" in before and before["generation"].value == result.generation:
            return {SAMPLES: before[SAMPLES]}
    rows = sample_answers(run)
    return {SAMPLES: table(rows)} if rows else {}


def sample_answers(run: ScopeRun) -> Sequence[Mapping[str, Any]]:
    """Search for the titles of some pages in the live generation, and return the first result of each.

    The pages are spread over the site, and the same while the site is the same. A remote model is not called: such
    queries use words only. A failed query shows its error code, since the generation is live anyway.
    """
    engine, began = _engine(run), perf_counter()
    rows: list[Mapping[str, Any]] = []
    for title in _titles(run):
        if perf_counter() - began > _MAX_SECONDS:
            break
        try:
            first = next(iter(engine.search(SearchQuery(title, top_k=1), run.scope).results), None)
        except SearchSocketError as error:
            rows.append({"query": title, "first_result": error.code, "score": None})
        else:
            score = round(first.score, 3) if first else None
            rows.append({"query": title, "first_result": first.url if first else "nothing", "score": score})
    return rows


def _titles(run: ScopeRun) -> list[str]:
    with run.state.open(run.scope.name) as state:
        titles = [state.mirror.page(page_id).extract.title for page_id in state.mirror.spread(_PAGES)]
    return [" ".join(title.split())[:_MAX_CHARS] for title in titles]


class _OnThisMachine(QueryVectors):
    """Query vectors without remote calls."""

    def vector(self, embedder: Embedder, text: str, *, anonymous: bool = False) -> Vector | NoVector:
        return NoVector.OVER_BUDGET if embedder.is_remote else super().vector(embedder, text, anonymous=anonymous)


def _engine(run: ScopeRun) -> "SearchEngine":
    from searchsocket.search.engine import SearchEngine  # heavy; only a run that publishes needs it

    queries = _OnThisMachine(run.backends.embedder_of)
    ranking, curation = run.project.settings.ranking, run.backends.curation
    return SearchEngine(run.backends.store, queries, ranking, run.clock, curation=curation)
