"""Integrate search into each framework: in its theme if possible, otherwise with a script on every page.

The themes are Docusaurus, Starlight, VitePress, Material for MkDocs and mdBook. Each integration follows the theme's
own documentation for other search engines.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from posixpath import dirname, join, normpath
from textwrap import indent

from searchsocket.setup.build import ReadText
from searchsocket.setup.changes import (
    AT_CORNER,
    WRITTEN,
    AnswerSource,
    Edit,
    Integrate,
    Integration,
    colours,
    insert_lines,
    template,
)
from searchsocket.setup.site import SiteFacts
from searchsocket.sources.generators import stated_value
from searchsocket.web.routes.script import OPEN, Script

SCRIPT = "searchsocket/search.js"
_LINE = '<script type="module" src="SRC"></script>\n'
_NUXT = "{ type: 'module', src: 'SRC' },\n"


@dataclass(frozen=True, slots=True)
class Framework:
    """Integration of a framework."""

    preview: tuple[int, ...]  # ports of its preview servers
    integrate: Integrate
    has_theme: bool = True  # False if the owner's templates, which differ, need a line by hand


def on_every_page(
    static: str = "",
    *,
    where: str,
    paste: str = "",
    line: str = _LINE,
    change: Callable[[str], str | None] | None = None,
) -> Integrate:
    """Return an integration with a button in the corner, from a script in a folder of static files.

    Args:
        static: The folder, relative to that of the site's sources.
        where: The file that the owner has to change, in words; "": the configuration.
        paste: Lines to add there, before the line that loads the script.
        line: The line that loads the script; `SRC` is replaced by the script's URL.
        change: Adds that line to the text of the configuration; None if the text is unclear.
    """

    def integrate(read: ReadText, facts: SiteFacts, answer_source: AnswerSource) -> Integration:
        folder = join(facts.source, static, "searchsocket").removeprefix("./")
        lines = paste + line.replace("SRC", f"{facts.base}/{SCRIPT}")
        why = "" if change else "searchsocket does not edit templates"
        edit = Edit(where or facts.config, change or (lambda _: None), lines, why, mark=SCRIPT)
        return Integration(folder, {join(folder, "search.js"): _script(answer_source)}, (edit,))

    return integrate


def _script(answer_source: AnswerSource) -> str:
    source = answer_source.beside_script
    return template("search.js", script=indent(source.script, "  "), place=AT_CORNER)


def with_extra_javascript(text: str) -> str | None:
    """Add the script to the configuration of MkDocs; return None if the list of scripts cannot be parsed."""
    item = f"  - path: {SCRIPT}\n    type: module\n"
    if not re.search(r"^extra_javascript\s*:", text, re.MULTILINE):
        return f"{text.rstrip()}\n\nextra_javascript:\n{item}"
    match = re.search(r"^extra_javascript\s*:[ \t]*\n(?=( *)- )", text, re.MULTILINE)
    if match is None:
        return None
    indent, at = match[1], match.end()
    return text[:at] + f"{indent}- path: {SCRIPT}\n{indent}  type: module\n" + text[at:]


def _mkdocs(read: ReadText, facts: SiteFacts, answer_source: AnswerSource) -> Integration:
    in_corner = on_every_page(where="", change=with_extra_javascript)
    return (material if is_material(read, facts) else in_corner)(read, facts, answer_source)


def _style(declarations: str, comment: str = "") -> str:
    """Return the style sheet of the dialog, which reserves the space of its button until the script is loaded."""
    return template("dialog.css", declarations=declarations, comment=comment)


def docusaurus(read: ReadText, facts: SiteFacts, answer_source: AnswerSource) -> Integration:
    """Add a local theme with one component, `SearchBar`, which the navigation bar shows."""
    folder = join(dirname(facts.config), "searchsocket")
    style = colours(
        accent="var(--ifm-color-primary)", background="var(--ifm-background-surface-color)",
        text="var(--ifm-font-color-base)", font="var(--ifm-font-family-base)",
    )  # fmt: skip
    files = {
        "index.js": f"// Search in the navigation bar. {WRITTEN}\n"
        "module.exports = () => ({ name: 'searchsocket', getThemePath: () => './theme' });\n",
        "theme/SearchBar.js": template("docusaurus-search-bar.js", attribute=answer_source.html),
        "search.css": _style(style, f"/* {WRITTEN} */\n"),
    }
    config = r"^(?:const\s+config(?:\s*:\s*\w+)?\s*=|export\s+default|module\.exports\s*=)\s*\{"

    def with_theme(text: str) -> str | None:
        themes = re.compile(r"^([ \t]*themes\s*:\s*\[)", re.MULTILINE)
        if len(themes.findall(text)) == 1:
            return themes.sub(r"\1'./searchsocket', ", text)
        return insert_lines(text, config, "themes: ['./searchsocket'],", r"\bthemes\s*:")

    edits = [Edit(facts.config, with_theme, "themes: ['./searchsocket'],\n", mark="'./searchsocket'")]
    own = join(dirname(facts.config), "src/theme/SearchBar")
    endings = (".js", ".jsx", ".ts", ".tsx")
    names = (f"{stem}{ending}" for stem in (own, f"{own}/index") for ending in endings)
    if name := next((name for name in names if read(name) is not None), ""):  # it replaces that of every theme
        component = "import '@site/searchsocket/components.mjs';\nimport '@site/searchsocket/search.css';\n\n"
        component += f"<searchsocket-dialog {answer_source.html}></searchsocket-dialog>\n"
        why = "it replaces the search bar of every theme"
        edits.append(Edit(name, lambda _: None, component, why, mark="searchsocket-dialog"))
    # Babel, which reads `.js`, may turn its classes into functions, from which no browser makes an element.
    own_files = {join(folder, name): text for name, text in files.items()}
    return Integration(folder, own_files, tuple(edits), module="components.mjs")


def starlight(read: ReadText, facts: SiteFacts, answer_source: AnswerSource) -> Integration:
    """Override the component `Search`, and turn off Pagefind, which has the same keyboard shortcuts."""
    folder = join(dirname(facts.config), "src/searchsocket")
    style = colours(
        accent="var(--sl-color-text-accent)", background="var(--sl-color-bg)", raised="var(--sl-color-gray-6)",
        text="var(--sl-color-text)", muted="var(--sl-color-gray-2)", border="var(--sl-color-gray-5)",
        font="var(--__sl-font)",
    )  # fmt: skip
    component = template("starlight-search.astro", attribute=answer_source.html, style=_style(style))
    line = "Search: './src/searchsocket/Search.astro'"
    call = r"\bstarlight\s*\(\s*\{"

    def with_override(text: str) -> str | None:
        own = r"^[ \t]*components\s*:\s*\{"
        if len(re.findall(own, text, re.MULTILINE)) == 1 and not re.search(r"\bSearch\s*:", text):
            new_text = insert_lines(text, own, f"{line},")
        else:
            new_text = insert_lines(text, call, f"components: {{ {line} }},", r"\bcomponents\s*:")
        off = r"\bpagefind\s*:"
        return (
            new_text if new_text is None or re.search(off, text) else insert_lines(new_text, call, "pagefind: false,")
        )

    paste = f"components: {{ {line} }},\npagefind: false,\n"
    edit = Edit(facts.config, with_override, paste, mark="src/searchsocket/Search.astro")
    return Integration(folder, {join(folder, "Search.astro"): component}, (edit,))


def vitepress(read: ReadText, facts: SiteFacts, answer_source: AnswerSource) -> Integration:
    """Use the slot before the theme's own search, and turn that search off."""
    home = join(facts.source, ".vitepress").removeprefix("./")
    folder = join(home, "searchsocket")
    style = colours(
        accent="var(--vp-c-brand-1)", background="var(--vp-c-bg)", raised="var(--vp-c-bg-alt)",
        text="var(--vp-c-text-1)", muted="var(--vp-c-text-2)", border="var(--vp-c-divider)",
        font="var(--vp-font-family-base)",
    )  # fmt: skip
    margins = "@media (min-width: 768px) {\n  .VPNavBar searchsocket-dialog {\n    margin-inline: 24px auto;\n  }\n}\n"
    properties = ", ".join(f"{name}: '{value}'" for name, value in answer_source.attributes.items())
    script = template("vitepress-search.js", properties=properties)
    line = "import { search } from '../searchsocket/search.js';\n"
    slot = "'nav-bar-content-before': search,"
    layout = f"Layout: () => h(DefaultTheme.Layout, null, {{ {slot} }}),"
    needed = "import { h } from 'vue';\n"
    new = f"import DefaultTheme from 'vitepress/theme';\n{needed}{line}\n"
    new += f"export default {{\n  extends: DefaultTheme,\n  {layout}\n}};\n"

    def with_slot(text: str) -> str | None:
        if not text:
            return new
        theme = _DEFAULT_THEME.search(text)
        if theme is None:
            return None
        has_h = re.search(r"import\s*\{[^}]*\bh\b[^}]*\}\s*from\s*['\"]vue['\"]", text)
        parent = rf"\bh\(\s*{theme[1]}\.Layout\s*,\s*null\s*,\s*\{{"
        if re.search(parent, text):
            new_text = insert_lines(text, parent, slot, "nav-bar-content-before")
        elif has_layout(text):
            return None
        else:
            own = layout.replace("DefaultTheme", theme[1])
            new_text = insert_lines(text, rf"\bextends\s*:\s*{theme[1]}\s*,", own)
        return new_text and line + ("" if has_h else needed) + new_text

    def has_layout(text: str) -> bool:
        """Return True if the theme has a layout, or may have: as a value, a function, a short or a spread key."""
        exported = Script(text).default_export()
        return not isinstance(exported, dict) or "Layout" in exported or OPEN in exported

    def without_second_layout(text: str) -> str:
        """Remove the layout that searchsocket 0.1 added to themes with their own."""
        once = re.sub(rf"^[ \t]*{re.escape(layout)}\n", "", text, count=1, flags=re.MULTILINE)
        return (
            re.sub(rf"^{re.escape(line)}", "", once, flags=re.MULTILINE) if once != text and has_layout(once) else text
        )

    def without_search(text: str) -> str | None:
        simple = r"\n[ \t]*search\s*:\s*\{\s*provider\s*:\s*['\"](?:local|algolia)['\"]\s*,?\s*\},?"
        new_text = re.sub(simple, "", text)
        return None if re.search(r"\bprovider\s*:\s*['\"](?:local|algolia)['\"]", new_text) else new_text

    stem = join(home, "theme/index")
    name = next((f"{stem}{end}" for end in (".ts", ".mts", ".js", ".mjs") if read(f"{stem}{end}") is not None), "")
    by_hand = template("vitepress-layout.vue", line=line, slot=slot)
    why = "the theme has a layout of its own" if has_layout(read(name) or "export default {}") else ""
    edit = Edit(
        name or f"{stem}.js", with_slot, by_hand, why, mark="searchsocket/search.js", correct=without_second_layout
    )
    return Integration(
        folder,
        {
            join(folder, "search.js"): script,
            join(folder, "search.css"): _style(style, f"/* {WRITTEN} */\n") + margins,
        },
        (
            edit,
            Edit(facts.config, without_search, "// remove `search` from themeConfig: it has the same keys\n"),
        ),
    )


