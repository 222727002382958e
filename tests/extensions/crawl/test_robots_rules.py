"""Addresses that a rule of `robots.txt` covers: the cases that the authors of RFC 9309 publish with their parser.

Facts of google/robotstxt (`robots_test.cc`), written here with other paths and with this crawler's name.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.extensions.crawl.fetch import USER_AGENT
from searchsocket.extensions.crawl.robots import PRODUCT, parse_robots

HOST = "http://site.test"
US = f"User-agent: {PRODUCT}\n"
CLOSED = "Disallow: /\n"

# (name, rules, allowed addresses, disallowed addresses)
CASES: list[tuple[str, str, str, str]] = [
    ("no rules", "", "/ /a", ""),
    ("a plain group", f"{US}{CLOSED}", "", "/ /a /a/b?c"),
    ("unknown names of lines", f"agent: {PRODUCT}\nno: /\n", "/a", ""),
    ("lines without a colon", f"user-agent {PRODUCT}\ndisallow /\n", "", "/a/b"),
    (
        "rules before the first group, and a group in two parts",
        f"Allow: /out/\n\n{US}{CLOSED}Allow: /one/\nUser-agent: otherbot\n{CLOSED}Allow: /two/\n\n\n"
        f"Allow: /three/\nUser-agent: thirdbot\n\n{US}Allow: /four/\n{CLOSED}",
        "/one/a /four/a",
        "/two/a /three/a /out/a /",
    ),
    ("names in capitals", f"USER-AGENT: {PRODUCT}\nALLOW: /a/\nDISALLOW: /\n", "/a/b", "/b"),
    ("names in mixed letters", f"uSeR-aGeNt: {PRODUCT}\naLLoW: /a/\ndIsAlLoW: /\n", "/a/b", "/b"),
    ("an agent in capitals", f"User-agent: {PRODUCT.upper()}\nAllow: /a/\nDisallow: /\n", "/a/b", "/b"),
    (
        "an agent with a second word",
        f"User-agent: *\n{CLOSED}User-agent: {PRODUCT} news\nAllow: /a/\n{CLOSED}",
        "/a/b",
        "/b",
    ),
    ("the group for everyone comes second", f"User-agent: *\nAllow: /\n{US}{CLOSED}", "", "/a"),
    (
        "the group for everyone, if there is no other",
        f"User-agent: *\n{CLOSED}User-agent: otherbot\nAllow: /\n",
        "",
        "/a",
    ),
    ("groups of others only", f"User-agent: otherbot\n{CLOSED}User-agent: thirdbot\n{CLOSED}", "/a", ""),
    ("paths have case", f"{US}Disallow: /A/\n", "/a/b", "/A/b"),
    ("the longest rule wins", f"{US}Disallow: /a/page.html\nAllow: /a/\n", "/a/ /a/other", "/a/page.html"),
    ("the longest rule wins, the other way", f"{US}Allow: /a/page.html\nDisallow: /a/\n", "/a/page.html", "/a/ /a/b"),
    ("empty rules", f"{US}Disallow:\nAllow:\n", "/a", ""),
    ("of two equal rules, the permission wins", f"{US}Disallow: /\nAllow: /\n", "/a", ""),
    ("of two equal longer rules, too", f"{US}Disallow: /a/b.html\nAllow: /a/b.html\n", "/a/b.html", ""),
    ("a folder within a closed name", f"{US}Disallow: /a\nAllow: /a/\n", "/a/ /a/b", "/a /ab"),
    ("a wildcard may be longer", f"{US}Allow: /page\nDisallow: /*.html\n", "/page", "/page.html"),
    ("a wildcard may be shorter", f"{US}Allow: /a/page.\nDisallow: /*.html\n", "/a/page.html", "/a/b.html"),
    (
        "our group takes the place of the general one",
        f"User-agent: *\nDisallow: /a/\n{US}Disallow: /b/\n",
        "/a/x",
        "/b/x",
    ),
    (
        "a query with an address",
        f"{US}{CLOSED}Allow: /a/b?q=1&to=http://x.test?y&z\n",
        "/a/b?q=1&to=http://x.test?y&z",
        "/a/b",
    ),
    ("letters of other scripts", f"{US}{CLOSED}Allow: /a/漢\n", "/a/%E6%BC%A2", "/a/%E6%BC"),
    ("the same letters, escaped", f"{US}{CLOSED}Allow: /a/%E6%BC%A2\n", "/a/%E6%BC%A2 /a/%e6%bc%a2", "/a/%E6%BC"),
    ("an escaped slash is another character", f"{US}Disallow: /a%2Fb\n", "/a/b", "/a%2Fb /a%2fb"),
    ("a star within a path", f"{US}{CLOSED}Allow: /a/*/c\n", "/a/b/c /a//c /a/b/b/c", "/a/c /a/b"),
    ("the end of a path", f"{US}Disallow: /a/b$\nAllow: /a/b/c\n", "/a/b/c /a/b/ /a/b/d /a/b?q", "/a/b"),
    ("comments", f"{US}# Disallow: /\nDisallow: /a/b#c\nAllow: /\n", "/a/c", "/a/b /a/bc"),
    (
        "a beginning",
        f"{US}{CLOSED}Allow: /tea\n",
        "/tea /tea.html /tea/green.html /teapot /tea?x=1",
        "/Tea /potatea /?x=tea",
    ),
    (
        "a beginning with a star",
        f"{US}{CLOSED}Allow: /tea*\n",
        "/tea /tea.html /tea/green /teapot/x /tea.html?x=1",
        "/Tea /potatea",
    ),
    ("a folder", f"{US}{CLOSED}Allow: /tea/\n", "/tea/ /tea/green /tea/?x", "/tea /tea.html /Tea/Green"),
    (
        "a suffix anywhere",
        f"{US}{CLOSED}Allow: /*.cgi\n",
        "/a.cgi /b/a.cgi /b/a.cgi?x //b/a.cgi.html /a.cgi/ /i?f=a.cgi/",
        "/cgi/ /i?cgi /a.CGI",
    ),
    (
        "a suffix at the end",
        f"{US}{CLOSED}Allow: /*.cgi$\n",
        "/a.cgi /b/a.cgi",
        "/a.cgi?x /a.cgi/ /a.cgi5 /cgi/ /a?cgi",
    ),
    ("a beginning and a suffix", f"{US}{CLOSED}Allow: /tea*.cgi\n", "/tea.cgi /teapots/x.cgi?x", "/Tea.cgi /tea.CGI"),
    ("the home page alone", f"{US}Allow: /$\n{CLOSED}", "/", "/a.html /?q"),
    ("line ends of old systems", f"User-agent: {PRODUCT}\rDisallow: /a\r", "/b", "/a"),
    ("line ends of other systems", f"User-agent: {PRODUCT}\r\nDisallow: /a\r\n", "/b", "/a"),
    ("no line end", f"{US}Disallow: /a", "/b", "/a"),
    ("a byte order mark", f"\ufeff{US}Disallow: /a", "/b", "/a"),
    (
        "an index file stands for its folder",
        f"{US}Allow: /a/index.html\n{CLOSED}",
        "/a/ /a/index.html",
        "/a/index.htm /b",
    ),
    ("a slash at the end is part of the rule", f"{US}Disallow: /tmp/\n", "/tmp /tmp.html", "/tmp/ /tmp/a"),
]


@pytest.mark.parametrize(
    ("rules", "allowed", "disallowed"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_rules_cover_the_addresses_of_the_standard(rules: str, allowed: str, disallowed: str) -> None:
    robots = parse_robots(rules.encode())
    addresses = [*allowed.split(), *disallowed.split()]
    assert [url for url in addresses if robots.can_fetch(HOST + url, USER_AGENT)] == allowed.split()


def test_an_escaped_letter_is_the_letter() -> None:
    """That parser compares them as written; RFC 9309 compares unreserved characters decoded."""
    robots = parse_robots(f"{US}Disallow: /a/%62\n".encode())
    assert not robots.can_fetch(f"{HOST}/a/b", USER_AGENT)


@given(st.text("/*$?ab%2f#:\r\n", max_size=60), st.text("/ab?%2", max_size=20))
def test_no_rule_makes_the_crawl_fail(rules: str, path: str) -> None:
    robots = parse_robots(f"{US}Disallow: {rules}".encode())
    assert robots.can_fetch(f"{HOST}/{path}", USER_AGENT) in (True, False)
