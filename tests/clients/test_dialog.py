"""<searchsocket-dialog>: everything by keys, by pointer and by touch, and back to where one was."""

import pytest
from playwright.sync_api import Page, expect

from tests.clients.stage import MakeStage, Stage

pytestmark = pytest.mark.ui
DIALOG = "<searchsocket-dialog></searchsocket-dialog>"


def opened(stage: Stage, element: str = DIALOG) -> Page:
    page = stage.open(element)
    page.keyboard.press("Control+k")
    expect(page.locator("input[type=search]")).to_be_focused()
    return page


def active(page: Page) -> str:
    """The text of the option that the field names."""
    return str(
        page.evaluate(
            "() => { const root = document.querySelector('searchsocket-dialog, searchsocket-box').shadowRoot;"
            "const id = root.querySelector('input').getAttribute('aria-activedescendant');"
            "return id ? root.getElementById(id).textContent : '' }"
        )
    )


def test_from_the_key_to_the_passage(stage: Stage) -> None:
    """The first result is the one that Enter opens, at its section, with its passage marked and in view."""
    page = opened(stage)
    page.keyboard.type("charging battery")
    expect(page.locator("[role=option]").first).to_contain_text("Battery")
    expect(page.locator("[role=option]").first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs/battery#charging")
    page.wait_for_function("() => CSS.highlights.get('searchsocket-match')?.size === 1")
    marked = "[...CSS.highlights.get('searchsocket-match')][0]"
    assert "battery" in str(page.evaluate(f"{marked}.toString()"))
    page.wait_for_function(
        f"() => {{ const box = {marked}.getBoundingClientRect(); return box.top > 0 && box.bottom < innerHeight }}"
    )


def test_arrows_choose_and_tab_stays_inside(stage: Stage) -> None:
    page = opened(stage)
    page.keyboard.type("battery")
    expect(page.locator("[role=option]").first).to_be_visible()
    first = active(page)
    page.keyboard.press("ArrowDown")
    second = active(page)
    assert second != first
    page.keyboard.press("ArrowUp")
    assert active(page) == first
    page.keyboard.press("ArrowUp")  # round to the last
    assert active(page) not in {first, ""}
    for _ in range(12):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.matches('searchsocket-dialog, body')")  # `body`: the browser's own
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_the_focus_goes_back_and_slash_is_a_sign_where_one_writes(stage: Stage) -> None:
    page = stage.open("<input id=name><searchsocket-dialog></searchsocket-dialog>")
    page.locator("#name").focus()
    page.keyboard.press("/")
    expect(page.locator("#name")).to_have_value("/")
    page.keyboard.press("Control+k")
    expect(page.locator("input[type=search]")).to_be_focused()
    page.keyboard.press("Control+k")
    expect(page.locator("#name")).to_be_focused()
    page.locator("#name").blur()
    page.keyboard.press("/")
    expect(page.locator("input[type=search]")).to_be_focused()
    expect(page.locator("input[type=search]")).to_have_value("")


def test_a_pointer_opens_chooses_and_leaves(stage: Stage) -> None:
    page = stage.open(DIALOG)
    page.get_by_role("button", name="Search").click()
    page.keyboard.type("battery")
    option = page.locator("[role=option]").nth(1)
    option.hover()
    expect(option).to_have_attribute("aria-selected", "true")
    page.mouse.click(5, 5)  # beside it
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="Search").click()
    expect(page.locator("input[type=search]")).to_have_value("battery")
    with stage.context.expect_page() as other:
        page.locator("[role=option]").first.click(modifiers=["Control"])
    assert "/docs/battery#charging:~:text=" in other.value.url  # for the browser to mark; scripts do not see it
    page.locator("[role=option]").first.click()
    page.wait_for_url("**/docs/battery#charging")


def test_a_finger_reaches_all_of_it(make_stage: MakeStage) -> None:
    stage = make_stage(has_touch=True, is_mobile=True, viewport={"width": 320, "height": 640})
    page = stage.open(DIALOG)
    page.get_by_role("button", name="Search").tap()
    page.locator("input[type=search]").fill("okapi")
    option = page.locator("[role=option]").first
    expect(option).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    buttons = (page.get_by_role("button", name=name, exact=True) for name in ("Clear", "Close", "More results"))
    for target in (option, *buttons):
        box = target.bounding_box()
        assert box
        assert round(min(box["width"], box["height"]), 3) >= 44
        assert 0 <= box["x"] <= box["x"] + box["width"] <= 320
    option.tap()
    page.wait_for_url("**/guide/stable/*")


