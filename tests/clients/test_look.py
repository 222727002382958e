"""Appearance: two themes, three widths, right to left, custom colours, axe and a screen reader."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.clients.spoken import Reader
from tests.clients.stage import MakeStage, Stage, api_error
from tests.conftest import GoldenCheck

pytestmark = pytest.mark.ui
DIALOG = "<searchsocket-dialog missing-url='/new?q={query}'></searchsocket-dialog>"
SPOKEN = Path(__file__).parents[1] / "golden" / "clients" / "spoken.txt"
ROOT = "document.querySelector('searchsocket-dialog').shadowRoot"


def complaints(page: Page) -> list[str]:
    violations = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [f"{violation['id']}: {node['html'][:200]}" for violation in violations for node in violation["nodes"]]


def searched(page: Page, q: str = "battery") -> Page:
    page.keyboard.press("/")
    page.keyboard.type(q)
    expect(page.locator("[role=option]").first).to_be_visible()
    expect(page.get_by_role("listbox")).to_have_attribute("aria-busy", "false")
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_has_no_complaint_at_any_width(make_stage: MakeStage, scheme: str) -> None:
    stage = make_stage(color_scheme=scheme, reduced_motion="reduce", bypass_csp=True)
    page = stage.open(DIALOG)
    assert complaints(page) == []
    searched(page, "batery")
    for width in (320, 768, 1280):
        page.set_viewport_size({"width": width, "height": 700})
        assert complaints(page) == []
        expect(page.get_by_text('"exact phrase" · -word to exclude')).to_be_in_viewport(ratio=1)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(f"{ROOT}.querySelector('.list').scrollWidth <= {ROOT}.querySelector('.list').clientWidth")
    page.locator("searchsocket-dialog input").fill("xylophon")
    expect(page.get_by_text("No results")).to_be_visible()
    assert complaints(page) == []


def test_from_right_to_left_and_in_another_language(stage: Stage) -> None:
    page = stage.open(DIALOG, html='lang="ar" dir="rtl"')
    searched(page)
    assert page.locator("searchsocket-dialog input").get_attribute("placeholder") == "بحث"
    icon, close = (
        page.locator(f"searchsocket-dialog {item}").bounding_box() for item in (".bar > svg", "[part=close]")
    )
    assert icon
    assert close
    assert icon["x"] > close["x"]
    option = page.locator("[role=option]").first
    icon, title = option.locator("svg").bounding_box(), option.locator(".title").bounding_box()
    assert icon
    assert title
    assert icon["x"] > title["x"]
    page.evaluate("document.documentElement.lang = 'he'")  # by the site itself, without a load
    expect(page.locator("searchsocket-dialog input")).to_have_attribute("placeholder", "חיפוש")
    page.evaluate(
        "const host = document.querySelector('main'); host.lang = 'pl'; host.attachShadow({ mode: 'open' })"
        ".append(document.createElement('searchsocket-box'))"
    )
    expect(page.locator("searchsocket-box input")).to_have_attribute("placeholder", "Szukaj")
    page.evaluate("document.querySelector('main').shadowRoot.replaceChildren()")
    page.evaluate("document.querySelector('searchsocket-dialog').lang = 'fr'")
    expect(page.locator("searchsocket-dialog input")).to_have_attribute("placeholder", "Rechercher")
    assert page.evaluate(f"getComputedStyle({ROOT}.querySelector('.panel')).direction") == "ltr"
    page.evaluate("document.querySelector('searchsocket-dialog').labels = { close: 'Zu' }")
    expect(page.get_by_role("button", name="Zu")).to_be_visible()


def test_a_site_gives_its_colours_and_styles_parts(stage: Stage) -> None:
    page = stage.open(
        DIALOG,
        script="const sheet = new CSSStyleSheet(); sheet.replaceSync(`searchsocket-dialog {"
        "--searchsocket-background: rgb(1, 2, 3); --searchsocket-font-size: 20px }"
        "header { white-space: nowrap; text-transform: uppercase } "
        "searchsocket-dialog::part(title) { color: rgb(4, 5, 6) }`);"
        "document.adoptedStyleSheets.push(sheet);",
    )
    searched(page)
    expect(page.locator(".snippet").first).to_have_css("white-space", "normal")
    expect(page.locator(".title").first).to_have_css("font-size", "20px")
    assert page.evaluate(f"getComputedStyle({ROOT}.querySelector('dialog')).backgroundColor") == "rgb(1, 2, 3)"
    expect(page.locator(".title").first).to_have_css("color", "rgb(4, 5, 6)")
    for theme, colour in (("dark", "rgb(232, 234, 237)"), ("light", "rgb(28, 30, 33)")):
        page.evaluate(f"document.querySelector('searchsocket-dialog').setAttribute('theme', '{theme}')")
        assert page.evaluate(f"getComputedStyle({ROOT}.querySelector('dialog')).color") == colour


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_nothing_moves_where_motion_is_not_wanted(make_stage: MakeStage, motion: str) -> None:
    page = make_stage(reduced_motion=motion).open(DIALOG)
    page.keyboard.press("/")
    animation = page.evaluate(f"getComputedStyle({ROOT}.querySelector('dialog')).animationName")
    assert (animation == "none") is (motion == "reduce")


def test_nothing_jumps_while_one_types(stage: Stage) -> None:
    """Neither the page behind, nor the field and the place of the first result."""
    page = stage.open(DIALOG)
    page.evaluate(
        "window.shift = 0; new PerformanceObserver((list) => list.getEntries().forEach((one) => (shift += one.value)))"
        ".observe({ type: 'layout-shift', buffered: true })"
    )
    width = page.evaluate("document.documentElement.clientWidth")
    searched(page)
    top = f"['dialog', '.bar', '.tools', '.result'].map((one) => {ROOT}.querySelector(one).getBoundingClientRect().y)"
    before = page.evaluate(top)
    for q, title in (("batery", "Battery"), ("winter", "winter"), ("driv", "Driving")):
        page.locator("input[type=search]").fill(q)
        expect(page.locator(".result").first).to_contain_text(title)
        assert page.evaluate(top) == before
    assert page.evaluate("document.documentElement.clientWidth") == width
    page.keyboard.press("Escape")
    assert page.evaluate("shift") < 0.01


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_the_dialog_is_as_high_as_its_content(make_stage: MakeStage, motion: str) -> None:
    """A lower answer makes it lower after a pause, so an answer between two keys does not."""
    page = make_stage(reduced_motion=motion).open(DIALOG)
    dialog = f"{ROOT}.querySelector('dialog')"
    page.evaluate(
        f"window.heights = []; addEventListener('searchsocket-results', () => heights.push({dialog}.offsetHeight))"
    )
    page.keyboard.press("/")
    assert page.evaluate(f"{dialog}.clientHeight === {ROOT}.querySelector('.bar').offsetHeight")
    page.keyboard.type("battery")
    expect(page.locator("[role=option]").first).to_be_visible()
    page.locator("input[type=search]").fill("xylophon")
    expect(page.get_by_text("No results")).to_be_visible()
    heights = page.evaluate("heights")
    assert heights[-1] == max(heights) > 400
    content = f"{ROOT}.querySelector('.message').offsetHeight + {ROOT}.querySelector('.bar').offsetHeight"
    page.wait_for_function(f"() => {dialog}.clientHeight === {content}")
    page.get_by_role("button", name="Clear", exact=True).click()
    page.wait_for_function(f"() => {dialog}.clientHeight === {ROOT}.querySelector('.bar').offsetHeight")


def test_axe_has_no_complaint_from_right_to_left_nor_about_the_rest(make_stage: MakeStage) -> None:
    """The box, the buttons of a page, and what is there before anything is typed."""
    stage = make_stage(bypass_csp=True, color_scheme="dark", viewport={"width": 320, "height": 700})
    element = "<searchsocket-box suggestions='winter'></searchsocket-box><searchsocket-page-actions>"
    page = stage.open(element, html='lang="ar" dir="rtl"', script="import '/dist/page-actions.js'")
    page.evaluate("""localStorage['searchsocket-pages'] = '[{"href": "/a", "title": "A", "isPinned": true}]'""")
    page.evaluate("localStorage['searchsocket-recent'] = '[\"battery\"]'")
    page.keyboard.press("/")
    expect(page.locator("[role=option]")).to_have_count(3)
    assert complaints(page) == []
    searched(page, "batery")
    for width, scheme in ((320, "light"), (768, "dark"), (1280, "light")):
        page.set_viewport_size({"width": width, "height": 700})
        page.emulate_media(color_scheme=scheme)
        assert complaints(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_each_step_is_said(stage: Stage, golden: GoldenCheck) -> None:
    """Role, name and state of all that there is, the active option, each announcement: read it like a transcript."""
    page = stage.open("<searchsocket-dialog max-results=3 missing-url='/new?q={query}'></searchsocket-dialog>")
    field, option = page.locator("input[type=search]"), page.locator("[role=option]")
    reader = Reader(page, [])
    reader.step("closed")
    page.keyboard.press("Control+k")
    reader.listen()
    reader.step("opened")
    field.fill("batery")
    expect(option.first).to_contain_text("Battery")
    reader.step("a slip, with results")
    page.keyboard.press("ArrowDown")
    reader.step("Arrow Down")
    stage.context.route(
        "**/api/search?q=winter*", lambda route: route.fulfill(json=route.fetch().json() | {"quality": "weak"})
    )
    field.fill("winter")
    expect(option.first).to_contain_text("winter")
    reader.step("no close match")
    field.fill("xylophon qwzrk")
    expect(page.get_by_text("No results")).to_be_visible()
    reader.step("no results")
    stage.context.route("**/api/search?q=driving*", api_error(503, "INDEX_CORRUPT"))
    field.fill("driving")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    reader.step("the service fails")
    page.keyboard.press("Escape")
    reader.step("closed again")
    golden(SPOKEN, "\n\n".join(reader.steps))
