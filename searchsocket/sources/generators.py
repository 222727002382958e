"""Detect the site generator of a project and its output folder, from its configuration (spec 8.2).

Configurations are read and never executed; a setting that only execution could determine is reported.
"""

import json
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from posixpath import dirname, join, normpath

from searchsocket.web.routes.script import Script, Value, setting

ReadText = Callable[[str], str | None]  # the text of a project-relative file; None if it does not exist

_PLACES = ("", "docs", "doc", "website", "docs/source", "doc/source", "source")  # folders of configurations
_YAML_LINE = re.compile(r"(?P<indent> *)(?P<key>[\w-]+):(?P<value>.*)")
_SCRIPTS = ("js", "mjs", "ts", "mts", "cjs", "cts")
_DATA = ("toml", "yaml", "yml", "json")
_ADAPTER = re.compile(r"""\bimport\s+(\w+)\s+from\s*['"](@sveltejs/adapter-[\w-]+)['"]""")


@dataclass(frozen=True, slots=True)
class Generator:
    """A tool that makes sites."""

    name: str
    configs: tuple[str, ...]  # any of these files shows that it is used
    folders: tuple[str, ...]  # output folders, relative to the configuration; the default first
    key: str = ""  # dotted setting of the output folder; "" if there is none
    options: tuple[str, ...] = ()  # of its command, with the output folder as their value
    mark: str = ""  # text that the configuration contains, if another generator uses the same file name
    in_project: bool = False  # folders are relative to the project, not to the configuration


@dataclass(frozen=True, slots=True)
class UsedGenerator:
    """A generator that a project is configured for."""

    name: str
    config: str  # project-relative
    folders: tuple[str, ...]  # project-relative, likeliest first
    computed: str = ""  # the setting whose value is computed; "" if none


def _scripts(*stems: str) -> tuple[str, ...]:
    return tuple(f"{stem}.{ending}" for stem in stems for ending in _SCRIPTS)


# If several match, the first one that wrote HTML is used.
GENERATORS = (
    Generator(
        "VitePress",
        _scripts(".vitepress/config", ".vitepress/config/index"),
        (".vitepress/dist",),
        "outDir",
        ("--outDir",),
    ),
    Generator("VuePress", _scripts(".vuepress/config"), (".vuepress/dist",), "dest", ("--dest", "-d")),
    Generator("Astro", _scripts("astro.config"), ("dist",), "outDir", ("--outDir",)),
    Generator("Docusaurus", _scripts("docusaurus.config"), ("build",), options=("--out-dir",)),
    Generator("Next.js", _scripts("next.config"), ("out",), "distDir"),
    Generator("Nuxt", _scripts("nuxt.config"), (".output/public", "dist")),
    Generator("Gatsby", _scripts("gatsby-config"), ("public",)),
    Generator("Rspress", _scripts("rspress.config"), ("doc_build",), "outDir"),
    Generator(
        "Eleventy",
        (".eleventy.js", ".eleventy.cjs", ".eleventy.mjs", *_scripts("eleventy.config")),
        ("_site",),
        "dir.output",
        ("--output",),
    ),
    Generator("Zensical", ("zensical.toml",), ("site",), "project.site_dir"),
    Generator("MkDocs", ("mkdocs.yml", "mkdocs.yaml"), ("site",), "site_dir"),
    Generator("Sphinx", ("conf.py",), ("_build/html", "_build/dirhtml", "build/html", "../build/html")),
    Generator("Jupyter Book", ("_toc.yml",), ("_build/html",)),
    Generator("mdBook", ("book.toml",), ("book", "book/html"), "build.build-dir"),
    Generator(
        "Hugo",
        tuple(f"{folder}hugo.{ending}" for folder in ("", "config/_default/") for ending in _DATA),
        ("public",),
        "publishDir",
        ("--destination", "-d"),
    ),
    Generator(
        "Hugo",
        tuple(f"{folder}config.{ending}" for folder in ("", "config/_default/") for ending in _DATA),
        ("public",),
        "publishDir",
        ("--destination", "-d"),
        mark="baseURL",
    ),
    Generator("Zola", ("zola.toml",), ("public",), "output_dir"),
    Generator("Zola", ("config.toml",), ("public",), "output_dir", mark="base_url"),
    Generator("Hexo", ("_config.yml",), ("public",), "public_dir", mark="public_dir"),
    Generator("Jekyll", ("_config.yml", "_config.yaml"), ("_site",), "destination"),
    Generator("Quarto", ("_quarto.yml", "_quarto.yaml"), ("_site", "_book"), "project.output-dir"),
    Generator("Pelican", ("pelicanconf.py",), ("output",)),
    Generator("Antora", ("antora-playbook.yml",), ("build/site",), in_project=True),
)


