"""States of the search: filters, typos, weak or no results, and a slow, full, missing or new service."""

import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from tests.clients.stage import Stage, api_error

pytestmark = pytest.mark.ui
MISSING = 'missing-url="/new?title={query}"'


def typed(stage: Stage, q: str, attributes: str = "") -> Page:
    page = stage.open(f"<searchsocket-dialog {attributes}></searchsocket-dialog>")
    page.keyboard.press("/")
    page.keyboard.type(q)
    return page


def titles(page: Page) -> list[str]:
    return page.locator("searchsocket-dialog .result .title").all_inner_texts()


def test_filters_are_what_the_results_differ_by(stage: Stage) -> None:
    page = typed(stage, "battery", "directories='Handbook=/docs, Archive=/docs-old'")
    expect(page.locator("[role=option]").first).to_be_visible()
    page.get_by_label("Section").select_option("Archive")
    expect(page.locator("searchsocket-dialog .result .title")).to_have_count(1)
    page.get_by_label("Tag").select_option("power")
    expect(page.get_by_text("No results for “battery”.")).to_be_visible()
    page.get_by_role("button", name="Search without filters").click()
    expect(page.locator("searchsocket-dialog .result .title").first).to_contain_text("Battery")
    assert page.get_by_label("Section").input_value() == ""
    expect(page.locator("input[type=search]")).to_be_focused()


def test_without_a_list_the_directories_of_the_results_are_offered(stage: Stage) -> None:
    page = typed(stage, "battery", "path-prefix=/")
    expect(page.get_by_label("Section")).to_be_visible()
    assert page.get_by_label("Section").locator("option").all_inner_texts() == [
        "Section: all",
        "Blog",
        "Docs",
        "Docs old",
        "Guide",
    ]


def test_a_language_and_a_facet_are_filters_too(stage: Stage) -> None:
    def two_languages(route: Route) -> None:
        answer = route.fetch().json()
        for number, result in enumerate(answer["results"]):
            result["language"] = "de" if number % 2 else "en"
        answer["facets"] = {"version": {"3": 4, "2": 1}}
        route.fulfill(json=answer)

    stage.context.route("**/api/search*", lambda route: two_languages(route))
    requests: list[str] = []
    page = stage.open("<searchsocket-dialog></searchsocket-dialog>")
    page.on("request", lambda request: requests.append(request.url))
    page.keyboard.press("/")
    page.keyboard.type("battery")
    page.get_by_label("Language").select_option("German")
    expect(page.get_by_label("Language")).to_have_value("de")
    with page.expect_request("**/api/search*"):
        page.keyboard.press("ArrowDown")
        page.locator("input[type=search]").press_sequentially("x")
    assert "filter=language%3Ade" in requests[-1]


VERSIONS = {
    "searched": ["1.0"],
    "default": ["2.0"],
    "available": [{"name": name, "title": name, "aliases": []} for name in ("2.0", "1.0")],
}


@pytest.mark.parametrize(
    ("path", "attributes", "version", "seen"),
    [
        ("/docs/1.0/install", "", ["/docs/1.0"], "1.0"),
        ("/docs/1.0", "", [], "1.0"),
        ("/docs/install", "", [], "1.0"),
        ("/en/latest/install.html", "", ["/en/latest"], "1.0"),
        ("/docs/1.0/install", 'version="2.0"', ["2.0"], "2.0"),
        ("/docs/1.0/install", 'version="all"', ["all"], "all"),
    ],
)
def test_the_version_of_the_visitors_page_is_searched(
    stage: Stage, path: str, attributes: str, version: list[str], seen: str
) -> None:
    """The service decides if the folder is a version; an attribute names another."""
    requests: list[list[str]] = []

    def answered(route: Route) -> None:
        requests.append(parse_qs(urlsplit(route.request.url).query).get("version", []))
        of_no_version = re.sub(r"&version=[^&]*", "", route.request.url)  # the site of the test has none
        versions = {
            **VERSIONS,
            "searched": ["2.0"] if requests[-1] == ["2.0"] else [] if requests[-1] == ["all"] else ["1.0"],
        }
        route.fulfill(json={**route.fetch(url=of_no_version).json(), "versions": versions})

    stage.context.route("**/api/search*", answered)
    page = stage.open(f"<searchsocket-dialog {attributes}></searchsocket-dialog>", path=path)
    page.keyboard.press("/")
    page.keyboard.type("battery")
    menu = page.get_by_label("Version")
    expect(menu).to_have_value(seen)
    assert menu.locator("option").all_inner_texts() == ["Version: 2.0", "Version: 1.0", "Version: all"]
    assert requests[-1] == version
    other = "1.0" if seen == "2.0" else "2.0"
    with page.expect_request("**/api/search*"):
        menu.select_option(other)
    expect(menu).to_have_value(other)
    assert requests[-1] == [other]


