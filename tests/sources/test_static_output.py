"""Pages of a build folder (spec 8.2, A); original failures 4, 31, 32."""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from contract.source import FolderPlace, SourceContract
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.content.pages import RawPage
from searchsocket.errors import SourceUnavailable
from searchsocket.sources.base import Source
from searchsocket.sources.static_output import StaticOutputSource
from searchsocket.web.urls.paths import sort_key
from searchsocket.web.urls.resolve import SiteBase


@dataclass
class BuildPlace(FolderPlace):
    suffix: str = ".html"

    def source(self) -> Source:
        return StaticOutputSource(
            self.folder, exclude=["/drafts/**"], max_page_bytes=self.max_page_bytes, now_ns=self.now_ns
        )


class TestStaticOutput(SourceContract):
    @pytest.fixture
    def place(self, tmp_path: Path) -> BuildPlace:
        (tmp_path / "secret.html").write_text("no")
        (tmp_path / "build").mkdir()
        return BuildPlace(tmp_path / "build")


def make(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    return root


def listed(source: Source) -> dict[str, str]:
    return {page.url: page.locator for page in source.pages()}


def test_files_become_urls_as_the_specification_says(tmp_path: Path) -> None:
    """Spec 8.2: index pages, flat pages, odd names; other files are no pages."""
    make(
        tmp_path, "index.html", "docs/getting-started/index.html", "docs/foo.html", "INSTALL.md.html", "page.html.html"
    )
    make(tmp_path, "a b.html", "100%.html", "what?.html", "日本/index.htm", "UP.HTML", "style.css", "docs/data.json")
    pages = {page.url: (page.locator, page.served_url) for page in StaticOutputSource(tmp_path).pages()}
    assert pages == {
        "/": ("index.html", "/"),
        "/100%25": ("100%.html", "/100%25"),
        "/INSTALL.md": ("INSTALL.md.html", "/INSTALL.md"),
        "/UP": ("UP.HTML", "/UP"),
        "/a%20b": ("a b.html", "/a%20b"),
        "/docs/foo": ("docs/foo.html", "/docs/foo"),
        "/docs/getting-started": ("docs/getting-started/index.html", "/docs/getting-started/"),
        "/page.html": ("page.html.html", "/page.html"),
        "/what%3F": ("what?.html", "/what%3F"),
        "/日本": ("日本/index.htm", "/日本/"),
    }


def test_two_forms_of_one_page_are_one_page(tmp_path: Path) -> None:
    """Original failure 31: `docs.html` and `docs/index.html` made double records with colliding ids."""
    make(tmp_path, "docs.html", "docs/index.html", "docs/a.html", "docs.htm")
    source = StaticOutputSource(tmp_path)
    assert listed(source) == {"/docs": "docs/index.html", "/docs/a": "docs/a.html"}
    assert sorted(source.report.skipped) == ["docs.htm", "docs.html"]
    assert len(source.report.warnings) == 2
    assert source.report.complete


def test_the_root_and_a_page_called_index_stay_two(tmp_path: Path) -> None:
    """Original failure 32: `/` and `/index` shared one file."""
    make(tmp_path, "index.html", "index/index.html")
    assert listed(StaticOutputSource(tmp_path)) == {"/": "index.html", "/index": "index/index.html"}


def test_names_that_differ_only_in_unicode_form_are_one_page(tmp_path: Path) -> None:
    """A build made on two systems can hold both; folders are joined."""
    make(tmp_path, "caf\u00e9/a.html", "cafe\u0301/a.html", "cafe\u0301/b.html")
    source = StaticOutputSource(tmp_path)
    assert sorted(listed(source)) == ["/café/a", "/café/b"]
    assert len(source.report.warnings) == 1


@pytest.mark.parametrize("base", ["", "base"])
def test_an_address_has_the_letters_of_the_file_name(tmp_path: Path, base: str) -> None:
    """Hosts compare bytes, and some systems write names with separate accents."""
    for name in ("index.html", "cafe\u0301/index.html", "cafe\u0301/the\u0301 vert.html", "café/eau.html"):
        path = tmp_path / base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("<main>x</main>")
    urls = {
        page.url: page.address or page.url
        for page in StaticOutputSource(tmp_path, site=SiteBase(base and "/base")).pages()
    }
    prefix = base and "/base"
    assert urls == {
        "/": f"{prefix}/",
        "/café": f"{prefix}/cafe%CC%81/",
        "/café/eau": f"{prefix}/café/eau",
        "/café/thé%20vert": f"{prefix}/cafe%CC%81/the%CC%81%20vert",
    }


def test_fallbacks_are_skipped_at_the_root_only(tmp_path: Path) -> None:
    """`/404` and `/500` can be real content inside a site."""
    make(tmp_path, "index.html", "404.html", "200.html", "500.html", "_app/x.html", "docs/404.html", "docs/_app/y.html")
    source = StaticOutputSource(tmp_path)
    assert list(listed(source)) == ["/", "/docs/404", "/docs/_app/y"]
    assert sorted(source.report.skipped) == ["200.html", "404.html", "500.html", "_app"]


def test_the_fallback_of_a_language_is_one_beside_that_of_the_site(tmp_path: Path) -> None:
    """A site in several languages has one for each; without one at the top it is a page like others."""
    make(tmp_path / "one", "404.html", "de/404.html", "pt-BR/404.html", "docs/404.html", "de/ropes.html")
    assert list(listed(StaticOutputSource(tmp_path / "one"))) == ["/de/ropes", "/docs/404"]
    make(tmp_path / "other", "de/404.html")
    assert list(listed(StaticOutputSource(tmp_path / "other"))) == ["/de/404"]


def test_templates_of_a_theme_are_no_pages(tmp_path: Path) -> None:
    make(tmp_path, "index.html", "_static/macros.html", "en/_static/macros.html", "_gatsby/slices/x.html")
    source = StaticOutputSource(tmp_path)
    assert list(listed(source)) == ["/"]
    assert sorted(source.report.skipped) == ["_gatsby", "_static", "en/_static"]


def test_a_folder_called_404_is_a_fallback_only_when_it_is_alone(tmp_path: Path) -> None:
    """Hosts that write every page as a folder write the fallback so; a list of peculiar numbers is content."""
    make(tmp_path, "404/index.html", "500/index.html", "500/more.html")
    assert list(listed(StaticOutputSource(tmp_path))) == ["/500", "/500/more"]


def test_hidden_files_and_packages_are_no_pages(tmp_path: Path) -> None:
    """They are what tools left behind."""
    make(tmp_path, "a.html", ".b.html", ".git/c.html", "node_modules/d/e.html")
    source = StaticOutputSource(tmp_path)
    assert list(listed(source)) == ["/a"]
    assert sorted(source.report.skipped) == [".b.html", ".git", "node_modules"]


def test_a_stamp_tells_an_edit_that_keeps_size_time_and_inode(tmp_path: Path) -> None:
    """No tool sets the time of change (edits in place were missed for ever)."""
    page = make(tmp_path, "a.html") / "a.html"
    source = StaticOutputSource(tmp_path, now_ns=lambda: 2**62)
    [before] = source.pages()
    old = page.stat()
    for _ in range(10_000_000):  # until the clock of the file system has ticked
        page.write_text("b.html")
        if page.stat().st_ctime_ns != old.st_ctime_ns:
            break
    os.utime(page, ns=(old.st_atime_ns, old.st_mtime_ns))
    [after] = source.pages()
    assert page.stat().st_mtime_ns == old.st_mtime_ns
    assert after.stamp != before.stamp


def test_a_file_that_changed_just_now_has_no_stamp_yet(tmp_path: Path) -> None:
    """Within one tick of the clock it may change again, and look the same."""
    changed = (make(tmp_path, "a.html") / "a.html").stat().st_ctime_ns
    for age_ns, is_known in ((-1_000_000_000, False), (0, False), (1_999_999_999, False), (2_000_000_000, True)):
        source = StaticOutputSource(tmp_path, now_ns=lambda age_ns=age_ns: changed + age_ns)  # type: ignore[misc]
        assert [bool(page.stamp) for page in source.pages()] == [is_known]


def test_no_other_form_takes_the_place_of_a_page_that_failed(tmp_path: Path) -> None:
    """Its records would be replaced by those of a file that the host does not serve."""
    make(tmp_path, "docs.html", "a.html")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.html").write_text("x" * 2000)
    source = StaticOutputSource(tmp_path, max_page_bytes=1000)
    assert listed(source) == {"/a": "a.html"}
    assert list(source.report.failed) == ["docs/index.html"]


class TestBasePath:
    """Some builds contain the base path, others do not (spec 8.2, `source.base_path`)."""

    def test_it_is_stripped_where_all_pages_lie_in_it(self, tmp_path: Path) -> None:
        make(tmp_path, "base/docs/index.html", "base.html", "base/a.html", "404.html", "base/404.html", "img/x.html")
        source = StaticOutputSource(tmp_path, site=SiteBase("/base"))
        assert listed(source) == {"/": "base.html", "/a": "base/a.html", "/docs": "base/docs/index.html"}
        assert sorted(source.report.skipped) == ["404.html", "base/404.html", "img"]

    def test_a_folder_of_that_name_in_a_stripped_build_stays(self, tmp_path: Path) -> None:
        make(tmp_path, "index.html", "docs/index.html", "docs/404.html")
        result = listed(StaticOutputSource(tmp_path, site=SiteBase("/docs")))
        assert list(result) == ["/", "/docs", "/docs/404"]

    def test_nested_and_absent_ones(self, tmp_path: Path) -> None:
        make(tmp_path, "a/b/index.html", "a/b/c.html")
        assert list(listed(StaticOutputSource(tmp_path, site=SiteBase("/a/b")))) == ["/", "/c"]
        assert list(listed(StaticOutputSource(tmp_path, site=SiteBase("/x")))) == ["/a/b", "/a/b/c"]


class TestLinks:
    """A symlink must not lead out of the build folder, and no page may come twice (spec 24)."""

    def test_links_count_once_and_never_lead_outside(self, tmp_path: Path) -> None:
        build = make(tmp_path / "build", "en/a.html", ".store/b.html")
        make(tmp_path, "outside/secret.html")
        (build / "de").mkdir()
        (build / "de/a.html").symlink_to("../en/a.html")
        (build / "latest").symlink_to("en")
        (build / "stored.html").symlink_to(".store/b.html")
        (build / "secret.html").symlink_to(tmp_path / "outside/secret.html")
        (build / "out").symlink_to(tmp_path / "outside")
        (build / "up").symlink_to("..")
        (build / "self").symlink_to(".")
        (build / "round.html").symlink_to("round.html")
        (build / "dead.html").symlink_to("nowhere.html")
        source = StaticOutputSource(build)
        assert listed(source) == {"/en/a": "en/a.html", "/stored": "stored.html"}
        reasons = source.report.skipped
        assert {name for name, why in reasons.items() if "out of the build" in why} == {"secret.html", "out", "up"}
        assert {name for name, why in reasons.items() if "broken" in why} == {"dead.html", "round.html"}
        assert reasons["de/a.html"] == "symbolic link to en/a.html"
        assert source.report.complete

    def test_a_build_folder_that_is_a_link_is_followed(self, tmp_path: Path) -> None:
        make(tmp_path / "releases/7", "index.html")
        (tmp_path / "build").symlink_to("releases/7")
        source = StaticOutputSource(tmp_path / "build")
        [page] = source.pages()
        assert source.read(page) == b"index.html"

    def test_a_page_that_became_a_link_outside_is_not_read(self, tmp_path: Path) -> None:
        build = make(tmp_path / "build", "a.html")
        make(tmp_path, "secret")
        source = StaticOutputSource(build)
        [page] = source.pages()
        (build / "a.html").unlink()
        (build / "a.html").symlink_to(tmp_path / "secret")
        with pytest.raises(SourceUnavailable, match="points out"):
            source.read(page)


class TestFaults:
    """An unreadable file is named, affects only its own page, and prevents deletions (spec 26.1)."""

    def test_a_folder_that_cannot_be_listed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        make(tmp_path, "a/x.html", "b/y.html")
        scandir = os.scandir

        def refusing(path: str) -> object:
            if str(path).endswith("/a"):
                raise PermissionError(13, "Permission denied")
            return scandir(path)

        monkeypatch.setattr(os, "scandir", refusing)
        source = StaticOutputSource(tmp_path)
        assert list(listed(source)) == ["/b/y"]
        assert "Permission denied" in source.report.failed["a"]
        assert not source.report.complete

    def test_a_file_that_cannot_be_read(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        make(tmp_path, "a.html", "b.html")
        monkeypatch.setattr(os, "access", lambda path, _: not str(path).endswith("a.html"))
        source = StaticOutputSource(tmp_path)
        assert list(listed(source)) == ["/b"]
        assert list(source.report.failed) == ["a.html"]
        assert not source.report.complete

    def test_a_pipe_in_the_place_of_a_page_blocks_nothing(self, tmp_path: Path) -> None:
        make(tmp_path, "a.html")
        os.mkfifo(tmp_path / "b.html")
        source = StaticOutputSource(tmp_path)
        assert list(listed(source)) == ["/a"]
        assert source.report.skipped == {"b.html": "not a regular file"}
        with pytest.raises(SourceUnavailable, match="regular file"):
            source.read(RawPage("/b", "/b", "b.html", ""))

    def test_a_missing_folder_is_an_error_and_no_empty_site(self, tmp_path: Path) -> None:
        """Original failure 4: it deleted the whole index, with exit code 0."""
        for folder in (tmp_path / "nowhere", make(tmp_path, "file") / "file"):
            with pytest.raises(SourceUnavailable):
                next(StaticOutputSource(folder).pages())

    def test_names_that_are_not_utf8_are_pages_too(self, tmp_path: Path) -> None:
        """Their locators must still go into a database and a log."""
        name = os.path.join(os.fsencode(tmp_path), b"caf\xe9.html")
        with open(name, "wb") as file:
            file.write(b"ok")
        source = StaticOutputSource(tmp_path)
        [page] = source.pages()
        assert page.url == "/caf%E9"
        assert page.locator.encode("utf-8")
        assert source.read(page) == b"ok"

    def test_names_that_make_no_url_are_skipped(self, tmp_path: Path) -> None:
        deep = "/".join(["x" * 250] * 9)
        make(tmp_path, "...html", ".html", "a.html", f"{deep}/y.html")
        source = StaticOutputSource(tmp_path)
        assert list(listed(source)) == ["/a"]
        assert any("limit" in reason for reason in source.report.skipped.values())

    def test_folders_without_end_are_cut(self, tmp_path: Path) -> None:
        make(tmp_path, "a.html", "d/" * 300 + "z.html")
        source = StaticOutputSource(tmp_path)
        assert list(listed(source)) == ["/a"]
        assert "folders deep" in next(iter(source.report.skipped.values()))


NAME = st.sampled_from(["a", "b", "index", "a.html", "e\u0301", "é", "%41", "404", "a-b", "A"])


@given(st.lists(st.tuples(st.lists(NAME, max_size=2), NAME), max_size=12))
def test_every_tree_gives_each_url_once_in_order(
    tmp_path_factory: pytest.TempPathFactory, files: list[tuple[list[str], str]]
) -> None:
    """Joined folders, twins and odd names must not break the order that the index is built in."""
    root = tmp_path_factory.mktemp("build")
    for folders, name in files:
        try:
            make(root, "/".join([*folders, f"{name}.html"]))
        except OSError:
            continue  # a file stands where a folder should be
    urls = [page.url for page in StaticOutputSource(root).pages()]
    assert urls == sorted(set(urls), key=sort_key)
