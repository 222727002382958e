"""Finding what to index (spec 8.2)."""

from pathlib import Path

import pytest

from searchsocket.errors import ConfigError, ConfigMissing
from searchsocket.project.settings.model import Settings
from searchsocket.sources import make_source
from searchsocket.sources.base import Excluder
from searchsocket.sources.build_folder import USUAL_FOLDERS, find_build, holds_html


def make(root: Path, *names: str) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    return root


def settings(**source: object) -> Settings:
    return Settings.model_validate({"source": source}, strict=False)


@pytest.mark.parametrize("folder", USUAL_FOLDERS)
def test_each_usual_folder_is_found(tmp_path: Path, folder: str) -> None:
    """Nobody should have to say where the tool at hand builds to."""
    make(tmp_path, f"{folder}/deep/er/page.html")
    assert find_build(tmp_path).folder == folder


def test_a_folder_without_html_is_no_build(tmp_path: Path) -> None:
    """`public` of a Vite project holds images, `dist` of a library scripts."""
    make(
        tmp_path,
        "public/favicon.png",
        "dist/index.js",
        "build/.cache/x.html",
        "build/node_modules/x.html",
        "_site/a.html",
    )
    assert find_build(tmp_path).folder == "_site"
    assert not holds_html(tmp_path / "public")


def test_the_order_is_that_of_the_list(tmp_path: Path) -> None:
    """A SvelteKit project has `public`-like leftovers beside its build."""
    make(tmp_path, "public/google123.html", "build/index.html")
    assert find_build(tmp_path).folder == "build"


def test_a_build_is_preferred_to_content(tmp_path: Path) -> None:
    """People search for what they see on the site."""
    make(tmp_path, "docs/a.md")
    assert make_source(tmp_path, Settings()).kind.mode == "content-files"
    make(tmp_path, "build/index.html")
    assert make_source(tmp_path, Settings()).kind.mode == "static-output"
    assert make_source(tmp_path, Settings(), "content-files").kind.mode == "content-files"
    assert make_source(tmp_path, settings(mode="content-files")).kind.mode == "content-files"


def test_nothing_to_index_says_what_was_looked_for(tmp_path: Path) -> None:
    """The message is the way out."""
    with pytest.raises(ConfigMissing, match=r"build/.*_site/.*docs/\*\*/\*\.md.*build the site"):
        make_source(tmp_path, Settings())
    with pytest.raises(ConfigMissing, match="static_output_dir"):
        make_source(tmp_path, Settings(), "static-output")


def test_a_configured_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    """Falling back to another folder would index another site."""
    make(tmp_path, "build/index.html")
    with pytest.raises(ConfigMissing, match="outputs"):
        make_source(tmp_path, settings(static_output_dir="outputs"))
    with pytest.raises(ConfigMissing, match="texts"):
        make_source(tmp_path, settings(mode="content-files", content_files={"base_dir": "texts"}))


def test_every_source_setting_has_its_effect(tmp_path: Path) -> None:
    """A setting that does nothing must not exist (spec 26.1)."""
    make(tmp_path, "out-main/base/a.html", "out-main/base/b/c.html", "out-main/base/long.html", "x/notes/d.md")
    (tmp_path / "out-main/base/long.html").write_text("x" * 200)
    source = make_source(
        tmp_path,
        settings(static_output_dir="out-{scope}", base_path="/base", exclude=["/b/**"], max_page_bytes=100),
        scope="main",
    )
    assert [page.url for page in source.pages()] == ["/a"]
    content = settings(mode="content-files", content_files={"base_dir": "x", "globs": ["notes/*.md"]})
    assert [page.url for page in make_source(tmp_path, content).pages()] == ["/d"]


def test_a_base_dir_may_hold_the_routes(tmp_path: Path) -> None:
    """`routes.dir` is relative to the project, the globs to `base_dir`: both name one folder here."""
    make(tmp_path, "apps/web/pages/(a)/b/+page.md", "apps/web/pages/c/[d]/+page.md")
    content = {"mode": "content-files", "content_files": {"base_dir": "./apps/web/", "globs": ["**/*.md"]}}
    project = Settings.model_validate({"source": content, "routes": {"dir": "apps/web/pages"}}, strict=False)
    assert [page.url for page in make_source(tmp_path, project).pages()] == ["/b"]


@pytest.mark.parametrize(
    ("glob", "excluded"),
    [
        ("/drafts/**", {"/drafts", "/drafts/a", "/drafts/a/b"}),
        ("/drafts", {"/drafts", "/drafts/a", "/drafts/a/b"}),
        ("/drafts/*", {"/drafts/a", "/drafts/a/b"}),
        ("/**/a", {"/drafts/a", "/drafts/a/b", "/x/a"}),
        ("/a b", {"/a%20b"}),
        ("/日本", {"/日本"}),
        ("/", set()),
    ],
)
def test_globs_are_read_as_in_gitignore(glob: str, excluded: set[str]) -> None:
    """Over URL paths, from the root."""
    urls = ["/", "/drafts", "/drafts/a", "/drafts/a/b", "/drafts-old", "/x/a", "/a%20b", "/日本"]
    test = Excluder([glob])
    assert {url for url in urls if test(url)} == excluded


def test_a_later_glob_may_take_back(tmp_path: Path) -> None:
    """`!` as in a .gitignore."""
    test = Excluder(["/drafts/*", "!/drafts/public"])
    assert [test(url) for url in ("/drafts/a", "/drafts/public")] == [True, False]


def test_a_broken_glob_is_a_configuration_error() -> None:
    """And says where."""
    with pytest.raises(ConfigError, match=r"source\.exclude"):
        Excluder(["!"])
