"""The service records what visitors search for, and hostile beacons change nothing."""

from pathlib import Path

import pytest
from api_client import ENVIRON, KEY, Api, make_project
from search_site import NOW

from search_api.app import create_app
from searchsocket.extensions.demand.log import DemandLog
from searchsocket.extensions.demand.tally import DemandCounts
from searchsocket.project.project import Project

VISITORS = 3


class Visited:
    """An application with a demand log, and visitors of it."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.app = create_app(project, environ=ENVIRON, host="0.0.0.0", clock=lambda: NOW)

    def visitor(self, number: int) -> Api:
        return Api(self.app, client=f"198.51.100.{number}")

    def stored(self) -> dict[tuple[str, str], DemandCounts]:
        self.app.state.demand.close()
        rows = DemandLog(self.project.state_dir).rows("main", "2000-01-01")
        return {(row.query, row.url): row.counts for row in rows}


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return make_project(tmp_path_factory.mktemp("demand") / "site", "[demand]\nenable = true\nmin_visitors = 3\n")


@pytest.fixture
def visited(indexed: Project, monkeypatch: pytest.MonkeyPatch) -> Visited:
    # With a random key, two visitors have the same bit in a few of a thousand runs.
    monkeypatch.setattr("searchsocket.extensions.demand.tally.secrets.token_bytes", lambda count: bytes(count))
    DemandLog(indexed.state_dir).path.unlink(missing_ok=True)
    return Visited(indexed)


def test_searches_of_visitors_are_recorded_with_their_outcome(visited: Visited) -> None:
    for number in range(VISITORS):
        visited.visitor(number).get("/api/search?q=install")
        visited.visitor(number + 100).post({"q": "snazzlewick trombulator"})
        visited.visitor(number + 200).get("/?q=battery")
    stored = visited.stored()
    assert stored["install", ""].unanswered == 0
    assert stored["snazzlewick trombulator", ""] == DemandCounts(VISITORS, VISITORS, unanswered=VISITORS)
    assert stored["battery", ""].visitors == VISITORS
    assert stored["", ""].searches == 3 * VISITORS


def test_the_owner_and_those_who_object_are_not_recorded(visited: Visited) -> None:
    for number in range(VISITORS):
        visited.visitor(number).get("/api/search?q=install", headers={"authorization": f"Bearer {KEY}"})
        visited.visitor(number).get("/api/search?q=install", headers={"sec-gpc": "1"})
    assert visited.stored() == {}


def test_more_results_are_no_new_search_and_a_known_answer_is_one(visited: Visited) -> None:
    for number in range(VISITORS):
        visitor = visited.visitor(number)
        tag = visitor.get("/api/search?q=install").headers["etag"]
        visitor.get("/api/search?q=install&offset=1")
        assert visitor.get("/api/search?q=install", headers={"if-none-match": tag}).status_code == 304
    assert visited.stored()["install", ""].searches == VISITORS


def test_a_filter_that_finds_nothing_says_nothing_about_the_site(visited: Visited) -> None:
    for number in range(VISITORS):
        visited.visitor(number).get("/api/search?q=install&pathPrefix=/nowhere")
    assert visited.stored()["install", ""].unanswered == 0


def test_a_beacon_reports_the_page_that_was_opened(visited: Visited) -> None:
    """Browsers send it as text, and to another origin without asking first."""
    for number in range(VISITORS):
        answer = visited.visitor(number).request(
            "POST",
            "/api/beacon",
            content=b'{"q": "Install", "url": "/docs/install"}',
            headers={"content-type": "text/plain"},
        )
        assert (answer.status_code, answer.content) == (204, b"")
    assert visited.stored()["install", "/docs/install"].visitors == VISITORS


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"q": "install", "url": "/not/in/the/index"}, 204),
        ({"q": "install", "url": "javascript:alert(1)"}, 204),
        ({"q": "install", "url": "/docs/install", "scope": "secret-branch"}, 403),
        ({"url": "/docs/install"}, 400),
        ({"q": 7}, 400),
        ({"q": "x" * 9_000, "url": "/docs/install"}, 400),
        ("x" * 100_000, 413),
        (["q"], 400),
    ],
)  # fmt: skip
def test_hostile_beacons_are_dropped(visited: Visited, body: object, status: int) -> None:
    for number in range(VISITORS):
        assert visited.visitor(number).post(body, "/api/beacon").status_code == status
    assert visited.stored() == {}


def test_beacons_are_held_to_the_rate_limit(tmp_path: Path) -> None:
    project = make_project(tmp_path / "site", "[demand]\nenable = true\n")
    limit = project.settings.api.rate_limit.model_copy(update={"max": 2})
    api = project.settings.api.model_copy(update={"rate_limit": limit})
    limited = Visited(Project(project.root, project.settings.model_copy(update={"api": api}), project.id))
    statuses = [limited.visitor(1).post({"q": "a", "url": "/"}, "/api/beacon").status_code for _ in range(3)]
    assert statuses == [204, 204, 429]


def test_recording_is_off_by_default(project: Project, api: Api) -> None:
    assert api.post({"q": "install", "url": "/docs/install"}, "/api/beacon").status_code == 404
    assert "beacon" not in api.get("/").text
    assert not DemandLog(project.state_dir).path.exists()
