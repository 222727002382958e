"""`offset`, `total` and `generation`: an answer in several parts."""

from pathlib import Path

import pytest
from api_client import ENVIRON, Api, make_project
from search_site import Piece, Site

from search_api.app import create_app
from searchsocket.stores.local.store import LocalStore

ZEBRAS = [Piece(f"/zebra/{n:02}", f"Chapter {n} about the zebra.", title=f"Zebra {n}") for n in range(24)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> tuple[Api, Site]:
    project = make_project(tmp_path_factory.mktemp("zebras"))
    site = Site(LocalStore(project.state_dir / "index", "site"))
    site.publish(ZEBRAS)
    return Api(create_app(project, environ=ENVIRON, host="0.0.0.0")), site


@pytest.mark.parametrize("group", ["page", "chunk"])
@pytest.mark.parametrize("size", [1, 7, 10])
def test_the_parts_are_the_whole_in_its_order(site: tuple[Api, Site], group: str, size: int) -> None:
    api, _ = site
    body = {"q": "zebra chapter", "topK": size, "groupBy": group}
    total = api.post(body).json()["total"]
    assert total >= 24
    parts = [api.post({**body, "offset": offset}).json() for offset in range(0, total, size)]
    refs = [result["ref"] for part in parts for result in part["results"]]
    assert len(refs) == len(set(refs)) == total
    assert {part["total"] for part in parts} == {total}
    scores = [result["score"] for part in parts for result in part["results"]]
    assert scores == sorted(scores, reverse=True)
    assert (
        api.get(f"/api/search?q=zebra+chapter&topK={size}&groupBy={group}&offset=1").json()["results"][0]["ref"]
        == (refs[1])
    )


def test_beyond_the_last_there_is_nothing(site: tuple[Api, Site]) -> None:
    api, _ = site
    answer = api.post({"q": "zebra", "offset": 1000}).json()
    assert (answer["results"], answer["meta"]["notes"]) == ([], [])
    assert answer["total"] >= 24


def test_nonsense_has_a_total_of_none(site: tuple[Api, Site]) -> None:
    assert site[0].post({"q": "qzxjv"}).json()["total"] == 0


@pytest.mark.parametrize("offset", [-1, 1001, 1.5, "1", True])
def test_an_offset_out_of_bounds_is_refused(site: tuple[Api, Site], offset: object) -> None:
    answer = site[0].post({"q": "zebra", "offset": offset})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_REQUEST")


def test_another_generation_than_that_of_the_first_part_is_noted(tmp_path: Path) -> None:
    """Parts of two generations may hold a page twice, or never."""
    project = make_project(tmp_path)
    site = Site(LocalStore(project.state_dir / "index", "site"))
    api = Api(create_app(project, environ=ENVIRON, host="0.0.0.0"))
    first = api.post({"q": "battery", "topK": 1}).json()["meta"]["generation"]
    further = {"q": "battery", "topK": 1, "offset": 1, "generation": first}

    def codes() -> list[str]:
        return [note["code"] for note in api.post(further).json()["meta"]["notes"]]

    assert codes() == []
    site.publish(ZEBRAS)
    assert codes() == ["GENERATION_CHANGED"]