@pytest.mark.parametrize(("html", "preferred"), [('lang="de-CH"', ["de-CH"]), ("", []), ('lang="{{ page.lang }}"', [])])
def test_the_language_of_the_visitors_page_is_preferred(stage: Stage, html: str, preferred: list[str]) -> None:
    """A page that states none, or a template that was not filled in, must not break its search."""
    requests: list[list[str]] = []

    def answered(route: Route) -> None:
        requests.append(parse_qs(urlsplit(route.request.url).query).get("preferLanguage", []))
        answer = route.fetch().json()
        for result in answer["results"]:
            result["languages"] = ["en", "de"]
        route.fulfill(json=answer)

    stage.context.route("**/api/search*", answered)
    page = stage.open("<searchsocket-dialog></searchsocket-dialog>", html=html)
    page.keyboard.press("Control+k")
    page.keyboard.type("battery")
    expect(page.locator("[role=option]").first).to_be_visible()
    assert requests[-1] == preferred
    assert page.locator("select[name=language] option").count() == 3  # all, and the two languages of one result


def test_a_site_without_versions_has_no_menu_of_them(stage: Stage) -> None:
    page = typed(stage, "battery")
    expect(page.locator("[role=option]").first).to_be_visible()
    expect(page.get_by_label("Version")).to_have_count(0)


def test_a_slip_is_offered_corrected_and_a_beginning_completed(stage: Stage) -> None:
    page = typed(stage, "batery")
    expect(page.get_by_text("Did you mean", exact=True)).to_be_visible()
    page.get_by_role("button", name="battery").click()
    expect(page.locator("input[type=search]")).to_have_value("battery")
    page.locator("input[type=search]").fill("driv")
    expect(page.get_by_role("button", name="Driving")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator("input[type=search]")).to_have_value("Driving")


def test_weak_answers_are_called_so_and_no_answer_is_no_error(stage: Stage) -> None:
    def weak(route: Route) -> None:
        route.fulfill(json=route.fetch().json() | {"quality": "weak"})

    stage.context.route("**/api/search?q=battery*", weak)
    page = typed(stage, "battery", MISSING)
    expect(page.get_by_text("No close match. Closest results:")).to_be_visible()
    expect(page.get_by_role("link", name="Missing something? Tell us")).to_have_attribute("href", "/new?title=battery")
    page.locator("input[type=search]").fill("xylophon & qwzrk")
    expect(page.get_by_text("No results for “xylophon & qwzrk”.")).to_be_visible()
    expect(page.locator("input[type=search]")).to_have_attribute("aria-expanded", "false")
    link = page.get_by_role("link", name="Missing something? Tell us")
    expect(link).to_have_attribute("href", "/new?title=xylophon%20%26%20qwzrk")


def test_rejected_results_are_offered_as_before(stage: Stage) -> None:
    """A service that gives nothing leaves no words to correct by, but those of the letters before did."""
    page = typed(stage, "batter")
    expect(page.locator(".result").first).to_contain_text("Battery")
    with page.expect_response("**/api/search*") as answer:
        page.locator("input[type=search]").fill("xylophon qwzrk bxttexry")
    assert answer.value.json()["quality"] == "rejected"
    expect(page.get_by_text("No results for “xylophon qwzrk bxttexry”.")).to_be_visible()
    expect(page.get_by_text("Did you mean", exact=True)).to_be_visible()
    page.locator("[part=suggestion]").click()
    expect(page.locator("input[type=search]")).to_have_value("xylophon qwzrk battery")


