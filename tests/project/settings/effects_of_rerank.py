"""Effects of `rerank`: who judges the best candidates, within which bounds, and what that may cost."""

import json
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import Future

from searchsocket.models.rerankers import jina
from searchsocket.models.rerankers.judge import Scores
from tests.models.rerankers.jina_server import judged
from tests.project.settings.effects_of_answers import write_runner_up
from tests.project.settings.lab import WEB, Effect, Lab
from tests.sources.web import Answer, Request, Web

OWN = "jina-reranker-v3"
SERVED = {"rerank.provider": "jina", "rerank.jina.base_url": f"{WEB}/v1", "rerank.jina.api_key_env": ""}
Q = {"q": "tallow candle", "groupBy": "chunk", "rerank": True}


def judging(web: Web) -> None:
    """Judge by words, at two addresses."""

    def answer(request: Request) -> Answer:
        body = json.loads(request.body)
        body["top_n"] = min(body["top_n"], len(body["documents"]))
        return Answer(200, json.dumps(judged(body)).encode(), {"Content-Type": "application/json"})

    web.pages = dict.fromkeys(("/v1/rerank", "/usual/rerank"), answer)


def preferring_long(web: Web) -> None:
    """Judge by length."""

    def answer(request: Request) -> Answer:
        texts = json.loads(request.body)["documents"]
        rows = [{"index": number, "relevance_score": len(text)} for number, text in enumerate(texts)]
        best = sorted(rows, key=lambda row: -row["relevance_score"])[: json.loads(request.body)["top_n"]]
        return Answer(200, json.dumps({"results": best}).encode(), {"Content-Type": "application/json"})

    web.pages = {"/v1/rerank": answer}


def status(lab: Lab) -> int:
    return lab.api().post(Q).status_code


def patience(lab: Lab) -> list[float | None]:
    """For how long a query waits for the reranker."""
    timeouts_s: list[float | None] = []

    class Watched(Future[Scores]):
        def result(self, timeout: float | None = None) -> Scores:
            timeouts_s.append(timeout)
            return super().result(20)

    with lab.patch.context() as patch:
        patch.setattr(futures, "Future", Watched)
        status(lab)
    return timeouts_s


def notes(lab: Lab) -> list[str]:
    """Codes of the notes that a stranger's query is answered with."""
    answer = lab.api().post(Q)
    assert answer.status_code == 200, answer.text
    return [note["code"] for note in answer.json()["meta"]["notes"]]


def rerank_requests(lab: Lab) -> list[Request]:
    """Return the requests of a query to the reranker."""
    lab.web.requests.clear()
    assert status(lab) == 200
    return [request for request in lab.web.requests if request.path.endswith("/rerank")]


def body(lab: Lab) -> dict[str, object]:
    (request,) = rerank_requests(lab)
    report: dict[str, object] = json.loads(request.body)
    return report


def longest(lab: Lab) -> bool:
    """Return True if more than 100 characters of a chunk are sent."""
    documents = body(lab)["documents"]
    assert isinstance(documents, list)
    return max(map(len, documents)) > 100


def document_count(lab: Lab) -> int:
    documents = body(lab)["documents"]
    assert isinstance(documents, list)
    return len(documents)


def addresses(lab: Lab) -> set[str]:
    lab.patch.setattr(jina, "DEFAULT_URL", f"{lab.web.base_url}/usual")
    return {request.path for request in rerank_requests(lab)}


def first(lab: Lab) -> str:
    url: str = lab.api().post(Q).json()["results"][0]["url"]
    return url


def write_pages(lab: Lab) -> None:
    write_runner_up(lab)
    lab.page("long.html", f"<main><p>A candle. {'Ropes, nets and oars. ' * 20}</p></main>")


def effect(
    key: str,
    value: object,
    observe: Callable[[Lab], object],
    before: object,
    after: object,
    web: Callable[[Web], None] = judging,
    prepare: Callable[[Lab], None] = write_pages,
) -> Effect:
    other_settings = {name: other for name, other in SERVED.items() if name != key}
    return Effect(key, value, observe, before, after, other_settings, prepare, web)


EFFECTS = (
    effect("rerank.provider", "jina", status, 400, 200),
    effect("rerank.top_n", 2, lambda lab: body(lab)["top_n"], 19, 2),
    effect("rerank.max_candidates", 3, document_count, 19, 3),
    effect("rerank.max_chars", 100, longest, True, False),
    effect("rerank.timeout_s", 30.0, patience, [2.0], [30.0]),
    effect("rerank.price_per_million_tokens_usd", 1e6, notes, [], ["RERANKER_OVER_BUDGET"]),
    effect("rerank.usd_a_day", 1e-9, notes, [], ["RERANKER_OVER_BUDGET"]),
    effect("rerank.jina.api_key_env", "OTHER_KEY", lambda lab: status(lab) == 200, False, True),
    effect("rerank.jina.model", OWN, lambda lab: body(lab)["model"], "jina-reranker-v2-base-multilingual", OWN),
    effect("rerank.jina.base_url", f"{WEB}/v1", addresses, {"/usual/rerank"}, {"/v1/rerank"}),
    effect("ranking.weights.rerank", 0.0, first, "/b", "/a", preferring_long, write_runner_up),
)
