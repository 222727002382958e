"""One spelling for each page (DESIGN 7); original failures 17 and 34."""

import os

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from searchsocket.errors import InvalidRequest
from searchsocket.urls import (
    MAX_URL_CHARS,
    ancestors,
    canonical_path,
    join_name,
    normalise_prefix,
    path_depth,
    path_of_file,
    resolve_base,
    resolve_link,
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
    assert resolve_link(href, served, base_url="https://example.com") == expected


def test_without_a_base_url_an_absolute_link_is_external() -> None:
    """The same path on another site is another page (original failure 17)."""
    assert resolve_link("https://example.com/b", "/") is None
    assert resolve_link("/b", "/") == "/b"
    assert resolve_link("https://example.com/b", "/", base_url="example.com") == "/b"


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
    assert resolve_link(href, "/docs/", base_url="https://example.com", base_path="/base/") == expected


@given(PATHS, st.sampled_from(["/", "/docs/", "/docs/a"]), st.sampled_from(["", "/base"]))
def test_any_href_gives_a_canonical_path_or_none(href: str, served: str, base: str) -> None:
    """Hrefs come from pages: nothing in them may raise."""
    target = resolve_link(href, served, base_url="https://example.com", base_path=base)
    assert target is None or canonical_path(target) == target


def test_a_base_element_keeps_its_trailing_slash() -> None:
    """`<base href="/docs/">` and `<base href="/docs">` resolve relative links differently."""
    assert resolve_base("/docs/", "/a") == "/docs/"
    assert resolve_base("/docs", "/a") == "/docs"
    assert resolve_base("./", "/docs/a") == "/docs/"
    assert resolve_base("/", "/docs/a") == "/"


@pytest.mark.parametrize("prefix", ["docs", "/docs", "/docs/", "docs//", "/./docs"])
def test_a_prefix_holds_whole_segments(prefix: str) -> None:
    """Original failure 34: a prefix without its slash found nothing; `/docs-old` is not under `/docs`."""
    prefix = normalise_prefix(prefix)
    assert prefix == "/docs"
    held = [url for url in ("/", "/docs", "/docs/a", "/docs-old", "/doc", "/a/docs") if under_prefix(url, prefix)]
    assert held == ["/docs", "/docs/a"]


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
    """A directory filter is one slice of the path-sorted matrix (DESIGN 5)."""
    urls = sorted({canonical_path(path) for path in paths}, key=sort_key)
    held = "".join("x" if under_prefix(url, normalise_prefix(prefix)) else " " for url in urls)
    assert " " not in held.strip()
    assert sorted(["/docs-old", "/docs/a", "/docs"], key=sort_key) == ["/docs", "/docs/a", "/docs-old"]
