"""Search in the themes of generators: where its lines go in files that somebody else wrote."""

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from searchsocket.setup.changes import AnswerSource
from searchsocket.setup.frameworks import FRAMEWORKS, SCRIPT
from searchsocket.setup.site import SiteFacts

CONFIGS = {
    "Starlight": "astro.config.mjs", "VitePress": "docs/.vitepress/config.mjs", "Docusaurus": "docusaurus.config.js",
    "MkDocs": "mkdocs.yml", "mdBook": "book.toml",
}  # fmt: skip
SOURCES = {"VitePress": "docs", "MkDocs": "docs", "mdBook": "src"}
HEAD = f'<script type="module" src="{{{{ path_to_root }}}}{SCRIPT}"></script>\n'
SLOT = "'nav-bar-content-before': search,"
IMPORT = "import DefaultTheme from 'vitepress/theme'\n"
OVERRIDE = "Search: './src/searchsocket/Search.astro'"


def edited(framework: str, files: Mapping[str, str]) -> dict[str, str | None]:
    """The edited files after the edits; None for one that is not understood."""
    facts = SiteFacts(framework, config=CONFIGS[framework], source=SOURCES.get(framework, ""))
    edits = (
        FRAMEWORKS[framework]
        .integrate(files.get, facts, AnswerSource("endpoint", "https://s.example/api/search"))
        .edits
    )
    return {edit.path: edit.change(files.get(edit.path, "")) for edit in edits}


@pytest.mark.parametrize(
    ("framework", "before", "after"),
    [
        (
            "Starlight",
            "starlight({\n\t\t\ttitle: 'Docs',\n})",
            f"starlight({{\n\t\t\tpagefind: false,\n\t\t\tcomponents: {{ {OVERRIDE} }},\n\t\t\ttitle: 'Docs',\n}})",
        ),
        (
            "Starlight",
            "starlight({\n  components: {\n    Head: './H.astro',\n  },\n  pagefind: false,\n})",
            f"starlight({{\n  components: {{\n    {OVERRIDE},\n    Head: './H.astro',\n  }},\n  pagefind: false,\n}})",
        ),
        (
            "Docusaurus",
            "const config: Config = {\n  title: 'A',\n};",
            "const config: Config = {\n  themes: ['./searchsocket'],\n  title: 'A',\n};",
        ),
        (
            "Docusaurus",
            "module.exports = {\n  themes: ['@docusaurus/theme-mermaid'],\n};",
            "module.exports = {\n  themes: ['./searchsocket', '@docusaurus/theme-mermaid'],\n};",
        ),
        (
            "VitePress",
            "export default {\n  themeConfig: {\n    search: {\n      provider: 'local'\n    },\n    nav: [],\n  },\n}",
            "export default {\n  themeConfig: {\n    nav: [],\n  },\n}",
        ),
        ("VitePress", "export default {}", "export default {}"),
        ("MkDocs", "theme: material\n", "theme:\n  name: material\n  custom_dir: overrides\n"),
        (
            "MkDocs",
            "theme:\n  name: material\n  language: de\nplugins:\n  - search\n",
            "theme:\n  name: material\n  custom_dir: overrides\n  language: de\nplugins:\n  - search\n",
        ),
        ("MkDocs", "site_name: A\n", f"site_name: A\n\nextra_javascript:\n  - path: {SCRIPT}\n    type: module\n"),
        (
            "MkDocs",
            "extra_javascript:\n- a.js\nsite_name: A\n",
            f"extra_javascript:\n- path: {SCRIPT}\n  type: module\n- a.js\nsite_name: A\n",
        ),
        (
            "MkDocs",
            "theme: material\nplugins:\n  - tags\n",  # the header has no search, nor a place for it
            f"theme: material\nplugins:\n  - tags\n\nextra_javascript:\n  - path: {SCRIPT}\n    type: module\n",
        ),
        ("mdBook", "[book]\n", "[book]\n\n[output.html.search]\nenable = false\n"),
    ],
)
def test_a_configuration_gets_its_lines(framework: str, before: str, after: str) -> None:
    assert edited(framework, {CONFIGS[framework]: before})[CONFIGS[framework]] == after


@pytest.mark.parametrize(
    ("framework", "text"),
    [
        ("Starlight", "const components = {}; starlight({ components: components })"),
        ("Starlight", "starlight({\n  components: {\n    Search: './Mine.astro',\n  },\n})"),
        ("Starlight", "const options = {}; starlight(options)"),
        ("VitePress", "export default { themeConfig: { search: { provider: 'local', options: {} } } }"),
        ("Docusaurus", "module.exports = make();"),
        ("Docusaurus", "module.exports = {\n  themes: all,\n};"),
        ("MkDocs", "extra_javascript: [a.js]\n"),
        ("mdBook", "[output.html.search]\nlimit-results = 20\n"),
    ],
)
def test_a_configuration_that_is_not_understood_is_left(framework: str, text: str) -> None:
    assert edited(framework, {CONFIGS[framework]: text})[CONFIGS[framework]] is None


