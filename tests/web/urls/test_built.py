"""Addresses that look like files of build tools."""

import pytest

from searchsocket.models.paying.bill import build_output_reason


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("/_app/immutable/entry", "in a folder `_app`"),
        ("/docs/coverage/lcov-report/src/index.ts", "in a folder `coverage`"),
        ("/assets/index-4f3a9c01", "a hash in its name"),
        ("/chunk.9b1deb4d.html", "a hash in its name"),
        ("/js/vendor.min.js", "named like a file of a build"),
        ("/webpack-stats.json", "named like a file of a build"),
    ],
)
def test_files_of_build_tools(url: str, reason: str) -> None:
    assert build_output_reason(url) == reason


@pytest.mark.parametrize(
    "url",
    [
        "/", "/docs/build", "/docs/coverage", "/guide/target", "/blog/2026-11-22", "/blog/20261122",
        "/docs/deadbeef-cafe",        "/effaced", "/docs/v1.2.3", "/api/minutes", "/reference/chunk", "/docs/manifest",
        "/learn/defaced-facade",
    ],
)  # fmt: skip
def test_addresses_by_people(url: str) -> None:
    """A date, a version, a word of the letters a to f, and a page about a build are none."""
    assert build_output_reason(url) == ""
