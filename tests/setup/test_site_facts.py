"""Facts that `init` reads from the files of a site."""

import subprocess
import tomllib
from pathlib import Path

import pytest

from searchsocket.extensions import built_in
from searchsocket.project.scopes import default_branch
from searchsocket.project.settings.model import CoreSettings
from searchsocket.setup.plan import configuration
from searchsocket.setup.site import SiteFacts, detect_site


def facts_of(root: Path, files: dict[str, str]) -> SiteFacts:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return detect_site(root, {}, run_node=False)


@pytest.mark.parametrize(
    "config",
    [
        "module.exports = { url: 'https://lib.dev', baseUrl: '/my/' };",
        "const config = { url: 'https://lib.dev', baseUrl: '/my/' };\nmodule.exports = config;",
        "export default { url: 'https://lib.dev', baseUrl: '/my/' };",
        "module.exports = async function make() {\n  return { url: 'https://lib.dev', baseUrl: '/my/' };\n};",
    ],
    ids=["cjs", "cjs name", "esm", "function"],
)
def test_a_docusaurus_site_states_its_address(tmp_path: Path, config: str) -> None:
    facts = facts_of(tmp_path, {"docusaurus.config.js": config})
    assert (facts.base, facts.origin, facts.unknown) == ("/my", "https://lib.dev", ())


def test_a_computed_base_path_is_reported(tmp_path: Path) -> None:
    facts = facts_of(tmp_path, {"docusaurus.config.js": "module.exports = { baseUrl: process.env.BASE };"})
    assert facts.unknown == ("docusaurus.config.js: the base path is computed; set source.base_path",)


@pytest.mark.parametrize(
    ("files", "origin"),
    [
        ({"mkdocs.yml": "site_url: https://tool.dev/latest/\n"}, "https://tool.dev"),
        ({"astro.config.mjs": "export default defineConfig({ site: 'https://a.dev' })"}, "https://a.dev"),
        ({"hugo.toml": 'baseURL = "https://h.dev/docs/"'}, "https://h.dev"),
        ({"hugo.toml": 'baseURL = "https://example.org/"'}, ""),  # of the template
        ({"mkdocs.yml": "site_url: https://user:pw@tool.dev/\n"}, ""),
        ({"mkdocs.yml": "site_url: 'https://[broken'\n"}, ""),
        ({"mkdocs.yml": "site_name: none\n"}, ""),
    ],
)
def test_the_published_address_is_read(tmp_path: Path, files: dict[str, str], origin: str) -> None:
    assert facts_of(tmp_path, files).origin == origin


