"""Build of a site: its command, the script of `package.json` that runs it, and the folder that is deployed."""

import re
import shlex
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from posixpath import dirname, join, normpath

from searchsocket.sources.generators import UsedGenerator, kit_adapter, package_scripts, stated_value
from searchsocket.web.routes.script import Script, setting

ReadText = Callable[[str], str | None]  # returns the text of a project-relative file; None if it does not exist

# Build commands in scripts of package.json, by generator.
_NODE: Mapping[str, str] = {
    "SvelteKit": "vite build", "VitePress": "vitepress build", "VuePress": "vuepress build", "Astro": "astro build",
    "Starlight": "astro build", "Docusaurus": "docusaurus build", "Next.js": "next build", "Nuxt": "nuxt generate",
    "Gatsby": "gatsby build", "Rspress": "rspress build", "Eleventy": "eleventy", "Hexo": "hexo generate",
    "Antora": "antora antora-playbook.yml",
}  # fmt: skip
_OTHER: Mapping[str, str] = {
    "Zensical": "zensical build", "MkDocs": "mkdocs build", "Hugo": "hugo", "Zola": "zola build",
    "Jupyter Book": "jupyter-book build .", "mdBook": "mdbook build", "Jekyll": "bundle exec jekyll build",
    "Quarto": "quarto render", "Pelican": "pelican content",
}  # fmt: skip
_LOCK_FILES = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun"}
_DOT_FOLDERS = (".vitepress", ".vuepress")  # contain the configuration of their parent folder
_KIT = "@sveltejs/adapter-"
STATIC_ADAPTER = f"{_KIT}static"


@dataclass(frozen=True, slots=True)
class BuildCommand:
    """Command that builds a site; "" if it is unknown."""

    shell: str = ""  # from the project folder
    package: str = ""  # folder of the `package.json` with the script; project-relative
    script: str = ""  # in that file; "" if none builds the site
    manager: str = "npm"  # of packages


def home_of(config: str) -> str:
    """Return the folder in which a generator runs, from the path of its configuration."""
    folder = dirname(config)
    while folder.rpartition("/")[2] in (*_DOT_FOLDERS, "config", "_default"):
        folder = dirname(folder)
    return folder


def build_command(read: ReadText, generator: str, config: str) -> BuildCommand:
    """Return the command that builds the site.

    Args:
        config: The generator's configuration file, project-relative.
    """
    folder = home_of(config)
    if generator == "Sphinx":
        return BuildCommand(_sphinx(read, folder))
    if generator in _OTHER and generator not in _NODE:
        own = _own_script(read, "", _OTHER[generator], is_home=False)  # as in a Hugo site with npm packages
        return _script_command(read, "", own) if own else BuildCommand(_inside(folder, _OTHER[generator]))
    if generator not in _NODE:
        return BuildCommand()
    home = folder if read(join(folder, "package.json")) is not None else ""
    command = _NODE[generator]
    if script := _own_script(read, home, command, is_home=home == folder):
        return _script_command(read, home, script)
    # VitePress and VuePress take their folder as an argument; the others run in it.
    argument = folder if config.rpartition("/")[0] != folder and folder != home else ""
    return BuildCommand(_inside(home, f"npx {command} {shlex.quote(argument)}" if argument else f"npx {command}"))


def _script_command(read: ReadText, home: str, script: str) -> BuildCommand:
    folders = dict.fromkeys((home, ""))
    manager = next(
        (name for folder in folders for file, name in _LOCK_FILES.items() if read(join(folder, file)) is not None),
        "npm",
    )
    return BuildCommand(_inside(home, f"{manager} run {shlex.quote(script)}"), home, script, manager)


def _own_script(read: ReadText, home: str, command: str, *, is_home: bool) -> str:
    """Return the script that runs the command; in the folder of the site also `build`, whatever it runs."""
    scripts = package_scripts(read, home)
    own = [name for name, text in scripts.items() if re.search(rf"(?<![\w-]){re.escape(command)}(?![\w-])", text)]
    own = [name for name in own if not re.search(r"\b(dev|start|serve|watch|preview)\b", name)]
    names = [name for name in ("build", "docs:build", *own) if name in own]
    return names[0] if names else "build" if is_home and "build" in scripts else ""


def _sphinx(read: ReadText, folder: str) -> str:
    for home in dict.fromkeys((folder, dirname(folder))):
        if read(join(home, "Makefile")) is not None:
            return _inside(home, "make html")
    source = folder or "."
    return f"sphinx-build -b html {shlex.quote(source)} {shlex.quote(normpath(join(source, '_build/html')))}"


def _inside(folder: str, command: str) -> str:
    return f"(cd {shlex.quote(folder)} && {command})" if folder else command


def runs_post_scripts(read: ReadText, command: BuildCommand) -> bool:
    """Return True if the package manager runs `postbuild` after `build`: not Yarn from 2, nor pnpm before 9."""
    stated = re.search(r'"packageManager"\s*:\s*"(\w+)@(\d+)', read(join(command.package, "package.json")) or "")
    stated = stated or re.search(r'"packageManager"\s*:\s*"(\w+)@(\d+)', read("package.json") or "")
    manager, major = (stated[1], int(stated[2])) if stated else (command.manager, 0)
    if manager == "yarn":
        has_new_lock = "__metadata:" in (read("yarn.lock") or read(join(command.package, "yarn.lock")) or "")
        return not (major >= 2 or has_new_lock or read(".yarnrc.yml") is not None)
    return manager != "pnpm" or not 0 < major < 9


def deployed_folder(read: ReadText, used: UsedGenerator, adapter: str = "") -> str:
    """Return the folder that a host of the site publishes, project-relative; "" if it cannot be determined.

    Args:
        used: The generator and its output folders.
        adapter: Package of SvelteKit's adapter.
    """
    if used.name == "SvelteKit":
        return _kit_folder(read, used.config, adapter)
    text = read(used.config) or ""
    if used.computed:
        return ""
    if used.name == "Next.js" and stated_value(text, used.config, "output") != "export":
        return ""  # its server renders the pages
    if used.name == "Astro" and Script(text).names("@astrojs/vercel"):
        return ".vercel/output/static"
    return used.folders[0] if used.folders else ""


def _kit_folder(read: ReadText, config: str, adapter: str) -> str:
    package, options = kit_adapter(read(config) or "")
    if not adapter or package not in ("", adapter):
        return ""
    match adapter.removeprefix(_KIT):
        case "static":
            pages = setting(options, "pages", default="build") if package else None
            return normpath(pages) if isinstance(pages, str) else ""
        case "node":
            out = setting(options, "out", default="build") if package else None
            return normpath(join(out, "client")) if isinstance(out, str) else ""
        case "vercel":
            return ".vercel/output/static"
        case "netlify":
            return _netlify_folder(read("netlify.toml") or "")
        case "cloudflare":
            return ".svelte-kit/cloudflare"
    return ""


def _netlify_folder(text: str) -> str:
    try:
        publish = tomllib.loads(text).get("build", {}).get("publish", "build")
    except (tomllib.TOMLDecodeError, AttributeError):
        return ""
    return normpath(publish) if isinstance(publish, str) else ""
