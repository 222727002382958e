"""Resolution of links on this site; original failure 17."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.web.urls.paths import canonical_path
from searchsocket.web.urls.resolve import SiteBase, resolve_base, resolve_link, served_under, site_base
from tests.web.urls.test_paths import PATHS

SITE = site_base(["https://example.com"])
SITE_UNDER_BASE = site_base(["https://example.com"], "/base/")


@pytest.mark.parametrize(
    ("href", "served", "expected"),
    [
        ("b", "/docs/a", "/docs/b"),
        ("b", "/docs/", "/docs/b"),
        ("b/", "/docs", "/b"),
        ("../b", "/docs/a/", "/docs/b"),
        ("../../../../b", "/docs/a/", "/b"),
        (".", "/docs/a", "/docs"),
        ("", "/docs/a", "/docs/a"),
        ("#top", "/docs/", "/docs"),
        ("?q=1#x", "/docs/a", "/docs/a"),
        ("b?x=1#y", "/docs/a", "/docs/b"),
        ("/b/", "/docs/a", "/b"),
        ("b?u=http://other/", "/", "/b"),
        (" \n/b\t ", "/", "/b"),
        ("/a\n/b", "/", "/a/b"),
        ("\\b", "/docs/", "/b"),
        ("caf%c3%a9", "/", "/café"),
        ("a%2Fb", "/", "/a%2Fb"),
        ("https://example.com/b?x", "/", "/b"),
        ("http://EXAMPLE.com:80/b", "/", "/b"),
        ("//example.com/b", "/", "/b"),
        ("https://user@example.com", "/x", "/"),
        ("//other.com/b", "/", None),
        ("https://other.com/b", "/", None),
        ("https://example.com.evil/b", "/", None),
        ("https://example.com@evil/b", "/", None),
        ("https://example.com:8443/b", "/", None),
        ("\\\\evil/b", "/", None),
        ("/\\evil/b", "/", None),
        ("ftp://example.com/b", "/", None),
        ("mailto:a@example.com", "/", None),
        ("javascript:alert(1)", "/", None),
        ("JAVA\tSCRIPT:alert(1)", "/", None),
        ("data:text/html,x", "/", None),
        ("http://[::1", "/", None),
        ("http://example.com:port/", "/", None),
        ("http:///b", "/", None),
        ("/a%00b", "/", None),
        ("/" + "a" * 3000, "/", None),
    ],
)
def test_links_resolve_as_in_a_browser(href: str, served: str, expected: str | None) -> None:
    """Original failure 17: relative links, queries, fragments and `//host` were read wrongly."""
    assert resolve_link(href, served, SITE) == expected


def test_without_a_base_url_an_absolute_link_is_external() -> None:
    """The same path on another site is another page (original failure 17)."""
    assert resolve_link("https://example.com/b", "/") is None
    assert resolve_link("/b", "/") == "/b"
    assert resolve_link("https://example.com/b", "/", site_base(["example.com"])) == "/b"


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("/base/docs", "/docs"),
        ("/base/", "/"),
        ("/base", "/"),
        ("b", "/docs/b"),
        ("../..", None),
        ("..", "/"),
        ("/docs", None),
        ("/base-old", None),
        ("https://example.com/base/x", "/x"),
        ("https://example.com/x", None),
    ],
)
def test_the_base_path_is_stripped_and_bounds_the_site(href: str, expected: str | None) -> None:
    """Base paths are in links and not in file names; beyond them lies another site."""
    assert resolve_link(href, "/docs/", SITE_UNDER_BASE) == expected


@given(PATHS, st.sampled_from(["/", "/docs/", "/docs/a"]), st.sampled_from(["", "/base"]))
def test_any_href_gives_a_canonical_path_or_none(href: str, served: str, base: str) -> None:
    """Hrefs come from pages: nothing in them may raise."""
    target = resolve_link(href, served, site_base(["https://example.com"], base))
    assert target is None or canonical_path(target) == target


@pytest.mark.parametrize(
    ("base", "link", "expected"),
    [
        ("/docs/", "b", "/docs/b"),
        ("/docs", "b", "/b"),
        ("./", "b", "/docs/b"),
        ("/", "b", "/b"),
        ("https://example.com/x/", "b", "/x/b"),
        ("https://cdn.example/x/", "b", "/docs/b"),
        ("javascript:0", "b", "/docs/b"),
    ],
)
def test_a_base_element_moves_relative_links(base: str, link: str, expected: str) -> None:
    """Its trailing slash counts; a base on another host is that of a mirrored site, and says nothing here."""
    assert resolve_link(link, resolve_base(base, "/docs/a", SITE), SITE) == expected


@pytest.mark.parametrize(
    ("base", "link", "expected"),
    [
        ("/base/docs/", "b", "/docs/b"),
        ("/", "base/b", "/b"),
        ("/", "b", None),
        ("https://example.com/", "base/b", "/b"),
        ("/base", "b", None),
        ("/base", "base/b", "/b"),
    ],
)
def test_a_base_element_may_lie_above_the_base_path(base: str, link: str, expected: str | None) -> None:
    """Frameworks write `<base href="/">` whatever the base path is."""
    assert resolve_link(link, resolve_base(base, "/a", SITE_UNDER_BASE), SITE_UNDER_BASE) == expected


def test_the_page_of_the_base_path_itself_has_links_as_it_is_served() -> None:
    """`a` on `/base/` is `/base/a`, and on `/base` it is `/a`, where another site lies."""
    assert served_under("/base", "/base/") == "/"
    assert served_under("/base", "/base/a") == "/a"
    bare = served_under("/base", "/base")
    assert resolve_link("a", bare, SITE_UNDER_BASE) is None
    assert resolve_link("./base/a", bare, SITE_UNDER_BASE) == "/a"
    assert resolve_link("#top", bare, SITE_UNDER_BASE) == "/"
    assert served_under("", "/") == "/"


def test_each_address_of_a_site_has_its_own_path() -> None:
    """A preview at the root of its host links to the published site, which lies under a path, and the other way."""
    site = site_base(["http://localhost:4173", "https://example.com/docs/"])
    assert resolve_link("https://example.com/docs/a", "/", site) == "/a"
    assert resolve_link("https://example.com/a", "/", site) is None
    assert resolve_link("http://localhost:4173/docs/a", "/", site) == "/docs/a"
    assert resolve_link("/docs/a", "/", site) == "/docs/a"
    assert resolve_link("https://x/a/1", "/", site_base(["https://x/b", "https://x/a"])) == "/1"


@given(PATHS, PATHS, st.sampled_from([SITE, SITE_UNDER_BASE]))
def test_any_base_element_leaves_links_inside(base: str, href: str, site: SiteBase) -> None:
    target = resolve_link(href, resolve_base(base, "/a", site), site)
    assert target is None or canonical_path(target) == target
