"""Find the command with which a project builds its site."""

import json
import shlex
from collections.abc import Callable, Mapping
from posixpath import dirname, join

ReadText = Callable[[str], str | None]

# Build commands in scripts of package.json, by generator.
_NODE: Mapping[str, str] = {
    "SvelteKit": "vite build", "VitePress": "vitepress build", "VuePress": "vuepress build", "Astro": "astro build",
    "Starlight": "astro build", "Docusaurus": "docusaurus build", "Next.js": "next build", "Nuxt": "nuxt generate",
    "Gatsby": "gatsby build", "Rspress": "rspress build", "Eleventy": "eleventy", "Hexo": "hexo generate",
    "Antora": "antora antora-playbook.yml",
}  # fmt: skip
_OTHER: Mapping[str, str] = {
    "Zensical": "zensical build", "MkDocs": "mkdocs build", "Sphinx": "make html", "Hugo": "hugo", "Zola": "zola build",
    "Jupyter Book": "jupyter-book build .", "mdBook": "mdbook build", "Jekyll": "bundle exec jekyll build",
    "Quarto": "quarto render", "Pelican": "pelican content",
}  # fmt: skip
_RUNNERS = {"pnpm-lock.yaml": "pnpm run", "yarn.lock": "yarn run", "bun.lock": "bun run", "bun.lockb": "bun run"}
_DOT_FOLDERS = (".vitepress", ".vuepress")  # contain the configuration of their parent folder


def build_command(read: ReadText, generator: str, config: str) -> str:
    """Return the shell command that builds the site from the project folder; "" for an unknown generator.

    Args:
        config: The generator's configuration file, project-relative.
    """
    folder = dirname(config)
    while folder.rpartition("/")[2] in (*_DOT_FOLDERS, "config"):
        folder = dirname(folder)
    if generator in _OTHER:
        return _inside(folder, _OTHER[generator])
    if generator not in _NODE:
        return ""
    home = folder if read(join(folder, "package.json")) is not None else ""
    command = _NODE[generator]
    script = _script(read(join(home, "package.json")), command)
    if script:
        runner = next((run for name, run in _RUNNERS.items() if read(join(home, name)) is not None), "npm run")
        return _inside(home, f"{runner} {shlex.quote(script)}")
    # VitePress and VuePress take their folder as an argument; the others run in it.
    argument = folder if config.rpartition("/")[0] != folder and folder != home else ""
    return _inside(home, f"npx {command} {shlex.quote(argument)}" if argument else f"npx {command}")


def _script(package: str | None, command: str) -> str:
    """Return the script that runs the command, otherwise the script `build`."""
    try:
        scripts = json.loads(package or "{}").get("scripts", {})
        own = [name for name, text in scripts.items() if isinstance(text, str) and command in text]
    except (ValueError, AttributeError, RecursionError):
        return ""
    names = [name for name in ("build", "docs:build", *own) if name in own]
    return names[0] if names else "build" if "build" in scripts else ""


def _inside(folder: str, command: str) -> str:
    return f"(cd {shlex.quote(folder)} && {command})" if folder else command
