"""Estimate the cost of a site by its size: time, disk, memory and dollars, from measured unit costs.

`python -m bench.sizing` measures the unit costs and writes `unit_costs.json`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from pydantic import TypeAdapter

from searchsocket.models.paying.cost import estimate_tokens
from searchsocket.search.wire import Wire
from searchsocket.stores.base import IndexReader
from searchsocket.text.amounts import count

_SAMPLE = 500  # records whose texts are measured
_GB, _HOUR_S = 1e9, 3600
_WITHOUT_TEXT = 0.08  # of the costs of a page: 2,000 pages of one sentence each took 2.3 CPU seconds and 7.5 MB more
_SLOW_MS = 30.0  # users notice slower queries while typing


@dataclass(frozen=True, slots=True)
class LinearCost:
    """A cost that grows in proportion: `base + slope * amount`."""

    base: float
    slope: float

    def at(self, amount: float) -> float:
        """Return the cost of this amount; never below the base."""
        return self.base + max(self.slope, 0.0) * amount


@dataclass(frozen=True, slots=True)
class UnitCosts:
    """Costs on the machine where they were measured; by pages, but costs of the service by chunks.

    Attributes:
        cold_cpu_s, branch_cpu_s, edit_cpu_s, unchanged_cpu_s: CPU seconds of a first run, of a further branch of which
            1 % of the pages differ, of a run after one page changed, and of a run without changes.
        cold_mb, branch_mb: Megabytes that such a run adds to the disk, without `state.shared_mirror`.
        mirror_mb: Megabytes of `branch_mb` that `state.shared_mirror` saves.
        index_memory_mb: Peak memory of a first run.
        service_memory_mb: Memory of a service that answers from one scope.
        query_ms: Median of a query over HTTP, with the embedded index.
    """

    date: str
    commit: str
    machine: str
    chunks_per_page: float
    tokens_per_chunk: float
    cold_cpu_s: LinearCost
    branch_cpu_s: LinearCost
    edit_cpu_s: LinearCost
    unchanged_cpu_s: LinearCost
    cold_mb: LinearCost
    branch_mb: LinearCost
    mirror_mb: LinearCost
    index_memory_mb: LinearCost
    service_memory_mb: LinearCost
    query_ms: LinearCost


@dataclass(frozen=True, slots=True)
class SiteShape:
    """The text of an average page."""

    chunks_per_page: float
    tokens_per_chunk: float


@dataclass(frozen=True, slots=True)
class SizePlan(Wire):
    """The cost of one site; a core is one of the machine where the unit costs were measured."""

    pages: int
    branches: int
    chunks: int
    first_run_core_hours: float
    further_branches_core_hours: float
    edit_core_seconds: float
    unchanged_core_seconds: float
    index_memory_gb: float
    disk_gb: float
    shared_mirror_disk_gb: float  # with `state.shared_mirror`
    service_memory_gb: float
    query_ms: float | None  # None: vectors are on a server, whose speed is unknown
    tokens: int
    embedding_usd: float
    first_limit: str
    then: str


def unit_costs() -> UnitCosts:
    """Return the measured costs of this version."""
    return TypeAdapter(UnitCosts).validate_json(files(__package__).joinpath("unit_costs.json").read_bytes())


def shape_of(reader: IndexReader) -> SiteShape | None:
    """Return the shape of an indexed site, from a sample of its records; None if it is empty."""
    generation = reader.generation
    ids = [record_id for record_id, _ in reader.catalogue.fingerprints("", _SAMPLE)]
    if not ids or not generation.pages:
        return None
    tokens = sum(map(estimate_tokens, reader.catalogue.texts(ids)))
    return SiteShape(generation.records / generation.pages, tokens / len(ids))


def plan_size(
    costs: UnitCosts,
    shape: SiteShape,
    *,
    pages: int,
    branches: int,
    max_local_chunks: int,
    usd_per_million_tokens: float,
) -> SizePlan:
    """Estimate the cost of a site whose further branches differ from the first in 1 % of their pages.

    Args:
        max_local_chunks: The limit of the embedded index, `vector.local.max_records`.
    """
    # Costs were measured on pages of a fixed size; most of the work and disk space is proportional to the text.
    text = shape.chunks_per_page * shape.tokens_per_chunk / (costs.chunks_per_page * costs.tokens_per_chunk)
    amount = pages * (_WITHOUT_TEXT + (1 - _WITHOUT_TEXT) * text)
    chunks = round(pages * shape.chunks_per_page)
    others = branches - 1
    disk_mb = costs.cold_mb.at(amount) + others * costs.branch_mb.at(amount)
    is_local = chunks <= max_local_chunks
    tokens = round(chunks * shape.tokens_per_chunk * (1 + 0.01 * others))
    query_ms = costs.query_ms.at(chunks) if is_local else None
    limit, then = _first_limit(is_local, query_ms, max_local_chunks)
    return SizePlan(
        pages=pages,
        branches=branches,
        chunks=chunks,
        first_run_core_hours=costs.cold_cpu_s.at(amount) / _HOUR_S,
        further_branches_core_hours=others * costs.branch_cpu_s.at(amount) / _HOUR_S,
        edit_core_seconds=costs.edit_cpu_s.at(amount),
        unchanged_core_seconds=costs.unchanged_cpu_s.at(amount),
        index_memory_gb=costs.index_memory_mb.at(amount) / 1000,
        disk_gb=disk_mb * 1e6 / _GB,
        shared_mirror_disk_gb=max(disk_mb - others * costs.mirror_mb.at(amount), 0.0) * 1e6 / _GB,
        service_memory_gb=costs.service_memory_mb.at(chunks) / 1000,
        query_ms=query_ms,
        tokens=tokens,
        embedding_usd=tokens / 1e6 * usd_per_million_tokens,
        first_limit=limit,
        then=then,
    )


def _first_limit(is_local: bool, query_ms: float | None, max_local_chunks: int) -> tuple[str, str]:
    """Return the limit that is reached first, and the remedy."""
    if not is_local:
        return (
            f"the embedded index is meant for up to {max_local_chunks:,} chunks: a query compares every vector",
            'set vector.provider = "milvus", "pgvector" or "pinecone", which search vectors by an approximate index',
        )
    if query_ms is not None and query_ms > _SLOW_MS:
        return (
            f"queries of {query_ms:.0f} ms are felt while typing",
            "move the vectors to a server, or split the site by project",
        )
    return "none at this size", "one machine is enough; add copies of the service for more queries"


def lines_of(plan: SizePlan, costs: UnitCosts, sizes: Sequence[str]) -> list[str]:
    """Format the plan as text.

    Args:
        sizes: `disk_gb`, `shared_mirror_disk_gb`, `index_memory_gb` and `service_memory_gb` as text.
    """
    disk, shared_mirror_disk, index_memory, service_memory = sizes
    dollars = f"${plan.embedding_usd:,.2f}" if plan.embedding_usd else "$0"
    others = plan.branches - 1
    branches_time = _time(plan.further_branches_core_hours * _HOUR_S)
    rows = [
        ("pages", f"{plan.pages:,}, in {count(plan.chunks, 'chunk')}"),
        ("first run", _time(plan.first_run_core_hours * _HOUR_S)),
        *([("other branches", f"{others}, each 1 % different: {branches_time} in all")] if others else []),
        ("one page changed", _time(plan.edit_core_seconds)),
        ("nothing changed", _time(plan.unchanged_core_seconds)),
        ("disk", f"{disk}; {shared_mirror_disk} with state.shared_mirror" if others else disk),
        ("memory", f"{index_memory} to index, {service_memory} to serve one branch"),
        ("query", f"about {plan.query_ms:.0f} ms" if plan.query_ms is not None else "as fast as the vector server"),
        ("embeddings", f"about {plan.tokens:,} tokens, {dollars}"),
        ("first limit", plan.first_limit),
        ("then", plan.then),
    ]
    width = max(len(name) for name, _ in rows)
    note = f"Times are CPU time of one of {costs.machine}, measured on {costs.date}; starting Dagster adds 2 s."
    return [*(f"{name:<{width}}  {text}" for name, text in rows), note]


def _time(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds:.2f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:,.0f} min" if seconds < 2 * _HOUR_S else f"{seconds / _HOUR_S:,.1f} h"
