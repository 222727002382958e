"""The system's Chromium, for tests that need a real browser."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
NONE = "no Chromium on this machine: apt-get install chromium"
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason=NONE)
# By default 5 s, which a busy machine can take to draw a page.
expect.set_options(timeout=60_000)


@contextmanager
def open_chromium() -> Iterator[Browser]:
    """A browser, closed at the end of the block; the test is skipped where there is none."""
    if CHROMIUM is None:
        pytest.skip(NONE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=120_000)
        yield browser
        browser.close()
