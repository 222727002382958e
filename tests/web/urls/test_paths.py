"""One spelling for each page (spec 19); original failures 17 and 34."""

import os

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from searchsocket.errors import InvalidRequest
from searchsocket.web.urls.paths import (
    MAX_URL_CHARS,
    ancestors,
    canonical_path,
    join_name,
    normalise_prefix,
    path_depth,
    path_of_file,
    path_with_query,
    sort_key,
    under_prefix,
)

ODD = st.text(st.sampled_from(list("/.%2fFe0aA?#\\ é日\u0301\udc80\udce9\ud800\u202e:@;[]{}~")), max_size=40)
PATHS = st.one_of(ODD, st.text(max_size=40))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", "/"),
        ("/", "/"),
        ("docs", "/docs"),
        ("/docs/", "/docs"),
        ("//docs///a//", "/docs/a"),
        ("/docs/./a/../b", "/docs/b"),
        ("/../../etc/passwd", "/etc/passwd"),
        ("/a/%2e%2E/b", "/b"),
        ("/docs?x=1#y", "/docs"),
        ("/docs#y?x", "/docs"),
        ("/a%2fb", "/a%2Fb"),
        ("/100%", "/100%25"),
        ("/%zz", "/%25zz"),
        ("/100%25", "/100%25"),
        ("/a%2541", "/a%2541"),
        ("/what%3f", "/what%3F"),
        ("/a b", "/a%20b"),
        ("/a%20b", "/a%20b"),
        ('/"<>\\^`{|}', "/%22%3C%3E%5C%5E%60%7B%7C%7D"),
        ("/caf%C3%A9", "/café"),
        ("/cafe\u0301", "/café"),
        ("/%E6%97%A5%E6%9C%AC", "/日本"),
        ("/caf%e9", "/caf%E9"),
        ("/%7Euser/%41", "/~user/A"),
        ("/a\u202eb", "/a%E2%80%AEb"),
        ("/a%0ab", "/a%0Ab"),
        ("/[slug]", "/[slug]"),
        ("/page.html", "/page.html"),
    ],
)
def test_one_page_has_one_spelling(path: str, expected: str) -> None:
    """Identity must not depend on how a link or a file happened to be written."""
    assert canonical_path(path) == expected


def test_a_page_with_a_query_has_a_path_of_its_own() -> None:
    """The order of parameters means nothing, and the query is one segment."""
    assert path_with_query("/list", "page=2") == "/list%3Fpage=2"
    assert path_with_query("/list", "b=2&a=1&&") == path_with_query("/list", "a=1&b=2") == "/list%3Fa=1&b=2"
    assert path_with_query("/", "to=/a/../b?c") == "/%3Fto=%2Fa%2F..%2Fb%3Fc"
    assert path_with_query("/q", "x=%c3%a9%2f") == "/q%3Fx=é%2F"


@given(PATHS)
@example("/" + "a\u0301" * 999)
def test_canonical_is_idempotent_and_holds_only_what_a_url_can(path: str) -> None:
    """A canonical path is stored, compared and linked: a second pass must change nothing."""
    try:
        url = canonical_path(path)
    except InvalidRequest:
        return
    assert canonical_path(url) == url
    assert url.startswith("/")
    assert url == "/" or not url.endswith("/")
    assert "//" not in url
    assert not {".", ".."} & set(url.split("/"))
    assert not any(char in ' "<>\\^`{|}?#' or ord(char) < 32 for char in url)
    url.encode("utf-8")


@given(st.text(st.characters(exclude_characters="\x00/", exclude_categories=["Cs"]), min_size=1, max_size=30))
def test_a_file_name_is_taken_as_it_is(name: str) -> None:
    """`100%25.html` on disk is not `100%.html`: escapes mean nothing in file names."""
    if name in (".", ".."):
        return
    url = path_of_file(name)
    assert canonical_path(url) == url
    assert path_of_file(name.replace("?", "%3F")) == url or "?" in name


def test_file_names_that_are_not_utf8_keep_their_bytes() -> None:
    """An ISO-8859-1 name is a page like another; two such names stay two pages."""
    assert path_of_file(os.fsdecode(b"caf\xe9")) == "/caf%E9"
    assert path_of_file("a%20b?c#d") == "/a%2520b%3Fc%23d"


def test_a_name_is_joined_as_one_segment() -> None:
    """A folder is listed name by name; a name must neither vanish nor lead upwards."""
    assert join_name("/", "a b") == "/a%20b"
    assert join_name("/docs", "50%") == "/docs/50%25"
    for url, name in (("/", ".."), ("/docs", "."), ("/", ""), ("/", "a/b"), ("/" + "a" * 1999, "b")):
        with pytest.raises(InvalidRequest):
            join_name(url, name)


@pytest.mark.parametrize("path", ["/a\x00b", "/a%00b", "/" + "a" * MAX_URL_CHARS, "/%" * 100_000])
def test_nul_and_endless_paths_are_refused(path: str) -> None:
    """Neither can be a key, a file name or a header."""
    with pytest.raises(InvalidRequest):
        canonical_path(path)


def test_the_limit_counts_characters_of_the_result() -> None:
    """1,000 Japanese characters fit, though their escapes take nine times the room."""
    assert len(canonical_path("/" + "%E6%97%A5" * 1000)) == 1001


@pytest.mark.parametrize("prefix", ["docs", "/docs", "/docs/", "docs//", "/./docs"])
def test_a_prefix_holds_whole_segments(prefix: str) -> None:
    """Original failure 34: a prefix without its slash found nothing; `/docs-old` is not under `/docs`."""
    prefix = normalise_prefix(prefix)
    assert prefix == "/docs"
    urls_below = [url for url in ("/", "/docs", "/docs/a", "/docs-old", "/doc", "/a/docs") if under_prefix(url, prefix)]
    assert urls_below == ["/docs", "/docs/a"]


@pytest.mark.parametrize("prefix", ["", "/", "//", "."])
def test_the_empty_prefix_holds_everything(prefix: str) -> None:
    """No prefix and the root mean the whole site."""
    assert normalise_prefix(prefix) == ""
    assert all(under_prefix(url, p) for url in ("/", "/docs") for p in ("", "/"))


def test_ancestors_and_depth() -> None:
    """Facets and the depth boost count segments."""
    assert ancestors("/docs/a") == ("/", "/docs", "/docs/a")
    assert ancestors("/") == ("/",)
    assert [path_depth(url) for url in ("/", "/docs", "/docs/a")] == [0, 1, 2]


@given(st.lists(st.text("ab-/! ~é", max_size=8), min_size=1, max_size=12), st.text("ab-/", max_size=3))
def test_everything_under_a_prefix_is_one_run(paths: list[str], prefix: str) -> None:
    """A directory filter is one slice of the path-sorted matrix (spec 12.4)."""
    urls = sorted({canonical_path(path) for path in paths}, key=sort_key)
    pattern = "".join("x" if under_prefix(url, normalise_prefix(prefix)) else " " for url in urls)
    assert " " not in pattern.strip()
    assert sorted(["/docs-old", "/docs/a", "/docs"], key=sort_key) == ["/docs", "/docs/a", "/docs-old"]
