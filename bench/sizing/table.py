"""The table of `docs/scaling.md`: `python -m bench.sizing.table` multiplies unit costs that `bench.sizing` measured.

The formula and the names of the unit costs are explained in `docs/scaling.md`.
"""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from searchsocket.models.paying.cost import price_of

COSTS = Path(__file__).with_name("unit_costs.json")
PAGES = (10_000, 100_000, 1_000_000)
BRANCHES = (1, 10, 300)
CHUNKS = (10_000_000, 100_000_000)
MAX_LOCAL_CHUNKS = 200_000  # the default of `vector.local.max_records`
MODEL = "text-embedding-3-small"
COLUMNS = (
    "pages", "branches", "chunks", "first run, core hours", "other branches, core hours", "memory to index, GB",
    "disk, GB", "shared, GB", "memory to serve, GB", "query, ms", "embeddings, $",
)  # fmt: skip


def table() -> str:
    """One row for each number of pages and of branches, then for each number of chunks."""
    costs = json.loads(COSTS.read_bytes())
    sizes = [(pages, branches) for pages in PAGES for branches in BRANCHES]
    sizes += [(round(chunks / costs["chunks_per_page"]), 1) for chunks in CHUNKS]
    rows = [COLUMNS, *(cells(costs, pages, branches) for pages, branches in sizes)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    lines = ["  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(lines) + "\n"


def cells(costs: Mapping[str, Any], pages: int, branches: int) -> tuple[str, ...]:
    """The row of a site whose further branches differ from the first in 1 % of their pages."""
    cost = partial(cost_at, costs)
    chunks = round(pages * costs["chunks_per_page"])
    others = branches - 1
    disk_mb = cost("cold_mb", pages) + others * cost("branch_mb", pages)
    shared_mb = max(disk_mb - others * cost("mirror_mb", pages), 0.0)
    tokens = chunks * costs["tokens_per_chunk"] * (1 + 0.01 * others)
    query = f"{cost('query_ms', chunks):.0f}" if chunks <= MAX_LOCAL_CHUNKS else "-"
    hours = (cost("cold_cpu_s", pages) / 3600, others * cost("branch_cpu_s", pages) / 3600)
    sizes_gb = (cost("index_memory_mb", pages) / 1000, disk_mb / 1000, shared_mb / 1000)
    return (
        f"{pages:,}", f"{branches}", f"{chunks:,}", *map(short, (*hours, *sizes_gb)),
        short(cost("service_memory_mb", chunks) / 1000), query, short(tokens / 1e6 * price_of(MODEL)),
    )  # fmt: skip


def cost_at(costs: Mapping[str, Any], name: str, amount: float) -> float:
    """The cost of this amount: `base + slope * amount`."""
    return float(costs[name]["base"] + max(costs[name]["slope"], 0.0) * amount)


def short(number: float) -> str:
    """Two digits that count."""
    return f"{number:,.0f}" if number >= 10 else f"{number:.1f}" if number >= 1 else f"{number:.2f}"


if __name__ == "__main__":
    print(table(), end="")
