"""Answers in sentences: the option above the results, and the view that streams, cites, refuses and fails."""

import json
from collections.abc import Callable, Mapping, Sequence

import pytest
from playwright.sync_api import Page, Route, expect

from tests.clients.stage import MakeStage, Stage
from tests.clients.test_look import complaints

pytestmark = pytest.mark.ui
SCRIPT = "<script type=module src=/dist/answers.js></script>"
ELEMENT = f"{SCRIPT}<searchsocket-dialog answers></searchsocket-dialog>"
CITATION = {
    "number": 1,
    "title": "Battery",
    "section": "Charging",
    "url": "/docs/battery#charging",
    "quote": "The battery lasts nine hours.",
}
Event = tuple[str, Mapping[str, object]]


def sentence(text: str, *citations: int, **fields: object) -> Event:
    data = {"text": text, "citations": citations, "kind": "text", "quoted": True, "paragraph": 0, **fields}
    return "sentence", data


ANSWER: Sequence[Event] = [
    ("passages", {"passages": []}),
    ("citation", CITATION),
    sentence("The **battery** lasts nine hours, see `batteryLevel`.", 1),
    sentence(
        "Charge it in the [dock](/docs/battery#charging), not at [evil](https://evil.example/).",
        1,
        paragraph=1,
        quotes=("Charge it in the dock.",),
    ),
    sentence("<img src=x onerror=\"document.title='taken'\">", 1, kind="item", paragraph=2),
    sentence("sudo charge --now", kind="code", paragraph=3, quoted=False),
    ("done", {"sentences": 4, "dropped": 2, "cached": False, "tokens": {"prompt": 1, "completion": 1}}),
]
REFUSED: Sequence[Event] = [
    ("refused", {"reason": "not_covered", "message": "no", "results": [{"title": "Battery", "url": "/docs/battery"}]})
]


def streamed(events: Sequence[Event]) -> str:
    return "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)


def answers(events: Sequence[Event], asked: list[Mapping[str, object]] | None = None) -> Callable[[Route], None]:
    def answer(route: Route) -> None:
        if asked is not None:
            asked.append(json.loads(route.request.post_data or "{}"))
        if route.request.url.endswith("/feedback"):
            route.fulfill(status=204)
        else:
            route.fulfill(body=streamed(events), content_type="text/event-stream")

    return answer


def searched(stage: Stage, q: str, element: str = ELEMENT, html: str = 'lang="en"') -> Page:
    """A page where a query was typed, and its option to ask is shown."""
    page = stage.open(element, html=html)
    page.keyboard.press("Control+k")
    page.keyboard.type(q)
    expect(page.locator("[part=ask]")).to_be_visible()
    return page


