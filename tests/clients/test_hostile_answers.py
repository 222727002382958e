"""Answers of pages that mean harm, and answers of a thousand results, in the dialog of a real browser."""

from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.clients.stage import Stage

pytestmark = pytest.mark.ui
RUN = "document.title='taken'"
OVERRIDE, ISOLATE = "\u202e", "\u2067"
HOSTILE = {
    "script": f"<script>{RUN}</script><img src=x onerror={RUN}>",
    "bidi": f"invoice{OVERRIDE}fdp.exe{ISOLATE}{ISOLATE}",
    "long": "Okapi " * 1_700,
    "entities": "&lt;svg onload&#61;alert(1)&gt; &#0; \0 \ud7ff",
}


def dialog_with_results(stage: Stage, results: list[dict[str, Any]]) -> Page:
    """The dialog, after it was given these results; each is a real one with other fields."""

    def answer(route: Route) -> None:
        real = route.fetch().json()
        full_results = [{**real["results"][0], "alike": [], "sections": [], **result} for result in results]
        route.fulfill(json=real | {"results": full_results, "hasMore": False})

    stage.context.route("**/api/search?q=okapi*", answer)
    page = stage.open("<searchsocket-dialog></searchsocket-dialog>")
    page.keyboard.press("Control+k")
    page.keyboard.type("okapi")
    expect(page.locator("[role=option]")).to_have_count(len(results))
    return page


@pytest.mark.parametrize("kind", HOSTILE)
def test_titles_and_snippets_are_text(stage: Stage, kind: str) -> None:
    """No element comes of them, none runs, and none is wider than the dialog."""
    text = HOSTILE[kind]
    page = dialog_with_results(
        stage, [{"title": text, "sectionTitle": text, "snippet": text, "snippetHtml": text, "marks": []}]
    )
    option = page.locator("[role=option]")
    first_word = text.replace("\0", "").split()[0]
    assert first_word in option.inner_text()
    assert page.locator("searchsocket-dialog").locator("img, script, svg[onload], iframe").count() == 0
    assert page.title() == "Site"
    wide = "node => node.scrollWidth - document.documentElement.clientWidth"
    assert int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")) <= 0
    assert int(option.evaluate(wide)) <= 0


def test_an_override_of_direction_ends_with_its_title(stage: Stage) -> None:
    """The names beside it keep their order: each text is isolated from the others."""
    page = dialog_with_results(stage, [{"title": HOSTILE["bidi"]}, {"title": "Okapi"}])
    isolated = "node => getComputedStyle(node).unicodeBidi"
    for part in (".title", ".path", ".snippet"):
        for each in page.locator(f"[role=option] {part}").all():
            assert each.evaluate(isolated) in {"isolate", "plaintext", "isolate-override"}


@pytest.mark.parametrize(
    "href",
    [
        f"javascript:{RUN}",
        "//evil.invalid/a",
        "/\\evil.invalid/a",
        f"data:text/html,<script>{RUN}</script>",
        "https://evil.invalid",
    ],
)
def test_a_link_that_is_no_path_opens_nothing(stage: Stage, href: str) -> None:
    page = dialog_with_results(stage, [{"href": href, "url": href, "title": "Okapi"}])
    navigations: list[str] = []
    page.on("framenavigated", lambda frame: navigations.append(frame.url))
    option = page.locator("[role=option]")
    assert str(option.get_attribute("href")).startswith("#")
    option.click()
    page.keyboard.press("Enter")
    assert page.title() == "Site"
    assert all(url.startswith(stage.origin) for url in navigations)


def test_a_thousand_results_are_shown_and_reached_by_keys(stage: Stage) -> None:
    """Counted, not timed: a bounded number of nodes per result, and one of them is active."""
    results = [
        {"title": f"Okapi {number}", "href": f"/guide/{number}", "url": f"/guide/{number}"} for number in range(1_000)
    ]
    page = dialog_with_results(stage, results)
    nodes = int(page.evaluate("document.querySelector('searchsocket-dialog').shadowRoot.querySelectorAll('*').length"))
    assert nodes < 20 * len(results)
    chosen = page.locator("[role=option][aria-selected=true]")
    expect(chosen).to_contain_text("Okapi 0")
    page.keyboard.press("ArrowUp")  # round to the last
    expect(chosen).to_contain_text("Okapi 999")
    expect(chosen).to_be_in_viewport()
    page.keyboard.press("ArrowDown")
    expect(chosen).to_contain_text("Okapi 0")
    page.locator("input[type=search]").fill("")
    expect(page.locator("[role=option].result")).to_have_count(0)
    option_count = int(
        page.evaluate("document.querySelector('searchsocket-dialog').shadowRoot.querySelectorAll('*').length")
    )
    assert option_count < 100, "nothing of them stays"