def used_generators(read: ReadText) -> list[UsedGenerator]:
    """The generators that a project is configured for, those of its own folder first; SvelteKit before all others."""
    detected = [*_svelte_kit(read)]
    for folder in _PLACES:
        for generator in GENERATORS:
            for config in (join(folder, name) for name in generator.configs):
                text = read(config)
                if text is not None and generator.mark in text:
                    detected.append(_make_used(read, generator, folder, config, text))
                    break
    by_config: dict[str, UsedGenerator] = {}
    for used in detected:
        by_config.setdefault(used.config, used)  # a file configures only one generator
    return list(by_config.values())


def _make_used(read: ReadText, generator: Generator, folder: str, config: str, text: str) -> UsedGenerator:
    output = stated_value(text, config, generator.key) if generator.key else ""
    base = "" if generator.in_project else folder
    own = _inside(base, output) if output else ""
    if option := _folder_in_scripts(read, generator, folder):
        own, output = option, option
    usual = [path for name in generator.folders if (path := _inside(base, name))]
    if generator.name == "Sphinx":
        usual = [*_makefile_folders(read, folder), *usual]
    elif generator.name == "mdBook" and re.search(r"^\[output\.(?!html\b)", text, re.MULTILINE):
        # With a second renderer, each writes to a folder of its own.
        usual = [_inside(base, join(output or "book", "html")), *usual]
        own = ""
    elif generator.name == "Astro" and Script(text).names("@astrojs/node"):
        usual = [_inside(base, join(output or "dist", "client")), *usual]
        own = ""
    folders = dict.fromkeys([*([own] if own else []), *usual])
    return UsedGenerator(generator.name, config, tuple(folders), generator.key if output is None else "")


def _folder_in_scripts(read: ReadText, generator: Generator, folder: str) -> str:
    """Return the output folder that an option in a script of `package.json` names, project-relative; "" if none does.

    The script runs in the folder of its `package.json`: that of the configuration, or the project.
    """
    if not generator.options:
        return ""
    home = folder if read(join(folder, "package.json")) is not None else ""
    words_of_name = {"Docusaurus": "docusaurus build"}.get(generator.name, generator.name.lower())
    for command in package_scripts(read, home).values():
        if words_of_name not in command:
            continue
        try:
            words = shlex.split(command.partition(words_of_name)[2])
        except ValueError:
            continue
        for i, word in enumerate(words):
            name, has_value, value = word.partition("=")
            if name in generator.options and (has_value or i + 1 < len(words)):
                # The option of VitePress and VuePress is relative to the working folder too.
                return _inside(home, value if has_value else words[i + 1])
    return ""


def package_scripts(read: ReadText, folder: str) -> dict[str, str]:
    """Return the scripts of the `package.json` in a folder; {} without one."""
    try:
        scripts = json.loads(read(join(folder, "package.json")) or "{}").get("scripts", {})
        return {name: text for name, text in scripts.items() if isinstance(text, str)}
    except (ValueError, AttributeError, RecursionError):
        return {}


def _makefile_folders(read: ReadText, folder: str) -> list[str]:
    """Return the output folder of Sphinx's own Makefile, which is beside the configuration or above it."""
    for home in dict.fromkeys((folder, dirname(folder))):
        match = re.search(r"^BUILDDIR\s*[:?]?=[ \t]*([\w./-]+)", read(join(home, "Makefile")) or "", re.MULTILINE)
        if match:
            return [path for name in ("html", "dirhtml") if (path := _inside(home, join(match[1], name)))]
    return []


