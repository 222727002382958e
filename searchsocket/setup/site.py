"""Facts about a site before any change."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import urlsplit

from searchsocket.setup.ask_vite import ask_vite
from searchsocket.setup.build_command import build_command
from searchsocket.setup.languages import languages_in, languages_of_build
from searchsocket.sources.built_versions import versions_of_build
from searchsocket.sources.find import find_build
from searchsocket.sources.generators import UsedGenerator, stated_value, used_generators
from searchsocket.types import VersionFamily
from searchsocket.web.routes.kit import read_kit
from searchsocket.web.routes.script import Script
from searchsocket.web.urls.paths import normalise_prefix
from searchsocket.web.versions.listed import FILE

_MAX_BYTES = 1_000_000
_STATIC = "@sveltejs/adapter-static"


@dataclass(frozen=True, slots=True)
class SiteFacts:
    """One site, as far as its own files or its framework say."""

    framework: str = ""  # "" = none that is known
    version: str = ""  # of the framework, where it is known
    config: str = ""  # project-relative, as all paths here
    adapter: str = ""  # SvelteKit's, by its package
    base: str = ""  # the path that the site lies under
    origin: str = ""  # scheme and host of the published site, where its configuration names them
    languages: frozenset[str] = frozenset()  # of its pages: codes in lower case
    build_command: str = ""  # "" if the generator is unknown
    build: str = ""  # where the built site lies, or will
    is_built: bool = False
    routes: str = ""  # SvelteKit's pages
    hooks: str = ""  # SvelteKit's server hooks, without the ending
    prerenders: bool = True  # whether some page is built as a file; False only where none of SvelteKit's says so
    source: str = ""  # the folder of what is written: SvelteKit's src, MkDocs' docs
    tool: str = ""  # who said it: `vite`, else files were read
    versions: tuple[VersionFamily, ...] = ()  # of the documentation, in the built site
    unknown: tuple[str, ...] = field(default=())  # what is not understood, in sentences

    @property
    def has_server(self) -> bool:
        """Return True if the site runs code when a page is requested."""
        return self.framework == "SvelteKit" and self.adapter != _STATIC


def look_at(root: Path, environ: Mapping[str, str], *, run_node: bool = True) -> SiteFacts:
    """Detect the facts about a site.

    Args:
        environ: Where node is looked for.
        run_node: Whether Vite may be asked, which runs the configuration of the project as a build does.
    """
    read = reader(root)
    output = find_build(root)
    used = used_generators(read)
    versions = versions_of_build(root / output.folder, read(FILE) or "") if output.folder else ()
    if not used:
        unknown = ("could not detect a site generator",)
        return SiteFacts(build=output.folder, is_built=bool(output.folder), versions=versions, unknown=unknown)
    first = used[0]
    build = output.folder or (first.folders[0] if first.folders else "")
    facts = SiteFacts(first.name, config=first.config, build=build, is_built=bool(output.folder), versions=versions)
    if first.name == "SvelteKit":
        facts = _kit(root, environ, read, facts, run_node=run_node)
    else:
        facts = replace(_other(read, facts, first), version=_installed(read, _PACKAGES.get(first.name, "")))
    stated = languages_in(read(first.config) or "") | languages_in(read(f"{facts.source or 'src'}/app.html") or "")
    return replace(
        facts,
        languages=languages_of_build(root / build) if facts.is_built else stated,
        build_command=build_command(read, first.name, first.config),
    )


_PACKAGES = {"Astro": "astro", "VitePress": "vitepress", "Docusaurus": "@docusaurus/core", "Eleventy": "@11ty/eleventy"}


def _kit(
    root: Path, environ: Mapping[str, str], read: Callable[[str], str | None], facts: SiteFacts, *, run_node: bool
) -> SiteFacts:
    kit = read_kit(read)
    unknown = list(kit.warnings)
    base, source = kit.base_path, dirname(kit.routes_dir) or "src"
    config = read(facts.config) or ""
    script = Script(config)
    adapters = [name for name in _ADAPTERS if script.names(name)]
    facts = replace(
        facts,
        version=_installed(read, "@sveltejs/kit") or (str(kit.version) if kit.version else ""),
        adapter=adapters[0] if len(adapters) == 1 else "",
        routes=kit.routes_dir,
        hooks=f"{source}/hooks.server",
        source=source,
    )
    answer = ask_vite(root, environ) if run_node else None
    if answer is not None and answer.problem:
        unknown.append(f"Vite did not answer ({answer.problem}); searchsocket read the files instead")
    elif answer is not None:
        base = answer.base
        facts = replace(
            facts,
            tool="vite",
            adapter=answer.adapter or facts.adapter,
            routes=answer.routes or facts.routes,
            hooks=answer.hooks or facts.hooks,
            source=answer.source or facts.source,
        )
        unknown = [line for line in unknown if "SvelteKit" in line]  # the rest is known now
    elif run_node:
        unknown.append("node or Vite is not installed; searchsocket read the files instead")
    if base is None:
        unknown.append("paths.base is computed; set source.base_path, and `base` of the handle")
    if not facts.adapter:
        unknown.append("could not detect the adapter; assuming a server (override with `--service`)")
    prerenders = facts.is_built or not facts.has_server or _prerenders(root / facts.routes)
    return replace(facts, base=normalise_prefix(base or ""), prerenders=prerenders, unknown=tuple(unknown))


def _prerenders(routes: Path) -> bool:
    """Return True if any route has `prerender`; which pages that affects, only a build knows."""
    files = (path for path in routes.rglob("+*") if path.suffix in (".js", ".ts"))
    return any("prerender" in (reader(path.parent)(path.name) or "") for path in files)


_ADAPTERS = tuple(f"@sveltejs/adapter-{name}" for name in ("static", "node", "auto", "vercel", "netlify", "cloudflare"))


def _other(read: Callable[[str], str | None], facts: SiteFacts, used: UsedGenerator) -> SiteFacts:
    """Base path, published address and folder of the other frameworks, as far as their files state them."""
    text, folder = read(used.config) or "", dirname(used.config)
    base_key, url_key, folder_key = _KEYS.get(facts.framework, ("", "", ""))
    address = stated_value(text, used.config, url_key) or "" if url_key else ""
    base = stated_value(text, used.config, base_key) if base_key else _path_of(address)
    if facts.framework == "VitePress":
        folder = dirname(folder)
    if folder_key:
        folder = join(folder, stated_value(text, used.config, folder_key) or _SOURCES[facts.framework])
    name = "Starlight" if "@astrojs/starlight" in text else facts.framework
    unknown = () if base is not None else (f"{used.config}: the base path is computed; set source.base_path",)
    return replace(
        facts,
        framework=name,
        base=normalise_prefix(base or ""),
        origin=_origin(address),
        source=normpath(folder or ".") if folder else "",
        unknown=unknown,
    )


# Keys of the base path, of the published address and of the folder of sources. Without the first, the base path is that
# of the address.
_KEYS: Mapping[str, tuple[str, str, str]] = {
    "Astro": ("base", "site", ""),
    "VitePress": ("base", "", ""),
    "Docusaurus": ("baseUrl", "url", ""),
    "MkDocs": ("", "site_url", "docs_dir"),
    "Zensical": ("", "project.site_url", "project.docs_dir"),
    "mdBook": ("output.html.site-url", "", "book.src"),
    "Hugo": ("", "baseURL", ""),
    "Zola": ("", "base_url", ""),
    "Jekyll": ("baseurl", "url", ""),
}
_SOURCES = {"MkDocs": "docs", "Zensical": "docs", "mdBook": "src"}
# What generators' templates of a new project name.
_PLACEHOLDERS = ("example.com", "example.org", "your-docusaurus-site.example.com", "localhost")


def _origin(address: str) -> str:
    """Scheme and host of a published site; "" for anything else."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return ""
    is_real = parts.scheme in ("http", "https") and "." in host and host.removeprefix("www.") not in _PLACEHOLDERS
    return f"{parts.scheme}://{parts.netloc}" if is_real and "@" not in parts.netloc else ""


def _path_of(address: str) -> str:
    """The path of a published site; "" for anything else."""
    return urlsplit(address).path if _origin(address) else ""


def _installed(read: Callable[[str], str | None], package: str) -> str:
    """The installed version of a package; "" where none is."""
    try:
        version = json.loads(read(f"node_modules/{package}/package.json") or "{}").get("version", "")
    except (ValueError, AttributeError, RecursionError):
        return ""
    return version if isinstance(version, str) else ""


def reader(root: Path) -> Callable[[str], str | None]:
    """Reads files of the project; None for what is not there, too large or no text."""

    def read(name: str) -> str | None:
        try:
            path = root / name
            return path.read_bytes().decode("utf-8") if path.stat().st_size <= _MAX_BYTES else None
        except (OSError, ValueError):
            return None

    return read
