"""Effects of `search`: what queries do while vectors on another machine cannot be had."""

from dataclasses import replace

from searchsocket.pipeline.run.index import index_scope
from searchsocket.search.backend_guard import TimeLimit
from searchsocket.search.query import SearchQuery
from searchsocket.serving.service import open_service
from tests.project.settings.lab import Effect, Lab, outcome

BASE_SETTINGS = {"vector.provider": "milvus", "vector.milvus.timeout_s": 1.0}
NOBODY = {"MILVUS_URI": "http://127.0.0.1:9"}


def write_page(lab: Lab) -> None:
    lab.page("a.html", "<main><p>The lantern of the lighthouse.</p></main>")


def ask(lab: Lab, query: str = "lantern") -> None:
    """Ask the index of a run on Milvus Lite when nobody is at the address any more."""
    index_scope(replace(lab.site.run(), environ={"MILVUS_URI": str(lab.root / "vectors.db")}))
    open_service(lab.project, NOBODY).search(SearchQuery(query), lab.project.scope_named("main"))


def limits(lab: Lab) -> list[float]:
    """For how long the calls of a query are waited for, the first one aside."""
    results: list[float] = []
    waited = TimeLimit.call

    def noted(limit: TimeLimit, work: object, timeout_s: float) -> object:
        results.append(timeout_s)
        return waited(limit, work, timeout_s)  # type: ignore[arg-type]

    with lab.patch.context() as patch:
        patch.setattr(TimeLimit, "call", noted)
        ask(lab)
    return [round(timeout_s - 10.0, 3) for timeout_s in results]


EFFECTS = (
    Effect("search.on_backend_failure", "error", lambda lab: outcome(lambda: ask(lab), "127.0.0.1:9"), "ok",
           "VECTOR_BACKEND_UNAVAILABLE", given=BASE_SETTINGS, prepare=write_page),
    Effect("search.backend_timeout_s", 3.5, limits, [2.0], [3.5], given=BASE_SETTINGS, prepare=write_page),
)  # fmt: skip