def _svelte_kit(read: ReadText) -> Iterator[UsedGenerator]:
    """Detect SvelteKit. Pages that its adapter leaves out are still in the folder that the framework prerenders to."""
    for config in _scripts("svelte.config", "vite.config"):
        text = read(config)
        if text is None or not (config.startswith("svelte") or Script(text).names("@sveltejs/kit/vite")):
            continue
        adapter, options = kit_adapter(text)
        key = {"static": "pages", "node": "out"}.get(adapter.removeprefix("@sveltejs/adapter-"), "")
        if not adapter:
            options = Script(text).argument("adapter")
        output = setting(options, key or "pages", default="build") if key or options else "build"
        own = (_inside("", output) if isinstance(output, str) else "") or "build"
        folders = [own] if key == "pages" else [f"{own}/prerendered", own]
        kept = ".svelte-kit/output/prerendered/pages"
        yield UsedGenerator("SvelteKit", config, (*folders, kept), key if output is None else "")
        return


def kit_adapter(text: str) -> tuple[str, Value]:
    """Return the package of SvelteKit's adapter in a configuration, and its options; "" and None if it is unclear."""
    adapters = set(_ADAPTER.findall(text))
    if len(adapters) != 1:
        return "", None
    name, package = adapters.pop()
    return package, Script(text).argument(name)


# Key of the site's name, by generator.
_NAMES = {
    "VitePress": "title", "VuePress": "title", "Docusaurus": "title", "Rspress": "title", "MkDocs": "site_name",
    "Zensical": "project.site_name", "mdBook": "book.title", "Hugo": "title", "Zola": "title", "Jekyll": "title",
    "Hexo": "title", "Antora": "site.title", "Quarto": "website.title",
}  # fmt: skip
_SPHINX_NAME = re.compile(r"""^project\s*=\s*(['"])(.+?)\1""", re.MULTILINE)
_STARLIGHT_NAME = re.compile(r"""\bstarlight\s*\(\s*\{(?:[^{}]|\{[^{}]*\})*?\btitle\s*:\s*(['"])(.+?)\1""")


def site_name(read: ReadText, used: UsedGenerator) -> str:
    """Return the name of the site in a generator's configuration; "" if it states none."""
    text = read(used.config) or ""
    if pattern := {"Sphinx": _SPHINX_NAME, "Astro": _STARLIGHT_NAME}.get(used.name):
        match = pattern.search(text)
        return match[2] if match else ""
    key = _NAMES.get(used.name, "")
    return (stated_value(text, used.config, key) or "").strip() if key else ""


def stated_value(text: str, config: str, key: str) -> str | None:
    """The text under a dotted key of a configuration: "" if there is none, None if it is computed."""
    keys = key.split(".")
    if config.endswith(_SCRIPTS):
        return _in_script(text, keys)
    if config.endswith((".yml", ".yaml")):
        return _in_yaml(text, keys)
    try:
        value: object = json.loads(text) if config.endswith(".json") else tomllib.loads(text)
    except (ValueError, RecursionError):
        return None
    for name in keys:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def _in_script(text: str, keys: list[str]) -> str | None:
    script = Script(text)
    exported = script.default_export()
    value: Value = setting(exported, *keys, default="") if isinstance(exported, dict) else None
    if value is None and not script.sets(keys[-1]):
        return ""  # it may compute values, but does not set the key
    if value is None:
        # A function that returns an object, or a wrapped config: use the only literal under this key.
        literals = set(re.findall(rf"\b{re.escape(keys[-1])}\s*:\s*(['\"])([^'\"\n$]*)\1", text))
        return next(iter(literals))[1] if len(literals) == 1 else None
    return value if isinstance(value, str) else None


def _in_yaml(text: str, keys: list[str]) -> str:
    """A plain value at the top or one level below; these files contain tags that safe YAML readers reject."""
    above = ""
    for line in text.splitlines():
        match = _YAML_LINE.match(line)
        if match is None:
            continue
        above = above if match["indent"] else match["key"]
        path = [above, match["key"]] if match["indent"] else [match["key"]]
        if path == keys:
            return match["value"].partition(" #")[0].strip().strip("'\"")
    return ""


def _inside(base: str, folder: str) -> str:
    """A project-relative folder; "" if it points out of the project or is the project itself."""
    if folder.startswith("/") or "\\" in folder:
        return ""
    path = normpath(join(base, folder))
    return "" if path == "." or path.split("/")[0] == ".." else path
