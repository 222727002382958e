"""Absolute URLs of a site, wherever a path is asked for (spec 14.1)."""

import pytest

from searchsocket.errors import InvalidRequest
from searchsocket.web.urls.resolve import AT_ROOT, SiteBase, site_base
from searchsocket.web.urls.site import site_path

SITE = site_base(["https://docs.example", "http://localhost:4173"])
BELOW = site_base(["https://example.com/manual"], "/manual")


@pytest.mark.parametrize(
    ("text", "site", "path"),
    [
        ("/docs/a", SITE, "/docs/a"),
        ("  docs/a\n", SITE, "docs/a"),
        ("//docs/a", SITE, "//docs/a"),
        ("https://docs.example/docs/a", SITE, "/docs/a"),
        (" https://docs.example/docs/a/?x=1#part ", SITE, "/docs/a/"),
        ("HTTP://DOCS.EXAMPLE./docs/a.md", SITE, "/docs/a.md"),
        ("https://docs.example", SITE, "/"),
        ("https://docs.example:443/a%20b", SITE, "/a b"),
        ("http://localhost:4173/docs", SITE, "/docs"),
        ("https://example.com/manual/docs/a", BELOW, "/docs/a"),
        ("https://example.com/manual", BELOW, "/"),
        ("notes:2024", SITE, "notes:2024"),
    ],
)
def test_the_path_of_a_page_is_understood(text: str, site: SiteBase, path: str) -> None:
    read = site_path(text, site)
    assert read.replace("%20", " ") == path


@pytest.mark.parametrize(
    ("text", "site", "host"),
    [
        ("https://other.example/docs/a", SITE, "other.example"),
        ("https://docs.example:8443/docs/a", SITE, "docs.example"),
        ("https://docs.example.evil.example/docs/a", SITE, "docs.example.evil.example"),
        ("https://docs.example@evil.example/docs/a", SITE, "evil.example"),
        ("https://example.com/elsewhere", BELOW, "example.com"),
        ("ftp://docs.example/docs/a", SITE, "docs.example"),
        ("https://docs.example/docs/a", AT_ROOT, "docs.example"),
        ("https://[::1/docs", SITE, ""),
    ],
)
def test_another_host_is_refused_by_its_name(text: str, site: SiteBase, host: str) -> None:
    with pytest.raises(InvalidRequest, match="is not the host of this site") as refusal:
        site_path(text, site)
    assert f"'{host}'" in str(refusal.value)


def test_a_login_is_not_repeated() -> None:
    with pytest.raises(InvalidRequest) as refusal:
        site_path("https://user:hunter2@other.example/", SITE)
    assert "hunter2" not in str(refusal.value)
