"""Markdown of the working tree (spec 8.2, C); original failure 65."""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from contract.source import FolderPlace, SourceContract

from searchsocket.errors import ConfigError, SourceUnavailable
from searchsocket.project.settings.site import ContentFilesSettings
from searchsocket.sources.base import Source
from searchsocket.sources.content_files import ContentFilesSource
from searchsocket.web.urls.form import Addresses, UrlForm

DEFAULT_GLOBS = ContentFilesSettings().globs


@dataclass
class ContentPlace(FolderPlace):
    suffix: str = ".md"

    def source(self) -> Source:
        return ContentFilesSource(
            self.folder.parent,
            ["content/**/*.md"],
            exclude=["/drafts/**"],
            max_page_bytes=self.max_page_bytes,
            now_ns=self.now_ns,
        )


class TestContentFiles(SourceContract):
    @pytest.fixture
    def place(self, tmp_path: Path) -> ContentPlace:
        (tmp_path / "secret.html").write_text("no")
        (tmp_path / "project/content").mkdir(parents=True)
        return ContentPlace(tmp_path / "project/content")


def make(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    return root


def listed(source: Source) -> dict[str, str]:
    return {page.url: page.locator for page in source.pages()}


def test_route_pages_have_the_url_of_their_route(tmp_path: Path) -> None:
    """Original failure 65: nested pages became `/src/routes/...`, and the root `/+page.svelte`."""
    routes = ["+page.md", "(docs)/guide/+page.md", "docs/[x+3a]/+page@.svx", "blog/[slug]/+page.md", "docs/note.md"]
    make(tmp_path, *(f"src/routes/{name}" for name in routes), "src/routes/docs/+layout.svx", "src/lib/+page.md")
    source = ContentFilesSource(tmp_path, ["src/routes/**/*.md", "src/routes/**/*.svx"])
    assert listed(source) == {
        "/": "src/routes/+page.md",
        "/docs/:": "src/routes/docs/[x+3a]/+page@.svx",
        "/docs/note": "src/routes/docs/note.md",
        "/guide": "src/routes/(docs)/guide/+page.md",
    }
    assert "parameters" in source.report.skipped["src/routes/blog/[slug]/+page.md"]
    assert source.report.skipped["src/routes/docs/+layout.svx"] == "not the page file of its route"
    assert source.report.complete


def test_other_files_are_placed_below_the_fixed_part_of_their_glob(tmp_path: Path) -> None:
    """`content/blog/x.md` is `/blog/x`; `index.md` and `README.md` are their folder."""
    make(tmp_path, "content/blog/x.md", "content/index.md", "docs/a/README.md", "docs/b c.md", "docs/x.txt", "notes.md")
    pages = {page.url: (page.served_url, page.kind) for page in ContentFilesSource(tmp_path, DEFAULT_GLOBS).pages()}
    assert pages == {
        "/": ("/", "markdown"),
        "/a": ("/a/", "markdown"),
        "/b%20c": ("/b%20c", "markdown"),
        "/blog/x": ("/blog/x", "markdown"),
    }


def test_globs_at_the_root_take_the_whole_tree_but_what_tools_left(tmp_path: Path) -> None:
    """`**/*.md` must not index dependencies."""
    make(tmp_path, "a.md", "b/c.md", "node_modules/d/README.md", ".git/e.md", ".searchsocket/pages/main/f.md")
    assert list(listed(ContentFilesSource(tmp_path, ["**/*.md"]))) == ["/a", "/b/c"]


def test_two_files_of_one_page_give_one_page(tmp_path: Path) -> None:
    """Original failure 31: the first glob wins, then `index` over `README`, then the alphabet."""
    make(tmp_path, "content/a.md", "docs/a.md", "docs/b/index.md", "docs/b/README.md", "docs/b.md", "docs/b.svx")
    source = ContentFilesSource(tmp_path, ["content/**/*.md", "docs/**/*.md", "docs/**/*.svx"])
    assert listed(source) == {"/a": "content/a.md", "/b": "docs/b/index.md"}
    assert len(source.report.warnings) == 4


def test_a_file_that_is_no_markdown_is_named(tmp_path: Path) -> None:
    """A wide glob says what it took for nothing."""
    make(tmp_path, "src/routes/a/+page.svelte", "src/routes/b/+page.md")
    source = ContentFilesSource(tmp_path, ["src/routes/**/+page.*"])
    assert list(listed(source)) == ["/b"]
    assert source.report.skipped == {"src/routes/a/+page.svelte": "not Markdown"}


def test_a_custom_routes_folder_below_a_wide_glob(tmp_path: Path) -> None:
    """The routes folder decides, not the glob that happened to match."""
    make(tmp_path, "app/pages/(x)/y/+page.md", "app/other.md")
    result = listed(ContentFilesSource(tmp_path, ["app/**/*.md"], routes_dir="app/pages"))
    assert list(result) == ["/other", "/y"]


def test_links_never_lead_outside_and_count_once(tmp_path: Path) -> None:
    """A branch under review may hold any link (spec 24)."""
    project = make(tmp_path / "project", "docs/a.md", "CHANGELOG.md")
    make(tmp_path, "secret.md", "more/b.md")
    (project / "docs/secret.md").symlink_to(tmp_path / "secret.md")
    (project / "docs/out").symlink_to(tmp_path / "more")
    (project / "docs/same.md").symlink_to("a.md")
    (project / "docs/changes.md").symlink_to("../CHANGELOG.md")
    (project / "docs/dead.md").symlink_to("nowhere.md")
    source = ContentFilesSource(project, ["docs/**/*.md"])
    assert listed(source) == {"/a": "docs/a.md", "/changes": "docs/changes.md"}
    assert sorted(source.report.skipped) == ["docs/dead.md", "docs/same.md", "docs/secret.md"]


@pytest.mark.parametrize("glob", ["../**/*.md", "docs/../../*.md", "/etc/*.md"])
def test_a_glob_stays_in_the_project(tmp_path: Path, glob: str) -> None:
    """Refused at once, by name."""
    with pytest.raises(ConfigError, match="globs"):
        ContentFilesSource(tmp_path, [glob])


def test_a_folder_that_cannot_be_listed_makes_the_run_incomplete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pages must not be deleted (spec 26.1)."""
    make(tmp_path, "docs/a/x.md", "docs/y.md")
    scandir = os.scandir

    def refusing(path: str) -> object:
        if str(path).endswith("/a"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    source = ContentFilesSource(tmp_path, ["docs/**/*.md"])
    assert list(listed(source)) == ["/y"]
    assert list(source.report.failed) == ["docs/a"]
    assert not source.report.complete


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    """And no empty site (original failure 4)."""
    with pytest.raises(SourceUnavailable):
        next(ContentFilesSource(tmp_path / "nowhere", DEFAULT_GLOBS).pages())


def test_a_stated_style_and_base_path_open_the_pages(tmp_path: Path) -> None:
    """Content files show no form by their links; without a style they are opened at their URLs."""
    make(tmp_path, "content/index.md", "content/a.md", "content/docs/README.md")
    source = ContentFilesSource(tmp_path, ["content/**/*.md"])
    assert {page.url: page.address for page in source.pages()} == {"/": "", "/a": "", "/docs": ""}
    addresses = Addresses(UrlForm("suffix", "slash"), "/m")
    styled = ContentFilesSource(tmp_path, ["content/**/*.md"], addresses=addresses)
    urls = {page.url: page.address for page in styled.pages()}
    assert urls == {"/": "/m/", "/a": "/m/a.html", "/docs": "/m/docs/"}
