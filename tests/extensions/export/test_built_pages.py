"""The script tag in built pages: where it goes, what its address is, and that nothing else changes."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.errors import PermissionDenied
from searchsocket.extensions.export.built_pages import (
    add_search,
    base_of_build,
    is_page,
    page_files,
    remove_search,
    script_address,
    with_script,
    without_script,
)

TAG = b'<script type="module" src="../searchsocket/page-search.js"></script>'
SRC = "../searchsocket/page-search.js"
PAGE = b"<!doctype html><html><head><title>A</title></head><body><h1>A</h1></body></html>"


@pytest.mark.parametrize(
    "html",
    [
        b"<!doctype html><html><head><title>A</title>|</head><body></body></html>",
        b"<HTML><HEAD>|</HEAD><BODY></BODY></HTML>",
        b"<!doctype html><title>A</title><h1>A</h1>|",  # optional tags left out
        b"<title>A</title><h1>A</h1>|</body>",
        b"<html><head><script>'</head>'</script><!-- </head> --><title></head></title>|</head>",
        "<head><title>Ä\r\n</title>|</head>\r\n".encode("latin-1"),
    ],
)
def test_the_tag_is_at_the_end_of_the_head(html: bytes) -> None:
    """A text that looks like the end of the head is not one."""
    assert with_script(html.replace(b"|", b""), SRC) == html.replace(b"|", TAG)


def test_a_second_time_changes_nothing() -> None:
    once = with_script(PAGE, SRC)
    assert with_script(once, SRC) == once


def test_a_page_that_was_moved_gets_another_address() -> None:
    moved = with_script(with_script(PAGE, SRC), "searchsocket/page-search.js")
    assert moved == with_script(PAGE, "searchsocket/page-search.js")


def test_the_address_of_answers_is_in_the_tag_and_goes_with_it() -> None:
    answers = "https://s.example/api/answer"
    page = with_script(with_script(PAGE, SRC), SRC, answers)
    assert page == PAGE.replace(b"</head>", TAG.replace(b"></", f' data-answers="{answers}"></'.encode()) + b"</head>")
    assert with_script(page, SRC) == with_script(PAGE, SRC)
    assert without_script(page) == PAGE


@given(
    st.binary() | st.lists(st.sampled_from([b"<head>", b"</head>", b"<!--", b"-->", b"<script>", b"x"])).map(b"".join)
)
def test_a_page_without_the_tag_is_the_page_before(html: bytes) -> None:
    """Whatever the bytes are."""
    assert without_script(with_script(html, SRC)) == html


@pytest.mark.parametrize(
    ("page", "html", "base", "address"),
    [
        ("index.html", b"", "", "searchsocket/page-search.js"),
        ("docs/a/index.html", b"", "", "../../searchsocket/page-search.js"),
        ("docs/a.html", b"", "/project", "../searchsocket/page-search.js"),
        ("404.html", b"", "/project", "/project/searchsocket/page-search.js"),
        ("docs/404.html", b"", "", "../searchsocket/page-search.js"),
        ("docs/a.html", b'<base href="/">', "", "searchsocket/page-search.js"),
        ("docs/a.html", b"<base href='../'>", "/project", "searchsocket/page-search.js"),
        ("docs/a.html", b'<base href="/project/x/y/">', "/project", "../../searchsocket/page-search.js"),
    ],
)
def test_the_address_is_relative_to_the_page(page: str, html: bytes, base: str, address: str) -> None:
    """So that a preview under another path works; a page for missing addresses is sent for every path."""
    assert script_address(page, html, base) == address


@pytest.mark.parametrize(
    ("html", "is_one"),
    [
        (PAGE, True),
        (b"<title>A</title>text", True),
        (b'<html><pre data-code="<searchsocket-dialog static>">a sample</pre>', True),
        (b"<div class=part>of a page</div>", False),
        (b"<html><frameset><frame src=a.html></frameset></html>", False),
        ("<html>".encode("utf-16"), False),
    ],
)
def test_only_pages_get_the_tag(html: bytes, is_one: bool) -> None:
    assert is_page(html) == is_one


def build(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_html", ".html").replace("_css", ".css")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize("base", ["", "/project", "/a/b"])
def test_the_base_path_is_the_part_of_addresses_before_a_file(tmp_path: Path, base: str) -> None:
    page = f'<html><link href="{base}/style.css?v=1"><img src="{base}/gone.png"><a href="/elsewhere/index.html">x</a>'
    assert base_of_build(build(tmp_path, index_html=page, docs__a_html=page, style_css="", docs__style_css="")) == base


def test_relative_addresses_show_no_base_path(tmp_path: Path) -> None:
    assert base_of_build(build(tmp_path, index_html='<html><link href="style.css">', style_css="")) == ""


def test_xhtml_is_left_alone(tmp_path: Path) -> None:
    """Browsers run no module script in XML documents (crbug.com/717643)."""
    page = b'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>A</title></head><body/></html>'
    (tmp_path / "a.xhtml").write_bytes(page)
    (tmp_path / "b.html").write_bytes(page)
    assert list(page_files(tmp_path)) == ["b.html"]


def test_hidden_files_links_and_packages_are_left_alone(tmp_path: Path) -> None:
    build(tmp_path, index_html="<html>", _git__a_html="<html>", node_modules__a_html="<html>", docs__a_html="<html>")
    (tmp_path / "_git").rename(tmp_path / ".git")
    (tmp_path / "link.html").symlink_to("index.html")
    assert list(page_files(tmp_path)) == ["index.html", "docs/a.html"]


def test_the_files_are_the_same_after_the_search_is_removed(tmp_path: Path) -> None:
    build(tmp_path, index_html="<html>A", docs__a_html="<html>B", part_html="<p>C", style_css="")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.html")}
    assert add_search(tmp_path, "").changed == ("index.html", "docs/a.html")
    assert add_search(tmp_path, "").unchanged == ("index.html", "docs/a.html")
    assert remove_search(tmp_path, page_files(tmp_path)) == ("index.html", "docs/a.html")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.html")} == before


def test_compressed_copies_of_changed_pages_are_named(tmp_path: Path) -> None:
    """A host that sends them would send pages without the search."""
    build(tmp_path, index_html="<html>A")
    (tmp_path / "index.html.gz").write_bytes(b"")
    assert add_search(tmp_path, "").packed == ("index.html.gz",)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_an_error_leaves_no_page_changed(tmp_path: Path) -> None:
    build(tmp_path, a_html="<html>A", locked__b_html="<html>B")
    (tmp_path / "locked").chmod(0o500)
    with pytest.raises(PermissionDenied):
        add_search(tmp_path, "")
    (tmp_path / "locked").chmod(0o700)
    assert (tmp_path / "a.html").read_text() == "<html>A"
