"""Why a run ends before it publishes."""

from searchsocket.dollars import exact_dollars
from searchsocket.errors.base import SearchSocketError


class ScopeLocked(SearchSocketError):
    """Another run works on the same scope."""

    code = "SCOPE_LOCKED"
    retryable = True

    def __init__(self, scope: str, owner: str) -> None:
        super().__init__(f"scope {scope!r} is being indexed by {owner}; wait for it to end, then run again")
        self.scope = scope
        self.owner = owner


class Interrupted(SearchSocketError):
    """The run was told to stop before it published: a signal, or its cancellation in Dagster."""

    code = "INTERRUPTED"


class SourceUnavailable(SearchSocketError):
    """The pages cannot be listed or read at all."""

    code = "SOURCE_UNAVAILABLE"


class BranchesUnknown(SearchSocketError):
    """Which branches live cannot be told for certain, so nothing is deleted for want of one."""

    code = "BRANCHES_UNKNOWN"
    retryable = True


class LargeDeletion(SearchSocketError):
    """The run would delete more than half of the scope."""

    code = "LARGE_DELETION"

    def __init__(self, scope: str, removed: int, known: int) -> None:
        super().__init__(
            f"this run would delete {removed} of the {known} pages of scope {scope!r}; "
            "if that is meant, run again with --accept-large-deletion"
        )


class StrictRoutesFailed(SearchSocketError):
    """Strict route mapping is on and some pages have no exact route."""

    code = "ROUTES_NOT_EXACT"


class BudgetExceeded(SearchSocketError):
    """The estimated cost is over the budget; nothing was called."""

    code = "BUDGET_EXCEEDED"

    def __init__(self, cost_usd: float, max_cost_usd: float, spent_usd: float | None = None) -> None:
        cost = f"embedding would cost about {exact_dollars(cost_usd)}"
        if spent_usd is None:
            super().__init__(
                f"{cost}, over the budget of {exact_dollars(max_cost_usd)}; nothing was called; raise --max-cost (or "
                "costs.budget.run_usd), or index less with --max-pages"
            )
        else:
            super().__init__(
                f"{cost}, and {exact_dollars(spent_usd)} of this month's budget of {exact_dollars(max_cost_usd)} are "
                "spent; nothing was called; raise costs.budget.month_usd, or index less with --max-pages"
            )


class CandidateRefused(SearchSocketError):
    """What was built answers its golden queries too badly to replace the live index; it is kept to be looked at."""

    code = "CANDIDATE_REFUSED"


class ClusterUnavailable(SearchSocketError):
    """The Dask cluster could not be reached, lost its workers, or lacks what this process has; safe to retry."""

    code = "CLUSTER_UNAVAILABLE"
    retryable = True
