"""Exit statuses of commands."""

OK = 0
FAILED = 1
USAGE = 2
MISSING = 3
STOPPED = 4
BUSY = 5

HELP = """\b
Exit status:
  0    success (also if nothing changed, or no result matched)
  1    the run failed, or a check of `doctor` failed
  2    wrong usage or configuration
  3    something is missing: the site, an index, a key
  4    a limit stopped it: cost, deletion, routes, branches, golden queries;
       or another machine published first
  5    busy or unreachable; try again later
  130  interrupted (143 by SIGTERM); `serve` ends with 0
"""

_OF_CODE = {
    "CONFIG_INVALID": USAGE,
    "INVALID_REQUEST": USAGE,
    "UNKNOWN_FACET": USAGE,
    "UNKNOWN_VERSION": USAGE,
    "INVALID_SCOPE": USAGE,
    "PROJECT_MISMATCH": USAGE,
    "EMBEDDING_MODEL_MISMATCH": USAGE,
    "CONFIG_MISSING": MISSING,
    "SCOPE_NOT_INDEXED": MISSING,
    "NO_GENERATION_BEFORE": MISSING,
    "GENERATION_NOT_KEPT": MISSING,
    "SOURCE_UNAVAILABLE": MISSING,
    "PAGE_NOT_FOUND": MISSING,
    "CONTINUATION_GONE": MISSING,
    "CHUNK_GONE": MISSING,
    "PAGE_TEXTS_MISSING": MISSING,
    "BUDGET_EXCEEDED": STOPPED,
    "LARGE_DELETION": STOPPED,
    "ROUTES_NOT_EXACT": STOPPED,
    "BRANCHES_UNKNOWN": STOPPED,
    "CANDIDATE_REFUSED": STOPPED,
    "RECALL_TOO_LOW": STOPPED,
    "PUBLISHED_ELSEWHERE": STOPPED,
    "ADDRESS_IN_USE": BUSY,
    "SCOPE_LOCKED": BUSY,
    "LEASE_LOST": BUSY,
    "ALREADY_RUNNING": BUSY,
    "EMBEDDER_UNAVAILABLE": BUSY,
    "VECTOR_BACKEND_UNAVAILABLE": BUSY,
    "CLUSTER_UNAVAILABLE": BUSY,
    "ARTIFACTS_UNAVAILABLE": BUSY,
    "RATE_LIMITED": BUSY,
}


def exit_status(code: str) -> int:
    """Return the exit status for an error code; `FAILED` for other codes."""
    return _OF_CODE.get(code, FAILED)
