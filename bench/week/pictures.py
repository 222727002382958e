"""Pages of Dagster's UI as a user sees them, by Debian's Chromium."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Error, Page, sync_playwright

WIDTH, WIDE, HEIGHT = 1400, 1900, 900
GRAPH = "/asset-groups?expanded=global%40global%3Asite%2Cglobal%40global%3Abranches"
"""Path of the graph of assets, whose groups are folded otherwise."""
PLOTS = ("button:has-text('Plots')", "button:has-text('Events')")
"""What to click at on the page of an asset to see its numbers over time."""
_SETTLED_MS = 2500  # the pages draw after their answers came


class Camera:
    """Takes a picture of a page once what it should say is there."""

    def __init__(self, page: Page, address: str, folder: Path) -> None:
        self._page, self._address, self._folder = page, address, folder
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def take(
        self, name: str, path: str, awaited: str = "", *clicks: str, down_px: int = 0, width_px: int = WIDTH
    ) -> None:
        """
        Args:
            wanted: A text that the page must come to show.
            clicks: Buttons, as Playwright's selectors name them, to click at, one after the other, before the picture.
            down_px: How far the middle of the page is scrolled.
        """
        self._page.set_viewport_size({"width": width_px, "height": HEIGHT})
        self._page.goto(self._address + path)
        try:
            for button in clicks:
                self._page.locator(button).first.click(timeout=60_000)
            if awaited:
                self._page.get_by_text(awaited).first.wait_for(timeout=60_000)
        except Error as error:  # the picture says more than this
            self.errors.append(f"{name}: {error!s:.80}")
        self._page.mouse.move(WIDTH / 2, HEIGHT / 2)
        self._page.mouse.wheel(0, down_px)
        self._page.wait_for_timeout(_SETTLED_MS)
        self._page.screenshot(path=self._folder / f"{name}.png")


@contextmanager
def camera(address: str, folder: Path) -> Iterator[Camera]:
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        yield Camera(page, address, folder)
        browser.close()