@pytest.mark.parametrize(
    ("name", "before", "expected"),
    [
        ("index.js", "", [f"Layout: () => h(DefaultTheme.Layout, null, {{ {SLOT} }}),", "import { h } from 'vue';"]),
        (
            "index.ts",
            f"{IMPORT}export default {{\n  extends: DefaultTheme,\n}} satisfies Theme\n",
            [
                f"  extends: DefaultTheme,\n  Layout: () => h(DefaultTheme.Layout, null, {{ {SLOT} }}),\n",
                "import { h }",
            ],
        ),
        (
            "index.ts",
            f"import {{ h }} from 'vue'\n{IMPORT}export default {{\n  extends: DefaultTheme,\n"
            "  Layout: () => {\n    return h(DefaultTheme.Layout, null, {\n      // slots\n    })\n  },\n}\n",
            [f"h(DefaultTheme.Layout, null, {{\n      {SLOT}\n      // slots\n"],
        ),
        ("index.js", "import Theme from 'other-theme'\nexport default Theme\n", None),
        ("index.js", "export default { extends: DefaultTheme, Layout: MyLayout }", None),
    ],
)
def test_a_theme_of_vitepress_shows_search_in_its_slot(name: str, before: str, expected: list[str] | None) -> None:
    path = f"docs/.vitepress/theme/{name}"
    text = edited("VitePress", {path: before} if before else {})[path]
    if expected is None:
        assert text is None
        return
    assert text is not None
    assert text.count("import { search } from '../searchsocket/search.js';") == 1
    assert text.count("import { h } from 'vue'") == 1
    assert [lines for lines in expected if lines not in text] == []


@pytest.mark.parametrize(("before", "after"), [("", HEAD), ("<b>\n", f"<b>\n{HEAD}")])
def test_the_head_of_a_book_loads_search(before: str, after: str) -> None:
    assert edited("mdBook", {"theme/head.hbs": before})["theme/head.hbs"] == after


@pytest.mark.parametrize(
    ("framework", "folder", "name"),
    [
        ("Docusaurus", "website", "website/searchsocket/theme/SearchBar.js"),
        ("Starlight", "website", "website/src/searchsocket/Search.astro"),
        ("MkDocs", "website", "website/theme/partials/search.html"),
    ],
)
def test_a_site_in_a_folder_of_its_repository_has_its_files_there(framework: str, folder: str, name: str) -> None:
    config = f"{folder}/{CONFIGS[framework]}"
    files = {config: "theme:\n  name: material\n  custom_dir: theme\n" if framework == "MkDocs" else ""}
    facts = replace(SiteFacts(framework, config=config), source=f"{folder}/docs" if framework == "MkDocs" else folder)
    search = FRAMEWORKS[framework].integrate(files.get, facts, AnswerSource("endpoint", "https://s.example/api/search"))
    assert 'endpoint="https://s.example/api/search"' in search.files[name]
    assert search.component.startswith(f"{folder}/")


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_static_site_reads_its_export(framework: str) -> None:
    """Beside the script without an address, so that a preview below another path works; a bundle needs the folder."""
    facts = SiteFacts(framework, config=CONFIGS.get(framework, "config"), source=SOURCES.get(framework, ""))
    files = {facts.config: "theme:\n  name: material\n"} if framework == "MkDocs" else {}
    search = FRAMEWORKS[framework].integrate(
        files.get, facts, AnswerSource("static", "/docs/searchsocket/", is_service=False)
    )
    text = "".join(search.files.values())
    assert ("/docs/searchsocket/" in text) == (framework in ("Docusaurus", "Starlight", "VitePress"))
    assert "static" in text
    assert "endpoint" not in text


@pytest.mark.parametrize("name", ["endpoint", "static"])
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_address_of_answers_is_an_attribute_only_if_it_is_given(framework: str, name: str) -> None:
    facts = SiteFacts(framework, config=CONFIGS.get(framework, "config"), source=SOURCES.get(framework, ""))
    files = {facts.config: "theme:\n  name: material\n"} if framework == "MkDocs" else {}
    sources = [
        AnswerSource(name, "/x/", answers, is_service=name == "endpoint")
        for answers in ("", "https://s.example/api/answer")
    ]
    texts = ["".join(FRAMEWORKS[framework].integrate(files.get, facts, source).files.values()) for source in sources]
    assert "answers" not in texts[0]
    given = r"""(?:\banswers(?:="|: '|', '))https://s\.example/api/answer['"]"""
    assert len(re.findall(given, texts[1])) == 1
    assert texts[1].count(name) == texts[0].count(name)


IMPORTS = f"import {{ search }} from '../searchsocket/search.js';\nimport {{ h }} from 'vue';\n{IMPORT}"


@pytest.mark.parametrize(
    "layout", ["Layout", "Layout() {\n    return h(Own)\n  }", "Layout: () => h(Own)", "...own", "[name]: Own"]
)
def test_a_theme_with_its_own_layout_gets_no_second_one(layout: str) -> None:
    """The last one of two wins in JavaScript: either search or the owner's layout would not be shown."""
    own = f"{IMPORT}export default {{\n  extends: DefaultTheme,\n  {layout},\n}};\n"
    path, config = "docs/.vitepress/theme/index.js", "docs/.vitepress/config.mjs"
    assert edited("VitePress", {path: own})[path] is None
    earlier = own.replace(IMPORT, IMPORTS).replace(
        "DefaultTheme,\n", f"DefaultTheme,\n  Layout: () => h(DefaultTheme.Layout, null, {{ {SLOT} }}),\n"
    )
    facts = SiteFacts("VitePress", config=config, source="docs")
    source = AnswerSource("endpoint", "https://s.example/api/search")
    (edit, _) = FRAMEWORKS["VitePress"].integrate({path: earlier}.get, facts, source).edits
    corrected = edit.correct(earlier)
    assert "DefaultTheme.Layout" not in corrected
    assert f"  {layout},\n" in corrected
    assert edit.correct(own) == own
