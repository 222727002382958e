"""Rules of a `robots.txt` for this crawler; no such file causes a failure (RFC 9309)."""

import tracemalloc
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.extensions.crawl.fetch import USER_AGENT
from searchsocket.extensions.crawl.robots import MAX_BYTES, PRODUCT, parse_robots
from searchsocket.extensions.crawl.settings import CrawlSettings
from searchsocket.extensions.crawl.source import CrawlSource
from searchsocket.web.urls.resolve import site_base
from tests.sources.web import Answer, serve

HOST = "http://site.test"
PATHS = ("/", "/docs", "/private", "/private/open")
EVERYONE = "User-agent: *\nDisallow: /private\n"


def allowed(robots: str) -> list[str]:
    rules = parse_robots(robots.encode())
    return [path for path in PATHS if rules.can_fetch(HOST + path, USER_AGENT)]


@pytest.mark.parametrize("other", ["otherbot", "search", "s", "socket", "searchsocket-news", "site", "indexer", ""])
@pytest.mark.parametrize("order", [1, -1])
def test_a_group_for_another_agent_does_not_leak_into_ours(other: str, order: int) -> None:
    """Failure mode 73: names that begin like ours, or stand in our user agent, are still others."""
    groups = [f"User-agent: {other}\nDisallow: /\n", EVERYONE]
    assert allowed("\n".join(groups[::order])) == ["/", "/docs"]
    assert allowed(groups[0]) == list(PATHS)


@pytest.mark.parametrize("name", [PRODUCT, PRODUCT.upper(), f"{PRODUCT}/0.1", f"{PRODUCT} # ours"])
def test_our_own_group_takes_the_place_of_the_one_for_everyone(name: str) -> None:
    for robots in (
        f"{EVERYONE}\nUser-agent: {name}\nDisallow: /docs\n",
        f"User-agent: {name}\nDisallow: /docs\n{EVERYONE}",
    ):
        assert allowed(robots) == ["/", "/private", "/private/open"]


def test_one_group_may_be_for_several_agents_and_ours_may_come_twice() -> None:
    robots = f"User-agent: otherbot\nUser-agent: {PRODUCT}\nDisallow: /docs\n\nUser-agent: x\nDisallow: /\n"
    assert allowed(robots) == ["/", "/private", "/private/open"]
    assert allowed(f"{robots}User-agent: {PRODUCT}\nDisallow: /private\nAllow: /private/open\n") == [
        "/",
        "/private/open",
    ]


def test_an_empty_group_of_ours_allows_everything() -> None:
    assert allowed(f"User-agent: {PRODUCT}\nDisallow:\n{EVERYONE}") == list(PATHS)


def test_a_delay_ends_the_names_of_a_group_and_a_sitemap_does_not() -> None:
    assert allowed("User-agent: *\nCrawl-delay: 5\nUser-agent: otherbot\nDisallow: /\n") == list(PATHS)
    robots = f"User-agent: *\nSitemap: {HOST}/map.xml\nUser-agent: otherbot\nDisallow: /private\n"
    assert allowed(robots) == ["/", "/docs"]
    assert list(parse_robots(robots.encode()).sitemaps) == [f"{HOST}/map.xml"]


def test_a_byte_order_mark_and_old_line_ends_are_no_part_of_a_line() -> None:
    assert allowed("\ufeff" + EVERYONE.replace("\n", "\r")) == ["/", "/docs"]


WORDS = st.sampled_from(
    ["User-agent:", "user agent", "Disallow:", "Allow:", "Sitemap:", "Crawl-delay:", "Request-rate:", "Visit-time:",
     "Host:", "*", "$", "/", "/%", "%zz", "#", ":", "\n", "\r", " ", "\t", "\0", "\u2028", PRODUCT, "1/1m", "0400-0845",
     "http://[", "\ud800"]
)  # fmt: skip
FILES = st.one_of(
    st.binary(max_size=2_000),
    st.lists(WORDS, max_size=60).map(lambda words: " ".join(words).encode("utf-8", "surrogatepass")),
)


@given(FILES, st.text(max_size=40))
def test_any_bytes_are_read(body: bytes, path: str) -> None:
    rules = parse_robots(body)
    assert rules.can_fetch(f"{HOST}/{path}", USER_AGENT) in (True, False)
    assert all(isinstance(sitemap, str) for sitemap in rules.sitemaps)


@pytest.mark.parametrize(
    "body",
    [
        "".join(f"User-agent: a{number}\n" for number in range(15_000)) + "Disallow:/a\n" * 20_000,
        "User-agent: *\n" * 10_000 + "Disallow:/a\n" * 20_000,
        "User-agent: *\nDisallow: /" + "*a" * 200_000,
        "User-agent: *\n" + ("Disallow: /" + "*a" * 40 + "b$\n") * 5_000,
        "User-agent: *\n" + "Disallow: /*a*b\n" * 30_000,
        "User-agent" + " " * 500_000,
        "User-agent: *\nDisallow: /" + "$" * 100_000,
        "Sitemap:" * 60_000,
    ],
    ids=["agents by rules", "one agent often", "stars", "ways to match", "rules", "blanks", "dollars", "sitemaps"],
)
def test_a_file_made_to_cost_much_costs_little(body: str) -> None:
    """A rule for each agent of a group would be gigabytes, and a search of all agents for each line minutes.

    Stars that a regular expression would try in every order would take longer than the universe is old.
    """
    tracemalloc.start()
    try:
        parse_robots(body.encode()).can_fetch(f"{HOST}/{'a' * 2_000}", USER_AGENT)
        assert tracemalloc.get_traced_memory()[1] < 200 * MAX_BYTES
    finally:
        tracemalloc.stop()


def test_a_crawl_of_a_site_with_any_robots_txt_ends(tmp_path: Path) -> None:
    """Whatever the file is, a crawl finds the pages, or says that they are disallowed."""
    bodies = [
        b"",
        b"\0" * 600_000,
        b"\xff\xfe\x00",
        b"<html>not found</html>",
        b"Disallow: /",
        EVERYONE.encode() * 9_999,
    ]
    with serve() as web:
        web.html("/", "<p>Welcome.</p>")
        for number, body in zip(count(), bodies, strict=False):
            web.pages["/robots.txt"] = Answer(200, body, {"Content-Type": "application/octet-stream"})
            source = CrawlSource(
                CrawlSettings(base_url=web.base_url),
                tmp_path / str(number),
                excluded=lambda _: False,
                max_page_bytes=1_000_000,
                address=web.base_url,
                site=site_base([web.base_url]),
                sleep=lambda _: None,
            )
            assert [page.url for page in source.pages()] == ["/"]