def test_a_question_is_answered_with_its_sources(stage: Stage) -> None:
    asked: list[Mapping[str, object]] = []
    stage.context.route("**/api/answer**", answers(ANSWER, asked))
    page = searched(stage, "charging battery?")
    expect(page.locator("[role=option]").nth(1)).to_have_attribute("aria-selected", "true")  # Enter opens a page
    page.keyboard.press("Alt+Enter")
    view = page.locator("[part=answer]")
    expect(view.get_by_text("Answers can be wrong; the sources are below. 2 sentences")).to_be_visible()
    expect(view.locator("p strong")).to_have_text("battery")
    expect(view.locator("li").first).to_contain_text("<img src=x")
    expect(view.get_by_text("Not from the documentation")).to_be_visible()
    assert view.locator("a[href*=evil]").count() == 0
    assert page.title() == "Site"
    first_quote, own_quote = (
        f"/docs/battery#charging:~:text={text}"
        for text in ("The%20battery%20lasts%20nine%20hours", "Charge%20it%20in%20the%20dock")
    )
    chips = view.locator("[part=citation]")
    for link in (chips.first, view.locator("[part=source]")):
        expect(link).to_have_attribute("href", first_quote)
    for link in (chips.nth(1), view.locator("p a:not([part])").first):
        expect(link).to_have_attribute("href", own_quote)
    view.get_by_role("button", name="Not helpful").click()
    expect(view.get_by_text("Thank you")).to_be_visible()
    view.get_by_role("textbox").fill("and in the cold?")
    page.keyboard.press("Enter")
    expect(view.get_by_role("heading", name="and in the cold?")).to_be_visible()
    first, vote, second = asked
    assert (first["q"], first["history"], first["stream"]) == ("charging battery?", [], True)
    assert first["preferLanguage"] == second["preferLanguage"] == "en", "the filters are those of the search"
    assert "facets" not in first
    assert vote == {"q": "charging battery?", "helpful": False}
    [turn] = second["history"]  # type: ignore[misc]
    assert turn["question"] == first["q"]
    page.keyboard.press("Escape")
    expect(view).to_have_count(0)
    expect(page.locator("[role=option]").nth(1)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_citation_opens_its_section_with_the_passage_marked(stage: Stage) -> None:
    stage.context.route("**/api/answer", answers(ANSWER))
    page = searched(stage, "charging battery?")
    page.locator("[part=ask]").click()
    page.locator("[part=citation]").first.click()
    page.wait_for_url("**/docs/battery#charging")
    page.wait_for_function("() => CSS.highlights.get('searchsocket-match')?.size === 1")


def test_a_query_without_results_asks_by_enter_and_is_refused(stage: Stage) -> None:
    """The sentences before a refusal go: too few of them were proved."""
    stage.context.route("**/api/answer", answers([*ANSWER[:3], *REFUSED]))
    page = searched(stage, "xylophon")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The documentation does not answer this.")).to_be_visible()
    expect(page.get_by_text("nine hours")).to_have_count(0)
    expect(page.locator("[part=answer] a")).to_have_attribute("href", "/docs/battery")
    page.locator("searchsocket-dialog input").first.press_sequentially("e")
    expect(page.locator("[part=answer]")).to_have_count(0)


@pytest.mark.parametrize(
    ("status", "body"),
    [(503, '{"error": {"code": "MODEL_UNAVAILABLE", "message": "no"}}'), (200, streamed(ANSWER[:3])), (200, "<html>")],
)
def test_a_failure_ends_in_pages_and_can_be_tried_again(stage: Stage, status: int, body: str) -> None:
    """What was proved before the stream ended stays."""
    kind = "text/event-stream" if status == 200 else "application/json"
    stage.context.route("**/api/answer", lambda route: route.fulfill(status=status, body=body, content_type=kind))
    page = searched(stage, "battery?")
    page.keyboard.press("Alt+Enter")
    view = page.locator("[part=answer]")
    expect(view.get_by_text("No answer can be written now.")).to_be_visible()
    expect(view.locator(".links a").first).to_contain_text("Battery")
    assert view.locator("strong").count() == (1 if "battery**" in body else 0)
    stage.context.unroute("**/api/answer")
    stage.context.route("**/api/answer", answers(ANSWER))
    view.get_by_role("button", name="Try again").click()
    expect(view.locator("[part=source]")).to_be_visible()


def test_an_answer_that_takes_long_can_be_stopped(stage: Stage) -> None:
    stage.context.route("**/api/answer", lambda _: None)
    page = searched(stage, "battery?")
    page.keyboard.press("Alt+Enter")
    expect(page.get_by_text("Looking for an answer")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Looking for an answer")).to_have_count(0)
    page.get_by_role("button", name="Back to results").click()
    expect(page.locator("[role=option]").nth(1)).to_be_visible()


def test_only_a_question_is_offered_an_answer_and_only_where_asked_for(stage: Stage) -> None:
    page = searched(stage, "how charging")
    page.locator("searchsocket-dialog input").fill("battery")
    expect(page.locator("[role=option]").first).to_have_attribute("aria-selected", "true")
    expect(page.locator("[part=ask]")).to_have_count(0)
    page.evaluate(
        "document.querySelector('searchsocket-dialog').replaceWith(document.createElement('searchsocket-dialog'))"
    )
    page.keyboard.press("Control+k")
    page.keyboard.type("battery?")
    expect(page.locator("[role=option]").first).to_be_visible()
    expect(page.locator("[part=ask]")).to_have_count(0)


def test_the_box_speaks_the_language_of_the_page(stage: Stage) -> None:
    stage.context.route("**/api/answer", answers(ANSWER))
    page = stage.open(f"{SCRIPT}<searchsocket-box answers='/api/answer'></searchsocket-box>", html='lang="de"')
    page.locator("input").fill("battery?")
    page.get_by_text("Fragen: battery?").click()
    expect(page.get_by_text("Antworten können falsch sein; die Quellen stehen darunter. 2 Sätze")).to_be_visible()
    page.locator("[part=answer] h2").click()  # beside all links
    expect(page.locator("[part=answer]")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_has_no_complaint_about_an_answer(make_stage: MakeStage, scheme: str) -> None:
    stage = make_stage(color_scheme=scheme, reduced_motion="reduce", bypass_csp=True)
    stage.context.route("**/api/answer", answers(ANSWER))
    page = searched(stage, "charging battery?")
    assert complaints(page) == []
    page.keyboard.press("Alt+Enter")
    expect(page.locator("[part=source]")).to_be_visible()
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 700})
        assert complaints(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