def test_a_finger_does_what_a_pointer_does(make_stage: MakeStage) -> None:
    """Beside opening a result: more of them, a correction, clearing, closing, and the box in the page."""
    stage = make_stage(has_touch=True, is_mobile=True, viewport={"width": 390, "height": 700})
    page = stage.open(f"{DIALOG}<searchsocket-box hotkeys=off></searchsocket-box>")
    page.locator("searchsocket-dialog").get_by_role("button", name="Search").tap()
    field, result = page.locator("searchsocket-dialog input"), page.locator("searchsocket-dialog .result")
    field.fill("batery")
    page.locator("[part=suggestion]").tap()
    expect(field).to_have_value("battery")
    expect(result).to_have_count(15)
    page.get_by_role("button", name="More results").tap()
    expect(result).to_have_count(27)
    page.get_by_role("button", name="Clear", exact=True).tap()
    expect(field).to_have_value("")
    expect(result).to_have_count(0)
    page.get_by_role("button", name="Close").tap()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.locator("searchsocket-box input").tap()
    page.keyboard.type("winter")
    option = page.locator("searchsocket-box [role=option]").first
    expect(option).to_contain_text("winter")
    page.touchscreen.tap(200, 690)  # beside it, where nothing is
    assert not page.evaluate("document.querySelector('searchsocket-box').isOpen")
    page.locator("searchsocket-box input").tap()
    option.tap()
    page.wait_for_url("**/blog/winter**")


def test_openings_leave_nothing_behind(stage: Stage) -> None:
    """Neither elements nor listeners: each opening shows other results. A thousand are in docs/notes/search-ui.md."""
    page = stage.open(DIALOG)
    devtools = stage.context.new_cdp_session(page)
    openings = """async (count) => {
      const dialog = document.querySelector('searchsocket-dialog');
      const once = { once: true };
      for (let at = 0; at < count; at++) {
        const found = new Promise((resolve) => dialog.addEventListener('searchsocket-results', resolve, once));
        dialog.search(`okapi ${at % 20}`);
        await found;
        dialog.close();
      }
    }"""

    def element_counts() -> dict[str, int]:
        devtools.send("HeapProfiler.collectGarbage")
        return dict(devtools.send("Memory.getDOMCounters"))

    page.evaluate(openings, 20)
    before = element_counts()
    page.evaluate(openings, 150)
    after = element_counts()
    assert after["nodes"] <= before["nodes"] + 100
    assert after["jsEventListeners"] <= before["jsEventListeners"] + 5


def test_enter_before_the_answer_opens_its_first_result(stage: Stage) -> None:
    page = opened(stage)
    page.keyboard.type("winter")
    page.keyboard.press("Enter")
    page.wait_for_url("**/blog/winter**")


def test_signs_that_are_still_chosen_are_not_searched(stage: Stage) -> None:
    """An input method's keys are its own: Enter takes a sign, and nothing is asked before that."""
    page = opened(stage)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    devtools = stage.context.new_cdp_session(page)
    devtools.send("Input.imeSetComposition", {"text": "batt", "selectionStart": 4, "selectionEnd": 4})
    devtools.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", "windowsVirtualKeyCode": 229, "key": "Enter"})
    expect(page.locator("input[type=search]")).to_have_value("batt")
    assert page.evaluate("location.pathname") == "/"
    devtools.send("Input.insertText", {"text": "battery"})
    expect(page.locator("[role=option]").first).to_contain_text("Battery")
    assert [url.partition("q=")[2].partition("&")[0] for url in requests] == ["battery"]


def test_shortcuts_of_the_page_are_not_for_keys_in_the_search(stage: Stage) -> None:
    """A book turns its pages by arrows; a theme opens its own search by `s`."""
    page = stage.open(DIALOG)
    page.evaluate("window.heard = []; document.addEventListener('keydown', ({ key }) => heard.push(key))")
    page.keyboard.press("s")
    page.keyboard.press("Control+k")
    for key in ("s", "ArrowLeft", "ArrowRight", "Escape"):
        page.keyboard.press(key)
    assert page.evaluate("heard") == ["s", "Control", "k"]


def test_text_of_pages_never_runs_as_script(stage: Stage) -> None:
    page = opened(stage)
    page.keyboard.type("zebra")
    expect(page.locator("[role=option]").first).to_contain_text("<img")
    assert page.locator("searchsocket-dialog img, searchsocket-dialog script").count() == 0
    assert page.locator("searchsocket-dialog mark").count() > 0
    assert page.title() == "Site"


def test_two_elements_share_the_keys_and_one_that_is_gone_has_none(stage: Stage) -> None:
    page = stage.open(
        "<searchsocket-dialog hotkeys=off></searchsocket-dialog><searchsocket-dialog></searchsocket-dialog>"
    )
    page.keyboard.press("Control+k")
    assert page.evaluate("[...document.querySelectorAll('searchsocket-dialog')].map((one) => one.isOpen)") == [
        False,
        True,
    ]
    page.evaluate("document.querySelectorAll('searchsocket-dialog')[1].remove()")
    page.keyboard.press("Control+k")
    assert page.evaluate("document.querySelector('searchsocket-dialog').isOpen") is False
