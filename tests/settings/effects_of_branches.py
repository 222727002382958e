"""Effects of `branches`: whose branches count, how long git is waited for, and what is never pruned."""

from datetime import UTC, datetime

from searchsocket.branches import pruning
from searchsocket.branches.listing import Branches, list_branches
from searchsocket.branches.pruning import Asked, PrunePlan, plan_prune
from tests.branches.repository import commit, git, make_origin
from tests.settings.lab import Effect, Lab

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def prepare(lab: Lab) -> None:
    """Two scopes are kept; this clone knows the branch of one, its remote that of the other."""
    other = make_origin(lab.root / "other", ["old-one"])
    git(lab.root, "init", "-q", "-b", "main")
    commit(lab.root, "first")
    git(lab.root, "remote", "add", "upstream", str(other))
    for scope in ("main", "old-one"):
        (lab.root / ".searchsocket/pages" / scope).mkdir(parents=True)


def plan(lab: Lab) -> PrunePlan:
    return plan_prune(lab.project, {}, Asked(), NOW)


def going(lab: Lab) -> list[str]:
    return [verdict.scope for verdict in plan(lab).going]


def patience(lab: Lab) -> list[float]:
    """How many seconds an answer of git may take."""
    waited: list[float] = []

    def record(root: object, remote: str, timeout_s: float) -> Branches:
        waited.append(timeout_s)
        return list_branches(lab.root, remote, 60)

    with lab.patch.context() as patch:
        patch.setattr(pruning, "list_branches", record)
        plan(lab)
    return waited


EFFECTS = (
    Effect("branches.remote", "upstream", going, ["old-one"], [], prepare=prepare),
    Effect("branches.protected", ["old-*"], going, ["old-one"], [], prepare=prepare),
    Effect("branches.timeout_s", 7.5, patience, [20.0], [7.5], prepare=prepare),
)