_DEFAULT_THEME = re.compile(r"""\bimport\s+(\w+)\s+from\s*['"]vitepress/theme(?:-without-fonts)?['"]""")


def material(read: ReadText, facts: SiteFacts, answer_source: AnswerSource) -> Integration:
    """Override the partial `search.html`, which the header includes."""
    config = read(facts.config) or ""
    custom = stated_value(config, facts.config, "theme.custom_dir") or ""
    templates = normpath(join(dirname(facts.config), custom or "overrides"))
    static = join(facts.source, "searchsocket")
    style = colours(
        accent="var(--md-typeset-a-color)", background="var(--md-default-bg-color)",
        raised="var(--md-code-bg-color)", text="var(--md-default-fg-color)", font="var(--md-text-font-family)",
        font_size="16px",
    )  # fmt: skip
    partial = template("material-search.html", style=_style(style), attribute=answer_source.beside_script.html)

    def with_templates(text: str) -> str | None:
        if custom:
            return text
        if re.search(r"^theme\s*:\s*material[ \t]*$", text, re.MULTILINE):
            lines = "theme:\n  name: material\n  custom_dir: overrides"
            return re.sub(r"^theme\s*:\s*material[ \t]*$", lines, text, flags=re.MULTILINE)
        return insert_lines(text, r"^[ \t]+name\s*:\s*['\"]?material['\"]?[ \t]*$", "custom_dir: overrides")

    edit = Edit(facts.config, with_templates, "theme:\n  name: material\n  custom_dir: overrides\n", mark="custom_dir")
    return Integration(static, {join(templates, "partials/search.html"): partial}, (edit,))


