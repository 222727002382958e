"""`searchsocket plan`: estimate the cost of a site of some size."""

import os
from pathlib import Path

import click

from searchsocket.backends import Backends
from searchsocket.cli.options import json_option, load_project, project_option
from searchsocket.cli.output import say, size
from searchsocket.errors import ScopeNotIndexed
from searchsocket.models.embedders import make_embedder
from searchsocket.models.paying.cost import price_of
from searchsocket.project.project import Project
from searchsocket.project.settings.model import LOCAL_EMBEDDERS
from searchsocket.quality.size_plan import SiteShape, lines_of, plan_size, shape_of, unit_costs
from searchsocket.serving.answers import to_json

_MAX_PAGES, _MAX_BRANCHES = 1_000_000_000, 1_000_000


@click.command()
@click.option("--pages", type=click.IntRange(1, _MAX_PAGES), help="Pages of the site. Default: those of the index.")
@click.option(
    "--branches", type=click.IntRange(1, _MAX_BRANCHES), default=1, show_default=True, help="Branches to keep."
)
@click.option("--model", metavar="NAME", help="Embedding model to price. Default: the configured one.")
@project_option
@json_option
def plan(pages: int | None, branches: int, model: str | None, root: Path, as_json: bool) -> None:
    """Estimate the cost of a site of some size.

    Shows time, disk, memory and dollars. The size of a page is that of your indexed site, or else that of the site the
    costs were measured on.

    \b
    Example:
      searchsocket plan --pages 10000 --branches 20
      searchsocket plan --pages 100000 --model text-embedding-3-small --json
    """
    project = load_project(root)
    costs = unit_costs()
    own = _own_shape(project)
    if pages is None and own is None:
        raise click.UsageError("there is no index to count pages in; pass --pages")
    shape = own[0] if own else SiteShape(costs.chunks_per_page, costs.tokens_per_chunk)
    estimate = plan_size(
        costs,
        shape,
        pages=pages if pages is not None else own[1] if own else 0,
        branches=branches,
        max_local_chunks=project.settings.vector.local.max_records,
        usd_per_million_tokens=_price(project, model),
    )
    if as_json:
        click.echo(to_json(estimate, sources=False).decode())
        return
    sizes_gb = (
        estimate.disk_gb, estimate.shared_mirror_disk_gb, estimate.index_memory_gb, estimate.service_memory_gb,
    )  # fmt: skip
    sizes = [size(round(gb * 1e9)) for gb in sizes_gb]
    for line in lines_of(estimate, costs, sizes):
        say(line)


def _own_shape(project: Project) -> tuple[SiteShape, int] | None:
    """Return the shape of the indexed site and its number of pages; None without an index."""
    try:
        reader = Backends(project, os.environ, calls=False, local_only=True).store.reader(project.scope(os.environ))
    except ScopeNotIndexed:
        return None
    shape = shape_of(reader)
    return (shape, reader.generation.pages) if shape else None


def _price(project: Project, model: str | None) -> float:
    """Return US dollars per million tokens of the named model, or of the configured one."""
    settings = project.settings.embeddings
    if model is not None:
        return price_of(model)
    if settings.price_per_million_tokens_usd is not None:
        return settings.price_per_million_tokens_usd
    if settings.provider in LOCAL_EMBEDDERS:
        return 0.0
    if settings.provider == "openai":  # without its library, too
        return price_of(settings.model or "text-embedding-3-small")
    return make_embedder(settings, os.environ, calls=False).price_per_million_tokens_usd
