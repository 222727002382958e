"""What runs are given: the project, the options of one launch, and a listener for progress."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import dagster as dg
from pydantic import Field, create_model

from searchsocket.branches.names import named_scope
from searchsocket.events import OnEvent, ignore
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.options import OPTIONS, Option, RunOptions
from searchsocket.project.project import Project, open_project
from searchsocket.quality.gate import judge_candidate
from searchsocket.state import ProjectState
from searchsocket_assets.look import PROJECT_VARIABLE
from searchsocket_assets.partitions import PARTITION_TAG
from searchsocket_assets.run.tags import BRANCH_TAG

AS_CONFIGURED = "as-configured"
UNLIMITED = -1


@dataclass(frozen=True, slots=True)
class Caller:
    """Who runs the graph in this process, if not Dagster itself: the command line.

    No part of the configuration, so that its runs and those of the UI are runs of one and the same job.
    """

    root: str = ""  # folder of the project; "" = as configured
    is_command: bool = False  # else Dagster launched the run
    on_event: OnEvent = ignore  # hears progress, beside Dagster's own log
    should_stop: Callable[[], bool] = lambda: False  # whether it wants the run to end before it publishes


class SiteProject(dg.ConfigurableResource):  # type: ignore[type-arg]
    """The project whose site is indexed; found when a run starts, never at import."""

    root: str = Field(
        default="", description=f"Folder of the project; empty: ${PROJECT_VARIABLE}, else the working directory."
    )

    def open(self, root: str = "") -> Project:
        """The project, which a caller in this process may name.

        Raises:
            ConfigError: Its configuration cannot be used.
        """
        root = root or self.root or os.environ.get(PROJECT_VARIABLE, "")
        return open_project(Path(root) if root else Path.cwd(), os.environ)

    def scope_run(self, caller: Caller, run: dg.DagsterRun, options: RunOptions, on_event: OnEvent) -> ScopeRun:
        """The library's view of one Dagster run over one partition."""
        project = self.open(caller.root)
        known = ProjectState(project.state_dir).branches()
        scope = named_scope(project, run.tags[PARTITION_TAG], known, run.tags.get(BRANCH_TAG, ""))
        return ScopeRun(project, scope, run.run_id, options, on_event, environ=os.environ, judge=judge_candidate)


def _config_field(option: Option) -> tuple[Any, Any]:
    """Type and field of an option in Dagster's configuration, which knows no choice that is none."""
    if option.kind is bool:
        return bool, Field(default=False, description=option.help)
    if option.choices:
        choices = (AS_CONFIGURED, *option.choices)
        return Literal[choices], Field(default=AS_CONFIGURED, description=option.help)
    # With a value to say nothing, so that the launchpad offers it; none could not be seen there.
    return option.kind, Field(default=UNLIMITED, ge=UNLIMITED, description=f"{option.help} {UNLIMITED}: as configured.")


_Asked: Any = create_model(
    "_Asked",
    __base__=dg.ConfigurableResource,
    **{option.name: _config_field(option) for option in OPTIONS},  # type: ignore[call-overload]
)


class IndexOptions(_Asked):  # type: ignore[misc]
    """What one launch asks for; one block of run configuration for the whole graph."""

    lock_timeout_s: float = Field(
        default=300.0, ge=0, description="How long a stage waits, in seconds, while another run works on the scope."
    )

    def to_run_options(self) -> RunOptions:
        values: dict[str, Any] = {option.name: getattr(self, option.name) for option in OPTIONS}
        unsaid: dict[str, Any] = {name: None for name, value in values.items() if value in (AS_CONFIGURED, UNLIMITED)}
        return RunOptions(**(values | unsaid))
