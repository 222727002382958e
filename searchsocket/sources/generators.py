"""Detect the site generator of a project and its output folder, from its configuration (spec 8.2).

Configurations are read and never executed; a setting that only execution could determine is reported.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from posixpath import join, normpath

from searchsocket.web.routes.script import Script, Value, setting

ReadText = Callable[[str], str | None]  # the text of a project-relative file; None if it does not exist

_PLACES = ("", "docs", "doc", "website", "docs/source", "doc/source", "source")  # folders of configurations
_YAML_LINE = re.compile(r"(?P<indent> *)(?P<key>[\w-]+):(?P<value>.*)")
_SCRIPTS = ("js", "mjs", "ts", "mts", "cjs", "cts")


@dataclass(frozen=True, slots=True)
class Generator:
    """A tool that makes sites."""

    name: str
    configs: tuple[str, ...]  # any of these files shows that it is used
    folders: tuple[str, ...]  # output folders, relative to the configuration; the default first
    key: str = ""  # dotted setting of the output folder; "" if there is none
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
    Generator("VitePress", _scripts(".vitepress/config", ".vitepress/config/index"), (".vitepress/dist",), "outDir"),
    Generator("VuePress", _scripts(".vuepress/config"), (".vuepress/dist",), "dest"),
    Generator("Astro", _scripts("astro.config"), ("dist",), "outDir"),
    Generator("Docusaurus", _scripts("docusaurus.config"), ("build",)),
    Generator("Next.js", _scripts("next.config"), ("out",), "distDir"),
    Generator("Nuxt", _scripts("nuxt.config"), (".output/public", "dist")),
    Generator("Gatsby", _scripts("gatsby-config"), ("public",)),
    Generator("Rspress", _scripts("rspress.config"), ("doc_build",), "outDir"),
    Generator(
        "Eleventy",
        (".eleventy.js", ".eleventy.cjs", ".eleventy.mjs", *_scripts("eleventy.config")),
        ("_site",),
        "dir.output",
    ),
    Generator("Zensical", ("zensical.toml",), ("site",), "project.site_dir"),
    Generator("MkDocs", ("mkdocs.yml", "mkdocs.yaml"), ("site",), "site_dir"),
    Generator("Sphinx", ("conf.py",), ("_build/html", "_build/dirhtml", "build/html", "../build/html")),
    Generator("Jupyter Book", ("_toc.yml",), ("_build/html",)),
    Generator("mdBook", ("book.toml",), ("book", "book/html"), "build.build-dir"),
    Generator("Hugo", ("hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json"), ("public",), "publishDir"),
    Generator("Hugo", ("config.toml", "config.yaml", "config.yml"), ("public",), "publishDir", mark="baseURL"),
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
                    detected.append(_make_used(generator, folder, config, text))
                    break
    by_config: dict[str, UsedGenerator] = {}
    for used in detected:
        by_config.setdefault(used.config, used)  # a file configures only one generator
    return list(by_config.values())


def _make_used(generator: Generator, folder: str, config: str, text: str) -> UsedGenerator:
    output = stated_value(text, config, generator.key) if generator.key else ""
    base = "" if generator.in_project else folder
    usual = [path for folder in generator.folders if (path := _inside(base, folder))]
    if not output:
        return UsedGenerator(generator.name, config, tuple(usual), generator.key if output is None else "")
    own = _inside(base, output)
    return UsedGenerator(generator.name, config, (own, *usual) if own and own not in usual else tuple(usual))


def _svelte_kit(read: ReadText) -> Iterator[UsedGenerator]:
    """Detect SvelteKit. Pages that its adapter leaves out are still in the folder that the framework prerenders to."""
    for config in _scripts("svelte.config", "vite.config"):
        text = read(config)
        script = Script(text or "")
        if text is None or not (config.startswith("svelte") or script.names("@sveltejs/kit/vite")):
            continue
        pages = setting(script.argument("adapter"), "pages", default="build")
        own = _inside("", pages) if isinstance(pages, str) else ""
        # adapter-node writes pages to a separate folder.
        folders = ("build/prerendered", own or "build", ".svelte-kit/output/prerendered/pages")
        yield UsedGenerator("SvelteKit", config, folders)
        return


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
