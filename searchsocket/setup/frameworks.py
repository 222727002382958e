"""Integrate search into each framework: in its theme if possible, otherwise with a script on every page."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from posixpath import join
from textwrap import indent

from searchsocket.setup.build import ReadText
from searchsocket.setup.changes import AT_CORNER, AnswerSource, Edit, Integrate, Integration, template
from searchsocket.setup.site import SiteFacts
from searchsocket.setup.themes import docusaurus, is_material, material, mdbook, starlight, vitepress

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
