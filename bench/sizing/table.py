"""The tables of `docs/scaling.md`: what `searchsocket plan` estimates at several sizes."""

from searchsocket.models.paying.cost import price_of
from searchsocket.quality.size_plan import SiteShape, SizePlan, UnitCosts, plan_size, unit_costs

PAGES = (10_000, 100_000, 1_000_000)
BRANCHES = (1, 10, 300)
CHUNKS = (10_000_000, 100_000_000)
MODEL = "text-embedding-3-small"
MAX_LOCAL_CHUNKS = 200_000  # the default of `vector.local.max_records`
COLUMNS = (
    "pages", "branches", "chunks", "first run, core hours", "other branches, core hours", "memory to index, GB",
    "disk, GB", "shared, GB", "memory to serve, GB", "query, ms", "embeddings, $",
)  # fmt: skip


def table() -> str:
    """One row for each number of pages and of branches, then for each number of chunks."""
    costs = unit_costs()
    shape = SiteShape(costs.chunks_per_page, costs.tokens_per_chunk)
    plans = [plan(costs, shape, pages, branches) for pages in PAGES for branches in BRANCHES]
    plans += [plan(costs, shape, round(chunks / shape.chunks_per_page), 1) for chunks in CHUNKS]
    rows = [COLUMNS, *map(cells, plans)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    lines = ["  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(lines) + "\n"


def plan(costs: UnitCosts, shape: SiteShape, pages: int, branches: int) -> SizePlan:
    price = price_of(MODEL)
    return plan_size(
        costs, shape, pages=pages, branches=branches, max_local_chunks=MAX_LOCAL_CHUNKS, usd_per_million_tokens=price
    )


def cells(plan: SizePlan) -> tuple[str, ...]:
    query = "-" if plan.query_ms is None else f"{plan.query_ms:.0f}"
    numbers = (
        plan.first_run_core_hours,
        plan.further_branches_core_hours,
        plan.index_memory_gb,
        plan.disk_gb,
        plan.shared_mirror_disk_gb,
    )
    return (
        f"{plan.pages:,}", f"{plan.branches}", f"{plan.chunks:,}", *map(short, numbers),
        short(plan.service_memory_gb), query, short(plan.embedding_usd),
    )  # fmt: skip


def short(number: float) -> str:
    """Two digits that count."""
    return f"{number:,.0f}" if number >= 10 else f"{number:.1f}" if number >= 1 else f"{number:.2f}"


if __name__ == "__main__":
    print(table(), end="")