def is_material(read: ReadText, facts: SiteFacts) -> bool:
    """Return True if the site's header has the search of Material: the default unless `plugins` omit it."""
    text = read(facts.config) or ""
    names = {stated_value(text, facts.config, key) for key in ("theme", "theme.name")}
    plugins = re.search(r"^plugins\s*:[ \t]*(.*\n(?:[ \t#-].*\n|\n)*)", f"{text}\n", re.MULTILINE)
    # As an item of a list in one or several lines, or as a key.
    search = r"(?:^\s*-\s*|^\s+|[\[,]\s*)['\"]?(?:material/)?search\b"
    return "material" in names and (plugins is None or bool(re.search(search, plugins[1], re.MULTILINE)))


def mdbook(read: ReadText, facts: SiteFacts, answer_source: AnswerSource) -> Integration:
    """Add a button to the menu bar by the theme's `head.hbs`, and turn off mdBook's search, which has the same keys."""
    folder = join(facts.source, "searchsocket")
    source = answer_source.beside_script
    theme = stated_value(read(facts.config) or "", facts.config, "output.html.theme") or "theme"
    head = normpath(join(dirname(facts.config), theme, "head.hbs"))
    style = colours(background="var(--bg)", text="var(--fg)", raised="var(--theme-hover)", font_size="16px")
    script = template("mdbook-search.js", style=style, script=source.script)
    # `additional-js` loads only classic scripts, and this one is a module.
    line = '<script type="module" src="{{ path_to_root }}searchsocket/search.js"></script>\n'

    def with_script(text: str) -> str:
        return f"{text.rstrip()}\n{line}".lstrip()

    def without_search(text: str) -> str | None:
        if not re.search(r"^[ \t]*\[output\.html\.search\]", text, re.MULTILINE):
            return f"{text.rstrip()}\n\n[output.html.search]\nenable = false\n"
        return text if re.search(r"^[ \t]*enable\s*=\s*false", text, re.MULTILINE) else None

    off = Edit(facts.config, without_search, "[output.html.search]\nenable = false\n")
    return Integration(
        folder, {join(folder, "search.js"): script}, (Edit(head, with_script, line, mark="searchsocket/search.js"), off)
    )


