"""One line that loads search on every page, in the configuration of frameworks that have a place for it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Edit = Callable[[str, str], str | None]  # (text of the configuration, address of the script) -> its new text
MARK = "searchsocket/search.js"


@dataclass(frozen=True, slots=True)
class Framework:
    """Folder for static files of a framework, and how to load a script on every page."""

    static: str  # folder, from that of the site's sources
    preview: tuple[int, ...]  # ports at which people look at the site
    edit: Edit | None = None
    edited: str = ""  # the file of the theme that it changes; "" = the configuration
    paste: str = '<script type="module" src="{src}"></script>'
    where: str = "the head of every page"


def _at_call(call: str, lines: Callable[[str], str], taken: str) -> Edit:
    """Put lines into the object that the only call of a function is given, unless it has such a key."""
    opening = re.compile(rf"\b{re.escape(call)}\s*\(\s*\{{")

    def edit(text: str, src: str) -> str | None:
        return _inserted(text, opening, lines(src), taken)

    return edit


def _inserted(text: str, opening: re.Pattern[str], lines: str, taken: str) -> str | None:
    found = [*opening.finditer(text)]
    if len(found) != 1 or re.search(taken, text):
        return None
    at = found[0].end()
    indent = re.match(r"\n([ \t]+)", text[at:])
    space = indent[1] if indent else "  "
    return text[:at] + "".join(f"\n{space}{line}" for line in lines.split("\n")) + text[at:]


def _docusaurus(text: str, src: str) -> str | None:
    opening = re.compile(
        r"^(?:const\s+config(?:\s*:\s*\w+)?\s*=|export\s+default|module\.exports\s*=)\s*\{", re.MULTILINE
    )
    return _inserted(text, opening, f"scripts: [{{ src: '{src}', type: 'module' }}],", r"\bscripts\s*:")


def _mkdocs(text: str, src: str) -> str | None:
    item = f"  - path: {MARK}\n    type: module\n"
    if not re.search(r"^extra_javascript\s*:", text, re.MULTILINE):
        return f"{text.rstrip()}\n\nextra_javascript:\n{item}"
    listed = re.search(r"^extra_javascript\s*:[ \t]*\n(?=( *)- )", text, re.MULTILINE)
    if listed is None:
        return None
    indent = listed[1]
    return text[: listed.end()] + f"{indent}- path: {MARK}\n{indent}  type: module\n" + text[listed.end() :]


def _mdbook(text: str, src: str) -> str | None:
    # `additional-js` loads classic scripts alone, and ours is a module.
    line = f'<script type="module" src="{{{{ path_to_root }}}}{MARK}"></script>\n'
    return f"{text.rstrip()}\n{line}".lstrip()


FRAMEWORKS: Mapping[str, Framework] = {
    "Starlight": Framework(
        "public",
        (4321,),
        # Without `pagefind: false` two searches would answer to the same keys.
        edit=_at_call(
            "starlight",
            lambda src: f"pagefind: false,\nhead: [{{ tag: 'script', attrs: {{ type: 'module', src: '{src}' }} }}],",
            r"\b(?:pagefind|head)\s*:",
        ),
    ),
    "Astro": Framework("public", (4321,), where="the head of your layout, with `is:inline`"),
    "VitePress": Framework(
        "public",
        (5173, 4173),
        edit=_at_call(
            "defineConfig", lambda src: f"head: [['script', {{ type: 'module', src: '{src}' }}]],", r"\bhead\s*:"
        ),
    ),
    "Docusaurus": Framework("static", (3000,), edit=_docusaurus),
    "MkDocs": Framework("", (8000,), edit=_mkdocs),
    "Hugo": Framework("static", (1313,), where="the head of your theme, e.g. layouts/partials/head.html"),
    "mdBook": Framework("", (3000,), edit=_mdbook, edited="head.hbs"),
    "Eleventy": Framework(
        "",
        (8080,),
        paste='eleventyConfig.addPassthroughCopy("searchsocket");\n<script type="module" src="{src}"></script>',
        where="eleventy.config.js, and the head of your layout",
    ),
}
