"""`/api/find`: every occurrence, for programs."""

from collections.abc import Callable
from typing import TypeVar

import pytest
from api_client import Api

from search_api.gate.queries import CostlyQueries
from searchsocket.serving.capabilities.base import Caller

T = TypeVar("T")


def test_get_and_post_answer_alike(api: Api) -> None:
    """The pages of the test site have texts, which is what is looked for."""
    got = api.get("/api/find?q=battery&wholeWords=false&pathPrefix=/docs")
    post_answer = api.post({"q": "battery", "wholeWords": False, "pathPrefix": "/docs"}, "/api/find")
    assert got.status_code == post_answer.status_code == 200, got.text
    assert got.json()["occurrences"] == post_answer.json()["occurrences"] != []
    first = got.json()["occurrences"][0]
    start, end = first["marks"][0]
    assert first["snippet"][start:end].lower() == "battery"
    assert got.json()["total"] >= len(got.json()["occurrences"])


def test_an_answer_goes_on_by_its_continuation(api: Api) -> None:
    every = api.get("/api/find?q=battery&limit=100").json()
    assert every["total"] > 1
    part = api.get("/api/find?q=battery&limit=1").json()
    rest = api.post({"q": "battery", "limit": 100, "continuation": part["continuation"]}, "/api/find").json()
    assert part["occurrences"] + rest["occurrences"] == every["occurrences"]
    assert rest["continuation"] is every["continuation"] is None


@pytest.mark.parametrize("query", ["", "q=", "q=battery&limit=0", "q=battery&limit=101", "q=battery&topK=2"])
def test_a_malformed_request_is_refused(api: Api, query: str) -> None:
    answer = api.get(f"/api/find?{query}")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_REQUEST")


def test_a_continuation_of_nothing_leads_nowhere(api: Api) -> None:
    answer = api.get("/api/find?q=battery&continuation=x")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "CONTINUATION_GONE")


def test_an_unchanged_index_is_not_read_again(api: Api) -> None:
    first = api.get("/api/find?q=battery")
    again = api.get("/api/find?q=battery", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304


def test_they_run_where_costly_queries_do(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each client runs one at a time, so many requests of one client delay only that client."""
    ran: list[Caller] = []
    run = CostlyQueries.run

    async def noted(self: CostlyQueries, caller: Caller, work: Callable[[], T]) -> T:
        ran.append(caller)
        return await run(self, caller, work)

    monkeypatch.setattr(CostlyQueries, "run", noted)
    assert api.get("/api/find?q=battery").status_code == 200
    assert [caller.trusted for caller in ran] == [False]
