"""One file for each URL, on every file system (spec 8.4)."""

import unicodedata
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.content.mirror import mirror_file, mirror_name
from searchsocket.errors import UnsafePath

segments = st.one_of(
    st.sampled_from(
        ["index", "docs", "docs.md", "Docs", "a", "A", "..", ".", "", "con", "aux.txt", "a.", "é", "É", "~a"]
    ),
    st.text(max_size=12).map(lambda text: text.replace("/", "")),
    st.text("aAbß.~-%", max_size=300),
)
urls = st.lists(segments, min_size=1, max_size=6).map(lambda parts: "/" + "/".join(parts))


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("/", "index.md"),
        ("/docs", "docs.md"),
        ("/docs/getting-started", "docs/getting-started.md"),
        ("/docs/index", "docs/index.md"),
        ("/docs/v1.2/change_log", "docs/v1.2/change_log.md"),
        ("/docs/a.html", "docs/a.html.md"),
        ("/日本語/ガイド", "日本語/ガイド.md"),
    ],
)
def test_ordinary_urls_stay_readable(url: str, path: str) -> None:
    """People browse the mirror."""
    assert mirror_name(url) == path


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/", "/index"),
        ("/Foo", "/foo"),
        ("/FOO", "/Foo"),
        ("/a/É", "/a/é"),
        ("/straße", "/strasse"),
        ("/con", "/con~0"),
        ("/a.", "/a"),
        ("/docs/", "/docs"),
        ("/" + "x" * 300, "/" + "x" * 301),
        ("/a" * 500, "/a" * 501),
    ],
)
def test_twins_get_two_files(one: str, other: str) -> None:
    """`/` and `/index` shared a file, and case twins overwrite each other on Windows and macOS."""
    assert mirror_name(one).casefold() != mirror_name(other).casefold()


@given(st.lists(urls, min_size=2, max_size=8, unique=True))
def test_no_two_urls_share_a_file(some: list[str]) -> None:
    """Not even where case and Unicode forms are folded."""
    names = {unicodedata.normalize("NFKC", mirror_name(url)).casefold() for url in some}
    assert len(names) == len(some)


@given(urls, urls)
def test_no_file_is_also_a_folder(one: str, other: str) -> None:
    """`/docs` and `/docs.md/a` both live in the mirror."""
    assert PurePosixPath(mirror_name(one)) not in PurePosixPath(mirror_name(other)).parents


@given(urls)
def test_every_name_is_legal_everywhere(url: str) -> None:
    """Windows reserves names and endings, file systems limit names to 255 bytes and paths to little more."""
    path = PurePosixPath(mirror_name(url))
    assert not path.is_absolute()
    assert len(str(path).encode()) <= 200
    for part in path.parts:
        assert part not in {"", ".", ".."}
        assert not part.startswith(".")
        assert not part.endswith((".", " "))
        assert not set(part) & set('<>:"/\\|?*\x00')
        assert part.isprintable()
        assert len(part.encode()) <= 130
        assert not PureWindowsPath(part).is_reserved()


def test_a_url_must_be_a_path() -> None:
    """Anything else is a mistake of the caller."""
    with pytest.raises(UnsafePath):
        mirror_name("docs")


def test_the_file_lies_in_its_folder(tmp_path: Path) -> None:
    """The ordinary case, also below folders that do not exist yet."""
    assert mirror_file(tmp_path, "/docs/a") == tmp_path / "docs" / "a.md"
    assert mirror_file(tmp_path, "/../../etc/passwd").resolve().is_relative_to(tmp_path.resolve())


def test_a_link_out_of_the_mirror_is_refused(tmp_path: Path) -> None:
    """`get_page` once read any Markdown file on the machine."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("x")
    root = tmp_path / "pages"
    root.mkdir()
    (root / "docs").symlink_to(outside)
    (root / "page.md").symlink_to(outside / "secret.md")
    for url in ("/docs/secret", "/page"):
        with pytest.raises(UnsafePath):
            mirror_file(root, url)
