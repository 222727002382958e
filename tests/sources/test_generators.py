"""The folder that a generator writes to is found by its own configuration (spec 8.2)."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchsocket.errors import ConfigMissing
from searchsocket.project.settings.model import Settings
from searchsocket.sources import make_source
from searchsocket.sources.build_folder import configured_name, find_build
from searchsocket.sources.generators import GENERATORS, used_generators

VITEPRESS = 'import { defineConfig } from "vitepress"\nexport default defineConfig({ title: "Guide"%s })\n'

# What is in the project, and then: the folder that holds its build, and the generator.
PROJECTS = [
    ({".vitepress/config.mts": VITEPRESS % ""}, ".vitepress/dist", "VitePress"),
    ({"docs/.vitepress/config.ts": VITEPRESS % ""}, "docs/.vitepress/dist", "VitePress"),
    ({"docs/.vitepress/config.js": VITEPRESS % ', outDir: "../public"'}, "public", "VitePress"),
    ({"docs/.vuepress/config.js": "export default {}"}, "docs/.vuepress/dist", "VuePress"),
    ({"astro.config.mjs": "export default defineConfig({ integrations: [starlight({})] })"}, "dist", "Astro"),
    ({"astro.config.mjs": "export default defineConfig({ outDir: './web/out' })"}, "web/out", "Astro"),
    ({"docusaurus.config.ts": "const config: Config = {title: 'x'}; export default config;"}, "build", "Docusaurus"),
    ({"website/docusaurus.config.js": "module.exports = {}"}, "website/build", "Docusaurus"),
    ({"next.config.mjs": "export default { output: 'export' }"}, "out", "Next.js"),
    ({"next.config.js": "module.exports = { output: 'export', distDir: 'web' }"}, "web", "Next.js"),
    ({"nuxt.config.ts": "export default defineNuxtConfig({})"}, ".output/public", "Nuxt"),
    ({"gatsby-config.js": "module.exports = {}"}, "public", "Gatsby"),
    ({".eleventy.js": "module.exports = function (e) { return { dir: { input: 'src' } } }"}, "_site", "Eleventy"),
    ({"eleventy.config.js": "export default function (e) { return { dir: { output: 'www' } } }"}, "www", "Eleventy"),
    ({"mkdocs.yml": "site_name: x\nplugins:\n  - search\nx: !!python/name:y.z\n"}, "site", "MkDocs"),
    ({"mkdocs.yml": "site_name: x\nsite_dir: 'public/docs'  # here\n"}, "public/docs", "MkDocs"),
    ({"docs/conf.py": "project = 'x'"}, "docs/_build/html", "Sphinx"),
    ({"docs/source/conf.py": "project = 'x'"}, "docs/build/html", "Sphinx"),
    ({"book.toml": '[book]\ntitle = "x"\n'}, "book", "mdBook"),
    ({"book.toml": '[build]\nbuild-dir = "html"\n'}, "html", "mdBook"),
    ({"hugo.toml": 'baseURL = "https://example.com"\n'}, "public", "Hugo"),
    ({"config.toml": 'baseURL = "https://example.com"\npublishDir = "web"\n'}, "web", "Hugo"),
    ({"config.toml": 'base_url = "https://example.com"\n'}, "public", "Zola"),
    ({"_config.yml": "title: x\n"}, "_site", "Jekyll"),
    ({"_config.yml": "title: x\ndestination: ./html\n"}, "html", "Jekyll"),
    ({"_config.yml": "title: x\npublic_dir: out\n"}, "out", "Hexo"),
    ({"_quarto.yml": "project:\n  type: website\n  output-dir: docs/web\n"}, "docs/web", "Quarto"),
    ({"rspress.config.ts": "export default defineConfig({ root: 'docs' })"}, "doc_build", "Rspress"),
    ({"zensical.toml": '[project]\nsite_dir = "html"\n'}, "html", "Zensical"),
    ({"docs/_toc.yml": "format: jb-book\n"}, "docs/_build/html", "Jupyter Book"),
    ({"pelicanconf.py": "SITENAME = 'x'"}, "output", "Pelican"),
    ({"docs/antora-playbook.yml": "site:\n  title: x\n"}, "build/site", "Antora"),
    ({"svelte.config.js": "export default { kit: { adapter: adapter() } }"}, "build", "SvelteKit"),
    ({"svelte.config.js": "export default { kit: { adapter: adapter({ pages: 'www' }) } }"}, "www", "SvelteKit"),
    ({"svelte.config.js": "export default {}"}, ".svelte-kit/output/prerendered/pages", "SvelteKit"),
    ({"svelte.config.js": "export default {}"}, "build/prerendered", "SvelteKit"),
    ({"package.json": "{}"}, "dist", ""),
]


def put(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(("files", "folder", "generator"), PROJECTS, ids=[f"{p[2]}-{p[1]}" for p in PROJECTS])
def test_the_build_of_each_generator_is_found(
    tmp_path: Path, files: dict[str, str], folder: str, generator: str
) -> None:
    """Nobody should have to say where the tool at hand builds to; sources beside it are not taken for it."""
    put(tmp_path, {**files, f"{folder}/guide/index.html": "<h1>Guide</h1>", "docs/guide.md": "# Guide"})
    build = find_build(tmp_path)
    assert (build.folder, build.generator, build.notes) == (folder, generator, ())
    source = make_source(tmp_path, Settings())
    assert (source.origin.mode, source.origin.folder, source.origin.generator) == ("static-output", folder, generator)
    assert [page.url for page in source.pages()] == ["/guide"]
    assert source.report.warnings == []


def test_every_generator_has_a_project_here() -> None:
    """A row of the table that nothing tries is a guess."""
    tried = {generator for _, _, generator in PROJECTS}
    assert {entry.name for entry in GENERATORS} <= tried


def test_sources_are_never_indexed_without_a_word(tmp_path: Path) -> None:
    """A project whose build is missing would be searched by raw Markdown, containers and all."""
    put(tmp_path, {"docs/.vitepress/config.ts": VITEPRESS % "", "docs/guide.md": "# Guide"})
    source = make_source(tmp_path, Settings())
    assert len(list(source.pages())) == 1
    [warning] = source.report.warnings
    assert "docs/.vitepress/config.ts sets VitePress, but docs/.vitepress/dist/ contains no HTML" in warning
    assert 'source.mode = "content-files"' in warning
    list(source.pages())
    assert source.report.warnings == [warning]  # in every run
    intended = make_source(tmp_path, Settings(), "content-files")
    assert len(list(intended.pages())) == 1
    assert intended.report.warnings == []
    assert intended.origin.folder == "."


def test_nothing_to_index_names_the_generator(tmp_path: Path) -> None:
    """The message says which folder the project's own tool was expected to write."""
    put(tmp_path, {"astro.config.mjs": "export default {}"})
    with pytest.raises(
        ConfigMissing,
        match=r"astro\.config\.mjs sets Astro, but dist/ contains no HTML; build "
        r"the site",
    ):
        make_source(tmp_path, Settings())


