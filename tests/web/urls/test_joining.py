"""Links are joined and escaped as in browsers; Node's `URL` follows the WHATWG URL Standard and is the oracle."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from searchsocket.errors import InvalidRequest
from searchsocket.web.urls.paths import canonical_path
from searchsocket.web.urls.resolve import join, normal_path
from tests.node import open_node

HOST = "http://site.test"
BASES = ("/", "/d/x", "/d/", "/a//b", "/a/b/c?q=1", "/é/x", "/a%2Fb/c%c3%a9/")
PARTS = (
    "a", "b", ".", "..", "/", "//", "/.", "\\", "%", "%2e", "%2E%2e", "%2f", "%zz", "%c3%a9", "%00", "?", "#", ":",
    ";", "@", "&", "=", "+", "~", "!", "$", "'", '"', "(", "*", ",", "<", "[", "]", "{", "|", "^", "`", " ", "\t", "\n",
    "\0", "\x7f", "é", "漢", "\u200b", "\ud800", "http:", "https://", "//site.test/", "http://site.test:80/", 
    "//other.test", "mailto:", "javascript:",
)  # fmt: skip
HREFS = st.lists(st.sampled_from(PARTS), max_size=8).map("".join) | st.text(max_size=20)

# Node reads `http:page` as a relative link if the page's scheme is http. Here nobody knows the scheme of a build.
_WITHOUT_SLASHES = re.compile(r"https?:(?![/\\]{2})", re.IGNORECASE)
_CONTROL = re.compile(r"[\t\n\r]")
# Releases of Node before 22 keep dot segments of paths like `/.a/.`.
_DOTS = re.compile(r"/(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)


@pytest.fixture(scope="module")
def node() -> Iterator[Callable[[object], Any]]:
    code = f"""([href, base]) => {{
        const url = new URL(href, '{HOST}' + base);
        return [url.host, url.pathname, url.search, url.protocol];
    }}"""
    with open_node(code) as ask:
        yield ask


@given(HREFS, st.sampled_from(BASES))
@example("?page=2", "/a/b?q=1")
@example("#top", "/a/b?q=1")
@example("a?b=é'\"<>&c d", "/")
@example("..\\..//x/./y/..", "/a/b/c")
def test_a_link_is_joined_as_in_a_browser(node: Callable[[object], Any], href: str, base: str) -> None:
    """The address as linked is the one that is requested."""
    expected, link = node([href, base]), join(href, base)
    if _WITHOUT_SLASHES.match(_CONTROL.sub("", href).lstrip("".join(map(chr, range(33))))):
        assert link is None
    elif expected is None or expected[3] not in ("http:", "https:"):
        assert link is None or link.authority
    elif not _DOTS.search(expected[1]):
        assert link is not None
        assert (link.path, link.query) == (expected[1], expected[2])
        assert bool(link.authority) or expected[0] == "site.test"


@given(HREFS, st.sampled_from(BASES))
def test_the_client_sends_the_joined_address(href: str, base: str) -> None:
    """The HTTP library escapes addresses too; it must find nothing to escape."""
    link = join(href, base)
    if link is not None and not link.authority and len(link.path + link.query) < 1000:
        assert httpx.URL(f"{HOST}{link.path}{link.query}").raw_path.decode() == link.path + link.query


@given(HREFS)
def test_a_canonical_path_opens_the_page_in_a_browser(node: Callable[[object], Any], href: str) -> None:
    """Results link to canonical paths, with letters for people to read."""
    try:
        path = canonical_path(href)
    except InvalidRequest:
        return
    assert node([path, "/"])[1] == normal_path(path)
    assert canonical_path(normal_path(path)) == path
