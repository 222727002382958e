"""Errors that end a run before it publishes."""

from searchsocket.dollars import exact_dollars
from searchsocket.errors.base import SearchSocketError


class ScopeLocked(SearchSocketError):
    """Another run is indexing the same scope."""

    code = "SCOPE_LOCKED"
    retryable = True

    def __init__(self, scope: str, owner: str) -> None:
        super().__init__(f"scope {scope!r} is being indexed by {owner}; wait for it to end, then run again")
        self.scope = scope
        self.owner = owner


class LeaseLost(SearchSocketError):
    """Another run took over the scope's lease, because this one did not renew it in time; nothing was published."""

    code = "LEASE_LOST"
    retryable = True

    def __init__(self, scope: str, holder: str) -> None:
        super().__init__(
            f"{holder} took over scope {scope!r} in the object store, because this run did not renew its lease in "
            "time. This run published nothing there; run again once that run has ended"
        )


class PublishedElsewhere(SearchSocketError):
    """Another machine published the scope, and this machine's index is not built on that generation."""

    code = "PUBLISHED_ELSEWHERE"

    def __init__(self, scope: str, generation: str, writer: str, published_at: str) -> None:
        super().__init__(
            f"{writer} published generation {generation} of scope {scope!r} at {published_at}, and the index of this "
            "machine is not built on it, so this run published nothing in the object store. Update the source here, "
            "then run `searchsocket index --adopt`: it continues from that generation and deletes the pages that the "
            "source here lacks"
        )


class Interrupted(SearchSocketError):
    """A signal or a cancellation in Dagster stopped the run before it published."""

    code = "INTERRUPTED"


class SourceUnavailable(SearchSocketError):
    """The source of the pages could not be listed or read."""

    code = "SOURCE_UNAVAILABLE"


class PageNotRendered(SourceUnavailable):
    """The browser could not render a page."""

    code = "PAGE_NOT_RENDERED"


class BranchesUnknown(SearchSocketError):
    """searchsocket could not determine which branches still exist, so it deleted nothing."""

    code = "BRANCHES_UNKNOWN"
    retryable = True


class LargeDeletion(SearchSocketError):
    """The run would delete more than half of the scope."""

    code = "LARGE_DELETION"

    def __init__(self, scope: str, removed: int, total: int) -> None:
        super().__init__(
            f"this run would delete {removed} of the {total} pages of scope {scope!r}; "
            "if that is intended, run again with --accept-large-deletion"
        )


class StrictRoutesFailed(SearchSocketError):
    """Strict route mapping is on and some pages have no exact route."""

    code = "ROUTES_NOT_EXACT"


class BudgetMissing(SearchSocketError):
    """An agent may not pay for embeddings, since no budget is set for it."""

    code = "BUDGET_MISSING"

    def __init__(self, model_id: str) -> None:
        super().__init__(
            f"embedding with {model_id} costs money, and no budget is set; run `searchsocket code sync`, or set "
            "costs.budget.run_usd or costs.budget.month_usd"
        )


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
    """The candidate fails its golden queries, so it did not replace the live index."""

    code = "CANDIDATE_REFUSED"


class RecallTooLow(CandidateRefused):
    """The vector index of the candidate misses too many of the nearest records."""

    code = "RECALL_TOO_LOW"

    def __init__(self, scope: str, generation: str, index: str, recall10: float, floor: float, advice: str) -> None:
        super().__init__(
            f"generation {generation} of scope {scope!r} is not published: recall@10 of its vector index "
            f"({index}) is {recall10:.3f}, below vector.min_recall = {floor:g}; {advice}, or lower "
            "vector.min_recall; --accept-quality-drop publishes it"
        )


class ClusterUnavailable(SearchSocketError):
    """The Dask cluster is unreachable, lost its workers, or runs other versions; safe to retry."""

    code = "CLUSTER_UNAVAILABLE"
    retryable = True
