"""The outcome of an index run in words."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from searchsocket.cli.output import count, safe
from searchsocket.dollars import dollars

if TYPE_CHECKING:
    from searchsocket.pipeline.run.results import IndexSummary

_WARNINGS_SHOWN = 10


def summary_lines(summary: "IndexSummary", before: str) -> Iterator[str]:
    """A headline, then a line for each thing that was counted, then warnings.

    Args:
        before: The generation that was live before the run; "" when there was none.
    """
    yield _headline(summary, before)
    pages, chunks, vectors, records = summary.pages, summary.chunks, summary.embeddings, summary.records
    yield _line(
        "pages",
        f"{pages['found']:,} found, {pages['indexed']:,} indexed, {pages['skipped']:,} skipped, "
        f"{pages['failed']:,} failed, {pages['removed']:,} removed",
    )
    yield _line("routes", f"{summary.routes['exact']:,} exact, {summary.routes['bestEffort']:,} best effort")
    yield _line("chunks", f"{chunks['total']:,} in all, {chunks['changed']:,} changed")
    yield _line("embeddings", f"{vectors['reused']:,} reused from the cache, {vectors['created']:,} new")
    yield _line("records", f"{records['upserted']:,} upserted, {records['deleted']:,} deleted")
    yield _line("cost", f"about {count(summary.estimated_tokens, 'token')}, {dollars(summary.estimated_cost_usd)}")
    stages = " · ".join(f"{stage} {seconds:.2f}" for stage, seconds in summary.seconds.items())
    yield _line("seconds", f"{stages} · {sum(summary.seconds.values()):.2f} in all")
    for warning in summary.warnings[:_WARNINGS_SHOWN]:
        yield click.style(f"  warning     {safe(warning)}", fg="yellow")
    if len(summary.warnings) > _WARNINGS_SHOWN:
        yield f"  and {count(len(summary.warnings) - _WARNINGS_SHOWN, 'more warning')}; --json lists them all"


def _headline(summary: "IndexSummary", before: str) -> str:
    scope = click.style(summary.scope, bold=True)
    if summary.dry_run:
        return f"{scope}: this is a plan; nothing was called and nothing was written"
    if not summary.generation:
        return f"{scope}: there is nothing to publish"
    if summary.generation == before:
        return f"{scope}: nothing changed; generation {before} stays"
    return f"{scope}: published generation {click.style(summary.generation, bold=True)}"


def _line(name: str, text: str) -> str:
    return f"  {name:<11} {text}"