FRAMEWORKS: Mapping[str, Framework] = {
    "Starlight": Framework((4321,), starlight),
    "Astro": Framework(
        (4321,), on_every_page("public", where="the head of your layout, with `is:inline`"), has_theme=False
    ),
    "VitePress": Framework((5173, 4173), vitepress),
    "Docusaurus": Framework((3000,), docusaurus),
    "MkDocs": Framework((8000,), _mkdocs),
    "Jekyll": Framework(
        (4000,),
        on_every_page(
            where="_config.yml, and the head of your layout",
            paste="exclude: [searchsocket.toml]\n",  # Jekyll publishes every other file of the folder
        ),
        has_theme=False,
    ),
    "Nuxt": Framework(
        (3000, 4173), on_every_page("public", where="app.head.script of nuxt.config.ts", line=_NUXT), has_theme=False
    ),
    "Antora": Framework(
        (5000, 8080),
        on_every_page(
            "supplemental-ui",
            where="antora-playbook.yml, and supplemental-ui/partials/head-scripts.hbs",
            paste="ui:\n  supplemental_files: ./supplemental-ui\n",
            line=f'<script type="module" src="{{{{{{uiRootPath}}}}}}/{SCRIPT}"></script>\n',
        ),
        has_theme=False,
    ),
    "Hugo": Framework(
        (1313,),
        on_every_page("static", where="the head of your theme, e.g. layouts/partials/head.html"),
        has_theme=False,
    ),
    "mdBook": Framework((3000,), mdbook),
    "Eleventy": Framework(
        (8080,),
        on_every_page(
            where="eleventy.config.js, and the head of your layout",
            paste='eleventyConfig.addPassthroughCopy("searchsocket");\n',
        ),
        has_theme=False,
    ),
}
