"""The form of a site's addresses is that of its own links, so that what a result links to opens (spec 8.2)."""

import json
from dataclasses import asdict
from pathlib import PurePosixPath
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.errors import InvalidRequest
from searchsocket.web.urls.form import Addresses, LinkVotes, UrlForm, UrlStyle, stated_form, url_form_of
from searchsocket.web.urls.paths import canonical_path, page_path, path_of_file

FILES = {"index.html", "wal.html", "c3ref/intro.html", "docs/index.html", "both.html", "both/index.html", "100%.html"}


def form_of(*links: str) -> UrlForm:
    votes = LinkVotes(FILES.__contains__)
    for link in links:
        votes.count(link)
    return votes.form()


@pytest.mark.parametrize(
    ("links", "flat", "folder"),
    [
        ((), "clean", "slash"),
        (("/", "/index.html"), "clean", "slash"),  # the home page shows nothing
        (("/wal",), "clean", "slash"),
        (("/wal.html",), "suffix", "slash"),
        (("/wal.html", "/docs/index.html"), "suffix", "index"),
        (("/docs/index.html",), "suffix", "index"),
        (("/docs/",), "clean", "slash"),
        (("/docs",), "clean", "bare"),
        (("/wal/",), "slash", "slash"),
        (("/wal", "/c3ref/intro", "/wal.html"), "clean", "slash"),
        (("/wal", "/wal.html"), "suffix", "slash"),  # of equals, what opens on every host
        (("/100%25.html",), "suffix", "slash"),
        (("/both",), "clean", "slash"),  # means either
        (("/gone.html", "/style.css", "/gone/"), "clean", "slash"),
    ],
)
def test_most_links_decide(links: tuple[str, ...], flat: str, folder: str) -> None:
    """A link counts where it opens a page of the site, and says in which form."""
    form = form_of(*links)
    assert (form.flat, form.folder) == (flat, folder)


def test_an_address_counts_once() -> None:
    """A link in the head of every page does not outvote all others."""
    form = form_of(*["/wal"] * 50, "/wal.html", "/c3ref/intro.html")
    assert (form.flat, form.agreeing, form.links) == ("suffix", 2, 3)
    assert form.describe() == "/page.html and /folder/ (2 of 3 links)"


@pytest.mark.parametrize("style", ["clean", "slash", "html", "index"])
def test_an_xhtml_file_opens_by_its_whole_name(style: UrlStyle) -> None:
    """No host adds the suffix, or looks for `index.xhtml`."""
    form = stated_form(style)
    assert form is not None
    addresses = Addresses(form, "/base")
    assert addresses.of("/ch01", "ch01.xhtml") == "/base/ch01.xhtml"
    assert addresses.of("/docs", "index.xhtml") == "/base/docs/index.xhtml"
    assert addresses.of("/", "index.xhtml") == "/base/index.xhtml"


NAMES = st.lists(st.text("abz.%é -", min_size=1, max_size=4), min_size=1, max_size=3).map("/".join)


STYLES: list[UrlStyle] = ["clean", "slash", "html", "index"]


@given(files=st.sets(NAMES, min_size=1, max_size=6), style=st.sampled_from(STYLES))
def test_a_site_that_writes_one_form_is_read_as_that_form(files: set[str], style: UrlStyle) -> None:
    """Whatever its pages are called; and every address is of the page that it was made for."""
    stated = stated_form(style)
    assert stated is not None
    links_by_page: dict[str, str] = {}
    for name in files:
        try:
            url = page_path(path_of_file(f"{name}.html"))
        except InvalidRequest:
            continue
        links_by_page.setdefault(url, f"{name}.html")
    plain = {url: file for url, file in links_by_page.items() if f"/{file[:-5]}" == canonical_path(url)}
    votes = LinkVotes(set(plain.values()).__contains__)
    for url, file in plain.items():
        address = Addresses(stated).of(url, PurePosixPath(file).name) or url
        assert page_path(canonical_path(address)) == url
        votes.count(address)
    form = votes.form()
    assert form.agreeing == form.links
    assert form.links == 0 or form.flat == stated.flat


@pytest.mark.parametrize(
    ("style", "flat", "folder", "words"),
    [
        ("clean", "/wal", "/docs", "/page and /folder (urls.style)"),
        ("slash", "/wal/", "/docs/", "/page/ and /folder/ (urls.style)"),
        ("html", "/wal.html", "/docs/", "/page.html and /folder/ (urls.style)"),
        ("index", "/wal.html", "/docs/index.html", "/page.html and /folder/index.html (urls.style)"),
    ],
)
def test_a_stated_style_says_both_forms(style: UrlStyle, flat: str, folder: str, words: str) -> None:
    """The home page is `/` in all of them."""
    form = stated_form(style)
    assert form is not None
    assert (form.address("/wal", "wal.html"), form.address("/docs", "index.html")) == (flat, folder)
    assert Addresses(form).of("/", "index.html") == ""
    assert form.describe() == words
    assert stated_form("auto") is None


def test_the_suffix_is_that_of_the_file() -> None:
    """Old sites have `.htm`; a content file has none of its own."""
    form = UrlForm("suffix", "index")
    assert form.address("/wal", "wal.htm") == "/wal.htm"
    assert form.address("/wal", "wal.md") == "/wal.html"
    assert form.address("/docs", "INDEX.HTM") == "/docs/INDEX.HTM"


@pytest.mark.parametrize("folder", ["slash", "bare"])
def test_an_index_with_capitals_opens_by_its_name(folder: Literal["slash", "bare"]) -> None:
    """VitePress makes `Guides/Index.html` of `Guides/Index.md`, which no host serves at `/Guides/`."""
    form = UrlForm("clean", folder)
    assert form.address("/Guides", "Index.html") == "/Guides/Index.html"


@pytest.mark.parametrize(
    ("url", "file", "address"),
    [
        ("/", "index.html", "/handbook/"),
        ("/", "handbook.html", "/handbook.html"),
        ("/wal", "wal.html", "/handbook/wal.html"),
        ("/docs", "index.html", "/handbook/docs/"),
    ],
)
def test_an_address_has_the_base_path(url: str, file: str, address: str) -> None:
    """A site that lies under a path of its host is opened there, and its pages are named without it."""
    assert Addresses(UrlForm("suffix"), "/handbook").of(url, file) == address


def test_a_form_survives_its_values() -> None:
    """Stored values may be of another version."""
    form = UrlForm("suffix", "index", 5, 4)
    assert url_form_of(json.dumps(asdict(form))) == form
    for text in ("", "[]", "1", '{"flat": "?"}', '{"other": 1}'):
        assert url_form_of(text) is None


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("/", "/"),
        ("/index.html", "/"),
        ("/docs/index.html", "/docs"),
        ("/docs/INDEX.htm", "/docs"),
        ("/docs/wal.html", "/docs/wal"),
        ("/INSTALL.md.html", "/INSTALL.md"),
        ("/docs/.html", "/docs/.html"),
        ("/indexhtml", "/indexhtml"),
        ("/my-index.html", "/my-index"),
    ],
)
def test_a_page_is_the_same_in_every_form(path: str, page: str) -> None:
    """A build and a crawl of one site name its pages alike."""
    assert page_path(path) == page