@pytest.mark.parametrize(
    ("files", "base"),
    [
        ({"mkdocs.yml": "site_url: https://ann.github.io/boats/\n"}, "/boats"),
        ({"hugo.toml": 'baseURL = "https://h.dev/docs/"'}, "/docs"),
        ({"hugo.toml": 'baseURL = "https://h.dev/"'}, ""),
        ({"hugo.toml": 'baseURL = "https://example.org/docs/"'}, ""),  # of the template
        ({"mkdocs.yml": "site_url: 'https://[broken/docs'\n"}, ""),
        ({"astro.config.mjs": "export default defineConfig({ site: 'https://a.dev/docs/' })"}, ""),  # it has `base`
    ],
)
def test_the_base_path_is_that_of_the_published_address(tmp_path: Path, files: dict[str, str], base: str) -> None:
    """A project site of GitHub Pages lies below the name of its repository."""
    assert facts_of(tmp_path, files).base == base


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({"book.toml": ""}, "mdbook build"),
        ({"docs/conf.py": "", "docs/Makefile": "BUILDDIR = _build\n"}, "(cd docs && make html)"),
        ({"docs/source/conf.py": "", "docs/Makefile": "BUILDDIR = build\n"}, "(cd docs && make html)"),
        ({"docs/conf.py": ""}, "sphinx-build -b html docs docs/_build/html"),
        (
            {"hugo.toml": "", "package.json": '{"scripts": {"dev": "hugo server", "site": "hugo -d out"}}'},
            "npm run site",
        ),
        ({"config/_default/hugo.yaml": ""}, "hugo"),
        (  # `build` makes the library, not its documentation
            {"docs/.vitepress/config.ts": "", "package.json": '{"scripts": {"build": "tsc", "docs": "vitepress dev"}}'},
            "npx vitepress build docs",
        ),
        (
            {"docs/.vitepress/config.mts": "", "package.json": '{"scripts": {"docs:build": "vitepress build docs"}}'},
            "npm run docs:build",
        ),
        (
            {"astro.config.mjs": "", "package.json": '{"scripts": {"build": "astro build"}}', "pnpm-lock.yaml": ""},
            "pnpm run build",
        ),
        ({"docs/.vitepress/config.mts": "", "package.json": "{}"}, "npx vitepress build docs"),
        (
            {"website/docusaurus.config.js": "", "website/package.json": '{"scripts": {"build": "docusaurus build"}}'},
            "(cd website && npm run build)",
        ),
        ({"docusaurus.config.js": "", "package.json": '{"scripts": [1]}'}, "npx docusaurus build"),
        ({"README.md": ""}, ""),
    ],
)
def test_the_build_command_is_the_projects_own(tmp_path: Path, files: dict[str, str], command: str) -> None:
    assert facts_of(tmp_path, files).command.shell == command


def test_the_languages_of_a_built_site_are_those_of_its_pages(tmp_path: Path) -> None:
    pages = {"build/index.html": '<html lang="en-US">', "build/ja/index.html": "<html class=x lang=ja>"}
    config = {"docusaurus.config.js": "module.exports = { i18n: { locales: ['en', 'de'] } };"}
    assert facts_of(tmp_path, config | pages).languages == {"en-us", "ja"}


def test_the_languages_of_a_site_that_is_not_built_are_those_of_its_configuration(tmp_path: Path) -> None:
    config = {"docusaurus.config.js": "module.exports = { i18n: { locales: ['en', 'de'] } };"}
    assert facts_of(tmp_path, config).languages >= {"en", "de"}


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True)


def test_the_default_branch_is_the_remotes_else_main_else_the_current_one(tmp_path: Path) -> None:
    assert default_branch(tmp_path) == ""
    origin, clone = tmp_path / "origin", tmp_path / "clone"
    origin.mkdir()
    git(origin, "init", "-q", "-b", "trunk")
    git(origin, "commit", "-q", "--allow-empty", "-m", "first")
    assert default_branch(origin) == "trunk"
    git(tmp_path, "clone", "-q", str(origin), str(clone))
    git(clone, "switch", "-q", "-c", "main")
    assert default_branch(clone) == "trunk"
    git(clone, "remote", "remove", "origin")
    git(clone, "switch", "-q", "trunk")
    assert default_branch(clone) == "main"


def test_in_a_repository_each_branch_gets_its_index_and_visitors_the_default_branch() -> None:
    text = configuration(SiteFacts(), (), "docs", 'odd"branch')
    assert 'mode = "git"' in text
    assert 'scopes = ["odd\\"branch"]' in text
    text = configuration(SiteFacts(origin="https://lib.dev"), ("https://lib.dev",), "docs", "")
    assert 'mode = "fixed"' in text
    assert 'base_url = "https://lib.dev"' in text
    assert "\n[api]" not in text


def test_the_configuration_has_only_sections_that_are_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an extension, its section would be an unknown key of the next command."""
    monkeypatch.setattr("searchsocket.setup.plan.extensions", lambda: built_in()[:1])
    sections = tomllib.loads(configuration(SiteFacts(), (), "docs", "main")).keys()
    assert sections
    assert sections <= CoreSettings.model_fields.keys()
