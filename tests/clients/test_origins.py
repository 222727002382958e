"""Results of several sites in the dialog: a group for each site, and links to its host."""

from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.clients.stage import Stage

pytestmark = pytest.mark.ui
DOCS = {"project": "docs", "title": "Manual", "site": ""}
BLOG = {"project": "blog", "title": "Blog <b>", "site": "https://blog.example"}
HOSTILE = {"project": "evil", "title": "Evil", "site": "javascript:alert(1)//"}


def searched(stage: Stage, *origins: dict[str, str]) -> Page:
    """The dialog with the same result from each origin."""

    def answer(route: Route) -> None:
        real: dict[str, Any] = route.fetch().json()
        result = real["results"][0]
        results = [{**result, "url": f"/p/{n}", "href": f"/p/{n}", "origin": each} for n, each in enumerate(origins)]
        route.fulfill(json=real | {"results": results, "total": len(results)})

    stage.context.route("**/api/search?q=okapi*", answer)
    page = stage.open("<searchsocket-dialog site='https://own.example'></searchsocket-dialog>")
    page.keyboard.press("Control+k")
    page.keyboard.type("okapi")
    expect(page.locator(".result")).to_have_count(len(origins))
    return page


def test_results_are_grouped_by_site_the_best_one_first(stage: Stage) -> None:
    page = searched(stage, BLOG, DOCS, BLOG)
    assert page.locator(".heading").all_inner_texts() == ["Blog <b>", "Manual"]
    targets = [link.split("#")[0] for link in page.locator(".result").evaluate_all("all => all.map((one) => one.href)")]
    assert targets == ["https://blog.example/p/0", "https://blog.example/p/2", "https://own.example/p/1"]
    names = page.locator("[role=group].page").evaluate_all("all => all.map((one) => one.ariaLabel)")
    assert [name.rpartition(", ")[2] for name in names] == ["Blog <b>", "Blog <b>", "Manual"]


def test_a_site_that_is_no_address_opens_nothing_else(stage: Stage) -> None:
    page = searched(stage, HOSTILE)
    assert page.locator(".result").evaluate("one => one.href").startswith("https://own.example/p/0")