def test_the_help_line_is_true(stage: Stage) -> None:
    """Quotes require the words side by side, and a minus leaves pages with the word out."""
    page = typed(stage, '"older robots"')
    expect(page.get_by_text('"exact phrase" · -word to exclude')).to_be_visible()
    expect(page.locator(".result .title")).to_contain_text(["Lead battery"])
    page.locator("input[type=search]").fill("battery -lead")
    expect(page.locator(".result").first).to_contain_text("Battery")
    expect(page.get_by_text("Lead battery")).to_have_count(0)


def test_recent_searches_are_those_that_led_somewhere(stage: Stage) -> None:
    page = typed(stage, "battery")
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs/battery**")
    page = stage.open("<searchsocket-dialog></searchsocket-dialog>")
    page.keyboard.press("/")
    page.keyboard.type("driving")
    expect(page.locator("[role=option]").first).to_contain_text("Driving")
    page.get_by_role("button", name="Clear", exact=True).click()
    expect(page.locator(".recent:not(a)")).to_have_text(["battery"])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("input[type=search]")).to_have_value("battery")
    page.locator("input[type=search]").fill("")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Delete")
    expect(page.locator(".recent:not(a)")).to_have_count(0)
    assert page.evaluate("localStorage['searchsocket-recent']") == "[]"


def test_a_slow_answer_leaves_what_is_there_and_comes_last(stage: Stage) -> None:
    waiting: list[Route] = []
    page = typed(stage, "battery")
    expect(page.locator("[role=option]").first).to_be_visible()
    before = titles(page)
    stage.context.route("**/api/search?q=winter*", lambda route: waiting.append(route))
    with page.expect_request("**/api/search?q=winter*"):
        page.locator("input[type=search]").fill("winter")
    expect(page.get_by_role("listbox")).to_have_attribute("aria-busy", "true")
    assert titles(page) == before
    page.locator("input[type=search]").fill("driving")
    expect(page.locator("searchsocket-dialog .result .title").first).to_contain_text("Driving")
    waiting[0].abort()  # nobody waits for it any more
    expect(page.get_by_role("listbox")).to_have_attribute("aria-busy", "false")


def test_a_service_that_fails_is_said_and_can_be_asked_again(stage: Stage) -> None:
    stage.context.route("**/api/search*", api_error(503, "INDEX_CORRUPT"))
    page = typed(stage, "battery")
    expect(page.get_by_text("Search is not working right now.")).to_be_visible()
    expect(page.locator("[role=option]")).to_have_count(0)
    stage.context.unroute("**/api/search*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("[role=option]").first).to_contain_text("Battery")
    stage.context.route("**/api/search*", lambda route: route.abort())
    page.locator("input[type=search]").fill("driving")
    expect(page.get_by_text("Search is unreachable.")).to_be_visible()
    stage.context.route("**/api/search*", lambda route: route.fulfill(body="<p>hello", content_type="text/html"))
    page.locator("input[type=search]").fill("steering")
    expect(page.get_by_text("Search is not working right now.")).to_be_visible()


def test_after_too_many_searches_it_goes_on_by_itself(stage: Stage) -> None:
    page = stage.open("<searchsocket-dialog></searchsocket-dialog>")
    page.clock.install()
    stage.context.route("**/api/search*", api_error(429, "RATE_LIMITED", **{"retry-after": "30"}))
    page.keyboard.press("/")
    page.keyboard.type("battery")
    page.clock.fast_forward(1_000)
    expect(page.get_by_text("Too many searches. Try again in 30 seconds.")).to_be_visible()
    stage.context.unroute("**/api/search*")
    page.clock.fast_forward(29_000)
    expect(page.locator("[role=option]")).to_have_count(0)
    page.clock.fast_forward(2_000)
    page.clock.resume()
    expect(page.locator("[role=option]").first).to_contain_text("Battery")


def test_an_answer_that_does_not_come_is_given_up(stage: Stage) -> None:
    waiting: list[Route] = []
    stage.context.route("**/api/search*", lambda route: waiting.append(route))
    page = stage.open("<searchsocket-dialog></searchsocket-dialog>")
    page.clock.install()
    page.keyboard.press("/")
    with page.expect_request("**/api/search*"):
        page.locator("input[type=search]").fill("battery")
    page.clock.fast_forward(8_000)
    expect(page.get_by_text("Search timed out.")).to_be_visible()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("listbox", include_hidden=True)).to_have_attribute("aria-busy", "true")