def test_two_builds_are_named(tmp_path: Path) -> None:
    """The right one of two sites cannot be guessed."""
    put(tmp_path, {"dist/index.html": "x", "public/index.html": "y"})
    [note] = find_build(tmp_path).notes
    assert note == "dist/ is indexed; public/ also contains HTML; set source.static_output_dir to the right folder"
    put(tmp_path, {"svelte.config.js": "export default {}", "build/index.html": "x", "mkdocs.yml": "site_name: x\n"})
    assert find_build(tmp_path).notes == ()  # the copies and leftovers of one tool are not two sites
    put(tmp_path, {"site/index.html": "z"})
    [note] = find_build(tmp_path).notes
    assert note.startswith("build/ is indexed; site/ also contains HTML")


def test_a_folder_that_is_computed_is_named(tmp_path: Path) -> None:
    """The configuration is a program, and is not run."""
    put(tmp_path, {"astro.config.mjs": "export default { outDir: process.env.OUT }", "dist/index.html": "x"})
    [note] = find_build(tmp_path).notes
    assert "astro.config.mjs: outDir is computed, so searchsocket uses dist/" in note


@pytest.mark.parametrize("folder", ["/etc", "../other", ".", "..\\x", "a/../../b"])
def test_a_configuration_never_leads_out_of_the_project(tmp_path: Path, folder: str) -> None:
    """A branch's own files must not make the indexer read another folder."""
    put(tmp_path, {"_config.yml": f"destination: {folder}\n", "hugo.json": '{"publishDir": "' + "/srv" + '"}'})
    folders = [name for used in used_generators(lambda name: _text(tmp_path / name)) for name in used.folders]
    assert folders == ["public", "_site"]


@given(st.text(), st.sampled_from(sorted({name for generator in GENERATORS for name in generator.configs})))
def test_no_configuration_stops_a_run(text: str, config: str) -> None:
    """Whatever stands in the file, it is only a hint."""
    for used in used_generators(lambda name: text if name == config else None):
        assert used.folders


def _text(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("docusaurus.config.ts", "const config: Config = {\n  title: 'Harbour',\n};\nexport default config;"),
        (
            "docs/.vitepress/config.mts",
            "export default defineConfig({ title: 'Harbour', nav: { title: 'x' } })",
        ),
        ("mkdocs.yml", "site_name: Harbour\nnav:\n  - title: x\n"),
        ("book.toml", '[book]\ntitle = "Harbour"\n'),
        ("hugo.yaml", "title: Harbour\n"),
        ("_config.yml", "title: Harbour # the name\n"),
        ("docs/conf.py", "project = 'Harbour'\n"),
        ("astro.config.mjs", "export default { integrations: [starlight({ logo: { src: 'a' }, title: 'Harbour' })] }"),
        ("antora-playbook.yml", "site:\n  title: Harbour\n"),
    ],
)
def test_the_name_of_a_site_is_read(tmp_path: Path, name: str, text: str) -> None:
    put(tmp_path, {name: text})
    assert configured_name(tmp_path) == "Harbour"


def test_a_site_without_a_configured_name_has_none(tmp_path: Path) -> None:
    put(tmp_path, {"eleventy.config.js": "", "docs/conf.py": "project = name()\n"})
    assert configured_name(tmp_path) == ""
