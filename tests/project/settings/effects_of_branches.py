"""Effects of `branches`: whose branches count, how long git is waited for, and what is never pruned."""

from datetime import UTC, datetime
from typing import Any

import dagster as dg

from searchsocket.pipeline.branches import scopes as branch_scopes
from searchsocket.pipeline.branches.listing import Branches, list_branches
from searchsocket.pipeline.branches.pruning import PrunePlan, PruneRequest, plan_prune
from searchsocket_assets import builds
from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.site import PROJECT_VARIABLE, traits_of_project
from tests.pipeline.branches.repository import add_file, make_origin
from tests.project.settings.lab import Effect, Lab
from tests.sources.git_repository import git

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def prepare(lab: Lab) -> None:
    """Two scopes are kept; this clone knows the branch of one, its remote that of the other."""
    other = make_origin(lab.root / "other", ["old-one"])
    git(lab.root, "init", "-q", "-b", "main")
    add_file(lab.root, "first")
    git(lab.root, "remote", "add", "upstream", str(other))
    for scope in ("main", "old-one"):
        (lab.root / ".searchsocket/pages" / scope).mkdir(parents=True)


def plan(lab: Lab) -> PrunePlan:
    return plan_prune(lab.project, {}, PruneRequest(), NOW)


def going(lab: Lab) -> list[str]:
    return [verdict.scope for verdict in plan(lab).to_delete]


def patience(lab: Lab) -> list[float]:
    """Return the seconds that an answer of git may take."""
    waited: list[float] = []

    def record(root: object, remote: str, timeout_s: float) -> Branches:
        waited.append(timeout_s)
        return list_branches(lab.root, remote, 60)

    with lab.patch.context() as patch:
        patch.setattr(branch_scopes, "list_branches", record)
        plan(lab)
    return waited


def discovered(lab: Lab) -> list[str]:
    """Scopes that Dagster's sensor asks runs for."""
    with dg.DagsterInstance.ephemeral() as instance:
        tick_result = sensor(lab, "new_branches")(dg.build_sensor_context(instance=instance))
    return [run.partition_key for run in getattr(tick_result, "run_requests", ())]


def status(lab: Lab) -> str:
    return str(sensor(lab, "new_branches").default_status.value)


def watch_status(lab: Lab) -> str:
    return str(sensor(lab, "new_builds").default_status.value)


def built(lab: Lab) -> list[str]:
    """Scopes that Dagster's sensor asks runs for, a second after the build was written."""
    written_ns = max(path.stat().st_ctime_ns for path in (lab.root / "build").rglob("*"))
    with dg.DagsterInstance.ephemeral() as instance, lab.patch.context() as patch:
        patch.setattr(builds.time, "time_ns", lambda: written_ns + 1_000_000_000)
        tick_result = sensor(lab, "new_builds")(dg.build_sensor_context(instance=instance))
    return [run.partition_key for run in tick_result.run_requests or ()]


def dead(lab: Lab) -> str:
    """Return the type of the answer of Dagster's sensor for dead branches."""
    with dg.DagsterInstance.ephemeral() as instance:
        return type(sensor(lab, "dead_branches")(dg.build_sensor_context(instance=instance))).__name__


def sensor(lab: Lab, name: str) -> Any:
    traits = traits_of_project({PROJECT_VARIABLE: str(lab.root)})
    return next(entry for entry in build_definitions(str(lab.root), traits=traits).sensors or () if entry.name == name)


def two_branches(lab: Lab) -> None:
    make_origin(lab.root, ["main", "old-one"])


OF_GIT = {"source.mode": "git-branch"}  # else all branches would be indexed from one folder

EFFECTS = (
    Effect(
        "branches.include", ["old*"], discovered, ["main", "old-one"], ["old-one"], given=OF_GIT, prepare=two_branches
    ),
    Effect("branches.exclude", ["old*"], discovered, ["main", "old-one"], ["main"], given=OF_GIT, prepare=two_branches),
    Effect("branches.discover", True, status, "STOPPED", "RUNNING"),
    Effect("branches.watch", True, watch_status, "STOPPED", "RUNNING"),
    Effect("branches.settle_s", 0, built, [], ["main"]),
    Effect("branches.prune", "apply", dead, "SkipReason", "RunRequest", prepare=prepare),
    Effect("branches.remote", "upstream", going, ["old-one"], [], prepare=prepare),
    Effect("branches.protected", ["old-*"], going, ["old-one"], [], prepare=prepare),
    Effect("branches.timeout_s", 7.5, patience, [20.0], [7.5], prepare=prepare),
)
