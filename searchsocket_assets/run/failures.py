"""A failed run as a person wants to find it: what went wrong, which setting says so, and what to do next."""

import re

import dagster as dg

from searchsocket.errors import SearchSocketError

# A key of the configuration, as messages name it.
_SETTING = re.compile(
    r"\b(?:project|scope|source|routes|extract|transform|chunking|embeddings|costs|vector|ranking|golden|artifacts|run|state|dagster)"
    r"(?:\.[a-z][a-z_]*)+\b"
)
_SETTINGS = {  # code -> the setting that it hangs on, where the message names none
    "SOURCE_UNAVAILABLE": "source",
    "ROUTES_NOT_EXACT": "routes.strict",
    "EMBEDDING_MODEL_MISMATCH": "embeddings.provider",
    "BUDGET_EXCEEDED": "costs.budget",
    "CANDIDATE_REFUSED": "golden",
    "EMBEDDER_UNAVAILABLE": "embeddings",
    "EMBEDDER_REFUSED": "embeddings",
    "VECTOR_BACKEND_UNAVAILABLE": "vector",
    "CLUSTER_UNAVAILABLE": "run.dask_address",
    "ARTIFACTS_UNAVAILABLE": "artifacts.url",
}
_CRAWL_SETTING = "source.crawl.base_url"
_NEXT_STEPS = {
    "LARGE_DELETION": "check the source; if that is intended, launch again with `accept_large_deletion: true`",
    "BUDGET_EXCEEDED": "check a dry run, then raise the budget or index less",
    "EMBEDDING_MODEL_MISMATCH": "launch again with `force: true` to migrate the scope",
    "ROUTES_NOT_EXACT": "fix the pages in the message, or launch without `strict_routes`",
    "CANDIDATE_REFUSED": "see the check `golden_queries_answered`; fix the pages or the file, or launch again "
    "with `accept_quality_drop: true`",
    "SCOPE_LOCKED": "wait for the other run of this scope, then launch again",
    "INDEX_CORRUPT": "launch again with `force: true`, or run `searchsocket rollback`",
}
_DOCTOR = "run `searchsocket doctor` in the project, fix what it reports, then launch again"
_AGAIN = "an external service failed; launch again, or run `searchsocket doctor` for details"


def failure_of(error: SearchSocketError) -> dg.Failure:
    """An error of the library as Dagster shows it."""
    setting = setting_of(error)
    step = _NEXT_STEPS.get(error.code, _AGAIN if error.retryable else _DOCTOR)
    metadata = {"code": error.code, "setting": setting, "next_step": step, "message": str(error)}
    lines = [f"[{error.code}] {error}", f"Setting: {setting}" if setting else "", f"Next step: {step}"]
    return dg.Failure(
        description="\n".join(line for line in lines if line),
        metadata={name: text for name, text in metadata.items() if text},
    )


def setting_of(error: SearchSocketError) -> str:
    """The key of the configuration that an error hangs on; "" where none is known."""
    if named := _SETTING.search(str(error)):
        return named[0]
    if error.code == "SOURCE_UNAVAILABLE" and "://" in str(error):
        return _CRAWL_SETTING
    return _SETTINGS.get(error.code, "")