def test_a_site_that_is_published_anew_in_the_middle_is_begun_again(stage: Stage) -> None:
    """Later results of another generation would repeat pages, or leave them out."""

    def republished(route: Route) -> None:
        answer = route.fetch().json()
        answer["meta"]["generation"] = "another"
        for result in answer["results"]:
            result["title"] = f"New {result['title']}"
        route.fulfill(body=json.dumps(answer), content_type="application/json")

    page = typed(stage, "okapi")
    expect(page.locator("searchsocket-dialog .result")).to_have_count(15)
    page.get_by_role("button", name="More results").click()
    expect(page.locator("searchsocket-dialog .result")).not_to_have_count(15)
    assert len(set(titles(page))) == len(titles(page)) > 20
    page.locator("input[type=search]").fill("okapi eats")
    expect(page.locator("searchsocket-dialog .result")).to_have_count(15)
    stage.context.route("**/api/search*", republished)
    page.get_by_role("button", name="More results").click()
    expect(page.locator("searchsocket-dialog .result .title").first).to_contain_text("New Okapi")
    assert all(title.startswith("New") for title in titles(page))
    assert len(titles(page)) == 15


def test_a_search_that_was_left_before_its_answer_is_asked_again(stage: Stage) -> None:
    waiting: list[Route] = []
    stage.context.route("**/api/search?q=winter*", lambda route: waiting.append(route))
    page = stage.open("<searchsocket-dialog></searchsocket-dialog>")
    page.keyboard.press("/")
    with page.expect_request("**/api/search?q=winter*"):
        page.locator("input[type=search]").fill("winter")
    page.keyboard.press("Escape")
    stage.context.unroute("**/api/search?q=winter*")
    page.keyboard.press("/")
    expect(page.locator("[role=option]").first).to_contain_text("The robot in winter")
    expect(page.get_by_role("listbox")).to_have_attribute("aria-busy", "false")


@pytest.mark.parametrize("width", [320, 390, 768, 1280, 1920])
def test_filters_stay_inside_the_dialog(stage: Stage, width: int) -> None:
    """With a suggestion, versions, and long names: they wrap, and no menu is cut at the edge."""

    def many(route: Route) -> None:
        answer = route.fetch(url=re.sub(r"&facets?=[^&]*", "", route.request.url)).json()
        answer["facets"] = {name: {"a rather long value": 4, "b": 1} for name in ("product", "audience", "platform")}
        route.fulfill(json=answer | {"versions": VERSIONS})

    stage.context.route("**/api/search*", many)
    page = stage.open("<searchsocket-dialog facets='product, audience, platform'></searchsocket-dialog>")
    page.set_viewport_size({"width": width, "height": 800})
    page.keyboard.press("/")
    page.keyboard.type("battery")
    expect(page.get_by_label("platform")).to_be_visible()
    edges = page.locator("searchsocket-dialog .filter").evaluate_all(
        "all => all.map((one) => [one.getBoundingClientRect(), one.closest('dialog').getBoundingClientRect()])"
    )
    assert len(edges) >= 4
    assert [one for one, dialog in edges if one["left"] < dialog["left"] or one["right"] > dialog["right"]] == []


def test_the_corrected_word_is_marked_in_the_title(stage: Stage) -> None:
    page = typed(stage, "batery")
    expect(page.locator("searchsocket-dialog .result .title mark").first).to_have_text("Battery")


def test_code_keeps_its_lines_and_wraps(stage: Stage) -> None:
    """With its indentation; a line that is too long continues below."""
    code = "Start it:\nwhile tide:\n    " + "feed_the_robot_and_wait_" * 8 + "()"

    def with_code(route: Route) -> None:
        answer = route.fetch().json()
        answer["results"][0] |= {"snippet": code, "marks": []}
        route.fulfill(json=answer)

    stage.context.route("**/api/search?q=battery*", with_code)
    page = typed(stage, "battery")
    snippet = page.locator(".result .snippet").first
    expect(snippet).to_contain_text("Start it:")
    assert snippet.evaluate("one => one.innerText").startswith("Start it:\nwhile tide:\n    feed")
    assert snippet.evaluate("one => one.scrollWidth <= one.clientWidth && one.clientHeight > 3 * 14")
