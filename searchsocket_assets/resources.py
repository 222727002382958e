"""What runs are given: the project, the options of one launch, and a listener for progress."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import dagster as dg
from pydantic import Field

from searchsocket.events import OnEvent, ignore
from searchsocket.pipeline.run.context import RunOptions, ScopeRun
from searchsocket.project.project import open_project

PROJECT_VARIABLE = "SEARCHSOCKET_PROJECT"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who runs the graph in this process, if not Dagster itself: the command line.

    No part of the configuration, so that its runs and those of the UI are runs of one and the same job.
    """

    root: str = ""  # folder of the project; "" = as configured
    on_event: OnEvent = ignore  # hears progress, beside Dagster's own log
    should_stop: Callable[[], bool] = lambda: False  # whether it wants the run to end before it publishes


class SiteProject(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The project whose site is indexed; found when a run starts, never at import."""

    root: str = Field(
        default="", description=f"Folder of the project; empty: ${PROJECT_VARIABLE}, else the working directory."
    )

    def scope_run(self, caller: Caller, scope: str, run_id: str, options: RunOptions, on_event: OnEvent) -> ScopeRun:
        """The library's view of one Dagster run over one partition."""
        root = caller.root or self.root or os.environ.get(PROJECT_VARIABLE, "")
        project = open_project(Path(root) if root else Path.cwd(), os.environ)
        return ScopeRun(project, project.scope_named(scope), run_id, options, on_event, environ=os.environ)


class IndexOptions(dg.ConfigurableResource):  # type: ignore[type-arg]
    """What one launch asks for; one block of run configuration for the whole graph."""

    force: bool = Field(
        default=False, description="Do every step again; embeddings still come from the cache and cost nothing."
    )
    dry_run: bool = Field(
        default=False, description="Only observe the plan and its cost; nothing is called, written or materialized."
    )
    max_pages: int | None = Field(
        default=None, ge=1, description="Look at this many pages; such a run deletes nothing."
    )
    max_chunks: int | None = Field(default=None, ge=1, description="Keep this many chunks; such a run deletes nothing.")
    accept_large_deletion: bool = Field(
        default=False, description="Let this run delete more than half of the pages of the scope."
    )
    strict_routes: bool = Field(default=False, description="Fail when a page has no exact route file.")
    max_cost_usd: float | None = Field(
        default=None, ge=0, description="Stop before the first paid call when the estimate is above this."
    )
    lock_timeout_s: float = Field(
        default=300.0, ge=0, description="How long a stage waits, in seconds, while another run works on the scope."
    )
    source: Literal["as-configured", "static-output", "content-files", "git-branch", "crawl"] = Field(
        default="as-configured", description="Where the pages come from."
    )

    def to_run_options(self) -> RunOptions:
        return RunOptions(
            force=self.force,
            max_pages=self.max_pages,
            max_chunks=self.max_chunks,
            accept_large_deletion=self.accept_large_deletion,
            strict_routes=self.strict_routes,
            max_cost_usd=self.max_cost_usd,
            source=None if self.source == "as-configured" else self.source,
        )
