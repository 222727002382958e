"""<searchsocket-box>: a field in the page; and pages that a router changes without a load."""

import pytest
from playwright.sync_api import Page, expect

from tests.clients.stage import Stage

pytestmark = pytest.mark.ui
BOX = "<searchsocket-box></searchsocket-box><button>After</button>"
# As routers of single-page applications do it: the address first, the new page when it has been fetched.
ROUTER = """
document.addEventListener('click', (event) => {
  const link = event.composedPath().find((one) => one instanceof HTMLAnchorElement);
  if (!link || event.defaultPrevented || event.ctrlKey) return;
  event.preventDefault();
  history.pushState(null, '', link.href);
  window.routed = link.href;
  setTimeout(() => {
    const [head, text] = [document.createElement('h2'), document.createElement('p')];
    head.id = 'charging';
    text.append('The battery lasts nine hours. Charge it in the dock');
    const space = document.createElement('p');
    space.append(...Array.from({ length: 200 }, () => document.createElement('br')));
    document.querySelector('main').replaceChildren(space, head, text);
  }, 30);
});
"""


def popup(page: Page) -> bool:
    return bool(page.evaluate("document.querySelector('searchsocket-box').isOpen"))


def test_results_lie_below_the_field_until_one_leaves_it(stage: Stage) -> None:
    page = stage.open(BOX)
    assert not popup(page)
    page.keyboard.press("/")
    page.keyboard.type("battery")
    expect(page.locator("[role=option]").first).to_contain_text("Battery")
    field, first = page.locator("input").bounding_box(), page.locator("[role=option]").first.bounding_box()
    assert field
    assert first
    assert first["y"] > field["y"] + field["height"]
    page.get_by_label("Tag").select_option("power")  # the focus is in the results, which stay
    expect(page.locator(".result")).to_have_count(1)
    assert popup(page)
    page.keyboard.press("Tab")
    page.locator("input").press("Escape")
    assert not popup(page)
    expect(page.locator("input")).to_have_value("battery")
    page.keyboard.press("ArrowDown")
    assert popup(page)
    page.get_by_role("button", name="After").focus()
    assert not popup(page)


def test_an_element_says_what_happens_and_can_be_told(stage: Stage) -> None:
    page = stage.open(BOX)
    page.evaluate(
        "window.log = []; for (const name of ['open', 'results', 'select', 'close']) "
        "document.addEventListener(`searchsocket-${name}`, "
        "({ detail, type }) => log.push([type.slice(13), detail?.q ?? null]));"
        "document.addEventListener('searchsocket-select', (event) => event.preventDefault())"
    )
    page.evaluate("document.querySelector('searchsocket-box').search('battery')")
    expect(page.locator("[role=option]").first).to_contain_text("Battery")
    page.keyboard.press("Enter")
    page.evaluate("document.querySelector('searchsocket-box').close()")
    assert page.evaluate("log") == [["open", None], ["results", "battery"], ["select", "battery"], ["close", None]]
    assert page.evaluate("location.pathname") == "/"


@pytest.mark.parametrize("ending", ["", "/", ".html"])
def test_a_router_opens_the_page_and_the_passage_is_marked(stage: Stage, ending: str) -> None:
    """The router sees an address with nothing but the anchor, and what it shows later is still found.

    Also if the host or the router ends the page's address in another way than the index does.
    """
    page = stage.open(BOX, script=ROUTER.replace("link.href)", f"link.href.replace('#', '{ending}#'))"))
    page.evaluate("window.stayed = true")
    page.keyboard.press("/")
    page.keyboard.type("battery charging")
    expect(page.locator("[role=option]").first).to_contain_text("Battery")
    page.keyboard.press("Enter")
    page.wait_for_function("() => CSS.highlights.get('searchsocket-match')?.size === 1")
    assert page.evaluate("stayed")
    assert page.evaluate("routed").endswith("/docs/battery#charging")
    page.wait_for_function("() => scrollY > 1000")
    assert page.evaluate("sessionStorage.length") == 0
    # A framework that takes over the page may make its elements again.
    page.evaluate(
        "const main = document.querySelector('main');"
        "main.replaceChildren(...[...main.childNodes].map((node) => node.cloneNode(true)))"
    )
    page.wait_for_function("() => [...CSS.highlights.get('searchsocket-match')].join().includes('dock')")
