"""The page of a link, and the words by which pages are known; original failure 17."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.web.urls.targets import MAX_TEXT_CHARS, rank_link_texts, resolve_target

PAGES = {"/", "/docs", "/docs/a", "/a b", "/a%20b", "/café", "/page.html", "/docs/INSTALL.md", "/a%2520b"}
REDIRECTS = {"/old": "/docs/", "/older": "/old.html", "/loop": "/loop2", "/loop2": "/loop", "/self": "/self"}


def resolve(target: str) -> str | None:
    return resolve_target(target, PAGES.__contains__, REDIRECTS.get)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/docs/a", "/docs/a"),
        ("/docs/a/", "/docs/a"),
        ("/docs/a.html", "/docs/a"),
        ("/docs/a.HTM", "/docs/a"),
        ("/docs/a.md", "/docs/a"),
        ("/docs/index.html", "/docs"),
        ("/docs/index", "/docs"),
        ("/docs/README.md", "/docs"),
        ("/index.html", "/"),
        ("/", "/"),
        ("/page.html", "/page.html"),
        ("/page.html/", "/page.html"),
        ("/page", None),
        ("/docs/INSTALL.md", "/docs/INSTALL.md"),
        ("/docs/INSTALL.md.html", "/docs/INSTALL.md"),
        ("/caf%C3%A9", "/café"),
        ("/caf%25C3%25A9", "/café"),
        ("/a b", "/a%20b"),
        ("/old", "/docs"),
        ("/old/", "/docs"),
        ("/older", "/docs"),
        ("/loop", None),
        ("/self", None),
        ("/nowhere", None),
        ("/a%00b", None),
        ("/Docs", None),
        ("/html", None),
        ("/.html", "/"),
    ],
)
def test_a_link_finds_its_page(target: str, expected: str | None) -> None:
    """The plain reading first, then how authors and servers write it, then redirects."""
    assert resolve(target) == expected


def test_a_file_name_that_holds_an_escape_is_found() -> None:
    """Saved sites are full of them: the link says `a%20b`, and so does the file's name."""
    assert resolve_target("/a%20b", {"/a%2520b"}.__contains__) == "/a%2520b"


def test_redirects_end() -> None:
    """A chain without end costs a bounded number of steps."""
    requests: list[str] = []

    def redirects(url: str) -> str:
        requests.append(url)
        return f"/{len(requests)}"

    assert resolve_target("/x", lambda _: False, redirects) is None
    assert len(requests) < 20


@given(st.text(max_size=60))
def test_links_resolve_to_known_pages_or_none(target: str) -> None:
    """Targets come from pages: none may raise, none may invent a page."""
    assert resolve(target) in PAGES | {None}


@pytest.mark.parametrize(
    "text",
    ["", " ", "here", "HERE", "Read more", "read  more…", "Next →", "« Previous", "#", "¶", "[1]", "42", "Click here!",
     "https://example.com/docs", "(source)", "…"],
)  # fmt: skip
def test_words_that_say_nothing_are_dropped(text: str) -> None:
    """They stand on every page, and would match every query that holds them."""
    assert rank_link_texts([text, "Install"]) == ("Install",)


def test_texts_come_most_frequent_first_and_ties_by_alphabet() -> None:
    """The order must not depend on that of the pages."""
    texts = ["b", "c", "a", "c", "Set up", "set  up", "set up "]
    assert rank_link_texts(texts) == rank_link_texts(reversed(texts)) == ("set up", "c", "a", "b")


def test_exact_names_stay_apart() -> None:
    """Identifiers are never lost: `C`, `C#` and `C++` are three things."""
    assert rank_link_texts(["C", "C#", "C++", "c++"]) == ("C++", "C", "C#")


def test_texts_are_few_and_short() -> None:
    """A card that is one link carries its whole paragraph."""
    ranked = rank_link_texts([f"text {i} " + "word " * 40 for i in range(20)] + ["x" * 500])
    assert len(ranked) == 8
    assert all(len(text) <= MAX_TEXT_CHARS for text in ranked)
    assert ranked[0].endswith(" word")


@given(st.lists(st.text(max_size=100), max_size=30))
def test_any_texts_are_ranked(texts: list[str]) -> None:
    """One line each, within the limits, the same in any order."""
    ranked = rank_link_texts(texts)
    assert ranked == rank_link_texts(reversed(texts))
    assert len(ranked) <= 8
    assert all(0 < len(text) <= MAX_TEXT_CHARS and len(text.splitlines()) == 1 for text in ranked)
