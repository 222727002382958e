"""Before anything is typed: pinned pages, recent searches and pages, and what the site suggests."""

import pytest
from playwright.sync_api import Page, expect

from tests.clients.stage import MakeStage, Stage

pytestmark = pytest.mark.ui
DIALOG = "<searchsocket-dialog suggestions='winter, battery'></searchsocket-dialog>"
OPTION = "searchsocket-dialog [role=option]"


def returned(stage: Stage, *queries: str) -> Page:
    """The search as it opens for somebody whose queries led somewhere before."""
    page = stage.open(DIALOG)
    for q in queries:
        page.keyboard.press("Control+k")
        page.locator("input[type=search]").fill(q)
        expect(page.locator(".result .title").first).to_contain_text(q.capitalize())
        page.keyboard.press("Enter")
        page.wait_for_url("**/docs/**")
        page = stage.open(DIALOG)
    page.keyboard.press("Control+k")
    return page


def groups(page: Page) -> dict[str, list[str]]:
    return {
        group.get_attribute("aria-label") or "": [title.inner_text() for title in group.locator(".title").all()]
        for group in page.locator("searchsocket-dialog .list [role=group]").all()
    }


def test_a_first_visitor_gets_what_the_site_suggests(stage: Stage) -> None:
    page = returned(stage)
    assert groups(page) == {"Suggestions": ["winter", "battery"]}
    expect(page.get_by_text("Suggestions", exact=True)).to_be_visible()
    page.keyboard.press("Delete")  # nothing of the visitor's is there
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("input[type=search]")).to_have_value("battery")
    expect(page.locator(".result").first).to_contain_text("Battery")


def test_a_site_that_suggests_nothing_offers_the_pages_of_its_navigation(stage: Stage) -> None:
    """Not places within this page, other hosts, or other languages; the visitor's own history comes first."""
    nav = (
        "<nav><a href='/docs/battery'>Battery</a> <a href='/docs/battery'>Again</a> <a href='#a'>A place</a>"
        "<a href='https://example.com/'>Elsewhere</a> <a href='/de/' hreflang=de>Deutsch</a> <a href='/'>Home</a>"
        "<a href='/guide/'><svg></svg></a> <a href='/guide/'> The\n guide </a></nav>"
    )
    page = stage.open(f"{nav}<searchsocket-dialog></searchsocket-dialog>")
    page.keyboard.press("Control+k")
    assert groups(page) == {"Suggestions": ["Battery", "The guide"]}
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs/battery")
    page = stage.open("<searchsocket-dialog></searchsocket-dialog>")
    page.keyboard.press("Control+k")
    assert groups(page) == {}, "a page that was not opened from results is no history"
    expect(page.locator("searchsocket-dialog .foot")).to_be_hidden()


def test_the_link_of_the_logo_is_no_suggestion(stage: Stage) -> None:
    nav = "<nav><a href='/'>My Site</a><a href='/docs/battery'>Battery</a><a href='/guide/'>The guide</a></nav>"
    page = stage.open(f"{nav}<searchsocket-dialog></searchsocket-dialog>", path="/docs/other")
    page.keyboard.press("Control+k")
    assert groups(page) == {"Suggestions": ["Battery", "The guide"]}


def test_keys_pin_open_and_remove_what_was_opened(stage: Stage) -> None:
    page = returned(stage, "battery", "driving")
    opened = ["Driving › By voice", "Battery › Charging"]
    assert groups(page) == {
        "Recent searches": ["driving", "battery"],
        "Recently opened": opened,
        "Suggestions": ["winter"],
    }
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Alt+p")
    assert groups(page)["Pinned"] == opened[1:]
    assert groups(page)["Recently opened"] == opened[:1]
    expect(page.locator(OPTION).first).to_have_attribute("aria-selected", "true")  # it is the one that was pinned
    page.get_by_role("button", name="Clear all").click()
    assert groups(page) == {"Pinned": opened[1:], "Suggestions": ["winter", "battery"]}
    expect(page.get_by_role("button", name="Clear all")).to_have_count(0)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs/battery#charging")
    page = returned(stage)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Alt+p")
    assert groups(page)["Recently opened"] == opened[1:]
    page.keyboard.press("Delete")
    assert groups(page) == {"Suggestions": ["winter", "battery"]}


@pytest.mark.parametrize("touch", [False, True])
def test_a_pointer_and_a_finger_do_it_too(make_stage: MakeStage, touch: bool) -> None:
    stage = make_stage(has_touch=touch, is_mobile=touch, viewport={"width": 390, "height": 700})
    page = returned(stage, "battery")
    for tool, label in (("pin", "Pinned"), ("pin", "Recently opened"), ("remove", "")):
        button = page.locator(f".recent .{tool}").last if tool == "pin" else page.locator("a.recent .remove")
        box = button.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= (44 if touch else 36)
        button.tap() if touch else button.click()
        expect(page.locator("a.recent")).to_have_count(1 if label else 0)
        assert (label in groups(page)) is bool(label)
    expect(page.locator("input[type=search]")).to_be_focused()
    query = page.locator(OPTION, has_text="battery").first
    query.tap() if touch else query.click()
    expect(page.locator(".result").first).to_contain_text("Battery")


def test_foreign_entries_in_storage_are_no_pages(stage: Stage) -> None:
    page = stage.open(DIALOG)
    stored_json = (
        """[{"href": "javascript:alert(1)", "title": "x"}, {"href": "/a"}, null, 7, {"href": "/b", "title": "B"}]"""
    )
    page.evaluate("(kept) => localStorage.setItem('searchsocket-pages', kept)", stored_json)
    page.keyboard.press("/")
    assert groups(page)["Recently opened"] == ["B"]
    page.evaluate("document.querySelector('searchsocket-dialog').setAttribute('recent', 'off')")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    assert groups(page) == {"Suggestions": ["winter", "battery"]}
