"""The owner's page: off without a key, nothing secret in it, and its data for callers with the key only."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from api_client import ENVIRON, KEY, Api, make_project
from playwright.sync_api import Page, expect
from running_service import listening
from search_site import NOW, Piece, Site

from search_api.app import create_app
from searchsocket.extensions.demand.log import DemandLog
from searchsocket.extensions.demand.tally import DemandCounts, DemandRow
from searchsocket.project.project import Project
from searchsocket.stores.local.store import LocalStore
from tests.chromium import open_chromium

EVIL = "<img src=x onerror=\"document.title='taken'\">"
AUTHORIZATION = {"authorization": f"Bearer {KEY}"}


@pytest.fixture(scope="module")
def owned(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with two generations and a demand log."""
    project = make_project(tmp_path_factory.mktemp("owned") / "site", "[demand]\nenable = true\n")
    Site(LocalStore(project.state_dir / "index", "site")).publish(
        [Piece("/docs/lead", "Charging a lead battery takes a night.", title="Charging")]
    )
    day = (NOW.date() - timedelta(days=1)).isoformat()
    counts = {"": DemandCounts(30, 40), EVIL: DemandCounts(9, 9, unanswered=9), "charging": DemandCounts(20, 25)}
    DemandLog(project.state_dir).add([DemandRow(day, "main", each, query) for query, each in counts.items()])
    return project


@pytest.fixture(scope="module")
def service(owned: Project) -> Api:
    return Api(create_app(owned, environ=ENVIRON, host="127.0.0.1", clock=lambda: NOW), base="http://localhost")


def test_there_is_no_page_without_a_key(owned: Project) -> None:
    """The token of the state folder does not switch it on."""
    api = Api(create_app(owned, environ={}, host="127.0.0.1", token="t" * 43), base="http://localhost")
    assert [api.get(path).status_code for path in ("/owner", "/api/owner/demand")] == [404, 404]


def test_the_page_itself_contains_nothing_of_the_log(service: Api) -> None:
    page = service.get("/owner")
    assert page.status_code == 200
    assert "default-src 'none'; script-src 'self'" in page.headers["content-security-policy"]
    assert "charging" not in page.text
    assert KEY not in page.text


@pytest.mark.parametrize("path", ["demand", "compare?q=charging"])
def test_data_needs_the_key(service: Api, path: str) -> None:
    assert service.get(f"/api/owner/{path}").status_code == 401
    assert service.post({"q": "charging", "url": "/docs/install"}, "/api/owner/pins").status_code == 401
    assert service.get(f"/api/owner/{path}", headers={"authorization": "Bearer wrong"}).status_code == 401
    assert service.get(f"/api/owner/{path}", headers=AUTHORIZATION).status_code == 200


def test_two_generations_answer_one_query(service: Api) -> None:
    comparison = service.get("/api/owner/compare?q=charging", headers=AUTHORIZATION).json()
    urls = [[result["url"] for result in comparison[side]["answer"]["results"]] for side in ("before", "after")]
    assert "/docs/lead" not in urls[0]
    assert "/docs/lead" in urls[1]
    assert comparison["after"]["answer"]["results"][0]["explanation"]["fused"] >= 0
    other = service.get("/api/owner/compare?q=charging&before=candidate", headers=AUTHORIZATION).json()
    assert other["before"]["answer"] is None
    assert "candidate" in other["before"]["problem"]
    hostile = service.get("/api/owner/compare?q=charging&before=../../etc", headers=AUTHORIZATION)
    assert hostile.status_code == 400


def test_a_pin_is_proposed_for_a_page_of_the_index(owned: Project, service: Api) -> None:
    headers = AUTHORIZATION
    wrong = service.post({"q": "charging", "url": "/nowhere"}, "/api/owner/pins", headers=headers)
    assert (wrong.status_code, "/nowhere" in wrong.text) == (400, True)
    first, again = (
        service.post({"q": "charging", "url": "/docs/lead"}, "/api/owner/pins", headers=headers).json()
        for _ in range(2)
    )
    assert first == again
    assert first["text"] == '[[pin]]\nquery = "charging"\npages = ["/docs/lead"]\n'
    assert first["file"] == "curation.toml"


@pytest.fixture
def page(owned: Project) -> Iterator[Page]:
    """The page in a browser, of which no script failed and nothing was stopped by its policy."""
    problems: list[str] = []
    with (
        listening(create_app(owned, environ=ENVIRON, host="127.0.0.1", clock=lambda: NOW)) as port,
        open_chromium() as browser,
    ):
        page = browser.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if "Security" in message.text else None)
        page.goto(f"http://127.0.0.1:{port}/owner")
        yield page
    assert problems == []


@pytest.mark.ui
def test_the_owner_signs_in_compares_and_pins(page: Page, owned: Project) -> None:
    page.get_by_label("Key").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("The key is wrong")
    page.get_by_label("Key").fill(KEY)
    page.keyboard.press("Enter")
    expect(page.get_by_text("40 searches by 30 visitors")).to_be_visible()
    expect(page.get_by_role("button", name=EVIL).first).to_be_visible()  # a text, not an image
    assert page.title() == "Owner · Garden robot"
    page.get_by_role("button", name="charging", exact=True).first.click()
    expect(page.locator("#comparison > div").nth(1)).to_contain_text("/docs/lead")
    expect(page.locator("#comparison .moved").first).to_be_visible()
    after = page.locator("#comparison > div").nth(1).locator("li").first
    after.get_by_text("score").click()
    expect(after.get_by_text("cosine")).to_be_visible()
    after.get_by_role("button", name="Pin").click()
    expect(after.get_by_text("add these lines to curation.toml")).to_be_visible()
    page.reload()  # the tab keeps the key
    expect(page.get_by_text("40 searches by 30 visitors")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("Key")).to_be_visible()
    expect(page.get_by_text("40 searches by 30 visitors")).to_be_hidden()
