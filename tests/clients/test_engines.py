"""The search in Firefox and in WebKit, as visitors of those browsers use it, under the strict policy."""

from collections.abc import Iterator

import pytest
from search_site import NOW

from search_api.app import create_app
from searchsocket.project.project import open_project
from tests.api_client import ENVIRON, make_project
from tests.clients.engines import firefox, webkit
from tests.clients.engines.site import Pages
from tests.clients.engines.tab import CONTROL, DOWN, ENTER, ESCAPE, UP, Tab
from tests.running_service import listening

pytestmark = pytest.mark.ui
DIALOG = "<input id=name><searchsocket-dialog></searchsocket-dialog><main>Home</main>"
PAGES = {
    "/": (DIALOG, 'lang="en"'),
    "/ar": (DIALOG, 'lang="ar" dir="rtl"'),
    "/box": (
        "<searchsocket-box></searchsocket-box><searchsocket-page-actions></searchsocket-page-actions>",
        'lang="en"',
    ),
}
ROOT = "document.querySelector('searchsocket-dialog, searchsocket-box').shadowRoot"
OPEN = "document.querySelector('searchsocket-dialog, searchsocket-box').isOpen"
FIELD = f"{ROOT}.querySelector('input')"
OPTION = f"{ROOT}.querySelector('[role=option]')"
MESSAGE = f"{ROOT}.querySelector('.message')"


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    project = make_project(tmp_path_factory.mktemp("searched") / "site")
    service = create_app(open_project(project.root, {}), environ=ENVIRON, host="127.0.0.1", clock=lambda: NOW)
    with listening(Pages(service, PAGES)) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module", params=["firefox", "webkit"])
def shared_tab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "firefox" and not firefox.FIREFOX:
        pytest.skip("no Firefox on this machine: apt-get install firefox-esr")
    if request.param == "webkit" and not (webkit.DRIVER and webkit.BROWSER and webkit.SCREEN):
        pytest.skip("no WebKit on this machine: apt-get install webkit2gtk-driver xvfb")
    with {"firefox": firefox.firefox, "webkit": webkit.webkit}[request.param](folder) as tab:
        yield tab


@pytest.fixture
def tab(shared_tab: Tab) -> Iterator[Tab]:
    """A tab in which no script failed, and nothing was stopped by the policy of the page."""
    yield shared_tab
    assert shared_tab.value("sessionStorage.problems ?? ''") == ""


def opened(tab: Tab, url: str) -> None:
    tab.open(url)
    tab.until(f"!!customElements.get('searchsocket-page-actions') && !!{FIELD}?.placeholder")


def test_keys_lead_to_the_passage(tab: Tab, origin: str) -> None:
    opened(tab, origin)
    tab.run("document.querySelector('#name').focus()")
    tab.keys("/")
    assert tab.value("document.querySelector('#name').value") == "/"
    tab.keys("k", modifier=CONTROL)
    tab.until(f"{OPEN} && {ROOT}.activeElement === {FIELD}")
    tab.keys(ESCAPE)
    tab.until(f"!{OPEN} && document.activeElement.id === 'name'")
    tab.run("document.activeElement.blur()")
    tab.keys("/")
    tab.until(f"{OPEN} && {FIELD}.value === ''")
    tab.keys("charging battery")
    tab.until(f"{OPTION}?.textContent.includes('Battery')")
    element_script = (
        f"{ROOT}.elementFromPoint({OPTION}.getBoundingClientRect().x + 40, {OPTION}.getBoundingClientRect().y + 20)"
    )
    assert tab.value(f"{OPTION}.contains({element_script})")
    active = f"{FIELD}.getAttribute('aria-activedescendant')"
    assert tab.value(active) == "option-0"
    tab.keys(DOWN)
    assert tab.value(active) == "option-1"
    tab.keys(UP + ENTER)
    tab.until("location.pathname + location.hash === '/docs/battery#charging'")
    tab.until("CSS.highlights.get('searchsocket-match')?.size === 1")
    tab.until(
        "(() => { const box = [...CSS.highlights.get('searchsocket-match')][0].getBoundingClientRect();"
        "return box.top > 0 && box.bottom < innerHeight })()"
    )


def test_a_pointer_chooses_below_the_box_and_copies_the_page(tab: Tab, origin: str) -> None:
    opened(tab, f"{origin}/box")
    actions = "document.querySelector('searchsocket-page-actions').shadowRoot"
    assert tab.value(f"{actions}.querySelector('[part=view]').pathname") == "/box.md"
    tab.click(f"{actions}.querySelector('button')")
    tab.until(f"{actions}.querySelector('[role=status]').textContent")
    assert tab.value(f"{actions}.querySelector('[role=status]').textContent") == "Copied"
    tab.click(FIELD)
    tab.keys("battery")
    tab.until(f"{OPTION}?.textContent.includes('Battery')")
    assert tab.value(f"{OPTION}.getBoundingClientRect().top > {FIELD}.getBoundingClientRect().bottom")
    tab.click(OPTION)
    tab.until("location.pathname === '/docs/battery'")


def test_from_right_to_left_a_failure_is_said_and_tried_again(tab: Tab, origin: str) -> None:
    opened(tab, f"{origin}/ar")
    tab.until(f"{FIELD}.placeholder === 'بحث'")
    tab.run("document.querySelector('searchsocket-dialog').setAttribute('endpoint', '/broken')")
    tab.click(f"{ROOT}.querySelector('.trigger')")
    tab.until(OPEN)
    edges = f"['.bar > svg', '[part=close]'].map((one) => {ROOT}.querySelector(one).getBoundingClientRect().x)"
    icon, close = tab.value(edges)
    assert icon > close
    tab.keys("battery")
    tab.until(f"{MESSAGE}.textContent.includes('البحث لا يعمل الآن.')")
    tab.run("document.querySelector('searchsocket-dialog').removeAttribute('endpoint')")
    # A pointer may miss it while the dialog grows, and a query that was on its way may fail after the first click.
    tab.run(f"setInterval(() => {MESSAGE}?.querySelector('button')?.click(), 1000)")
    tab.until(f"{OPTION}?.textContent.includes('Battery')")


def test_a_static_export_is_searched_without_a_service(tab: Tab, static_address: str) -> None:
    tab.open(f"{static_address}/own.html")
    tab.until(f"!!customElements.get('searchsocket-dialog') && !!{FIELD}?.placeholder")
    tab.keys("k", modifier=CONTROL)
    tab.until(f"{OPEN} && {ROOT}.activeElement === {FIELD}")
    tab.keys("okapi 7")
    tab.until(f"({OPTION}?.textContent ?? '').includes('Okapi 7')")
    tab.keys(ENTER)
    tab.until("location.pathname === '/base/guide/stable/7'")
