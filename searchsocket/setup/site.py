"""Detect the facts about a site."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import urlsplit

from searchsocket.setup.build import STATIC_ADAPTER, BuildCommand, ReadText, build_command, deployed_folder, home_of
from searchsocket.setup.client_files import languages_in, languages_of_build
from searchsocket.sources.build_folder import find_build
from searchsocket.sources.generators import UsedGenerator, stated_value, used_generators
from searchsocket.sources.static_output import versions_of_build
from searchsocket.system.json_text import JsonObject
from searchsocket.types import VersionFamily
from searchsocket.web.routes.kit import read_kit
from searchsocket.web.routes.script import Script
from searchsocket.web.urls.paths import normalise_prefix
from searchsocket.web.versions.names import FILE

_TIMEOUT_S = 60.0
_MARK = "searchsocket:"
# Prints `_MARK` and facts. It is run with the project's own Vite, from stdin, so that imports are resolved in the
# working folder.
_SCRIPT = Path(__file__).with_name("templates") / "kit-options.mjs"
_MAX_BYTES = 1_000_000
_PACKAGES = {"Astro": "astro", "VitePress": "vitepress", "Docusaurus": "@docusaurus/core", "Eleventy": "@11ty/eleventy"}
_ADAPTERS = tuple(f"@sveltejs/adapter-{name}" for name in ("static", "node", "auto", "vercel", "netlify", "cloudflare"))
# Keys of the base path, the published URL and the source folder. Without the first key, the base path is the path of
# the URL.
_KEYS: Mapping[str, tuple[str, str, str]] = {
    "Astro": ("base", "site", ""),
    "VitePress": ("base", "", ""),
    "VuePress": ("base", "", ""),
    "Rspress": ("base", "", ""),
    "Next.js": ("basePath", "", ""),
    "Nuxt": ("app.baseURL", "", ""),
    "Eleventy": ("pathPrefix", "", ""),
    "Docusaurus": ("baseUrl", "url", ""),
    "MkDocs": ("", "site_url", "docs_dir"),
    "Zensical": ("", "project.site_url", "project.docs_dir"),
    "mdBook": ("output.html.site-url", "", "book.src"),
    "Hugo": ("", "baseURL", ""),
    "Zola": ("", "base_url", ""),
    "Jekyll": ("baseurl", "url", ""),
}
_SOURCES = {"MkDocs": "docs", "Zensical": "docs", "mdBook": "src"}
# Hosts in the generators' templates of a new project.
_PLACEHOLDERS = ("example.com", "example.org", "your-docusaurus-site.example.com", "localhost")


@dataclass(frozen=True, slots=True)
class ViteAnswer:
    """Vite's answer; paths are relative to the project, "": not set."""

    adapter: str = ""
    base: str = ""
    routes: str = ""
    hooks: str = ""
    source: str = ""
    problem: str = ""  # reason if there is no answer


def ask_vite(root: Path, environ: Mapping[str, str]) -> ViteAnswer | None:
    """Ask the project's own Vite; return None if Vite or node is not installed.

    This runs the configuration of the project, as each of its builds does.
    """
    node = shutil.which("node", path=environ.get("PATH"))
    if node is None or not any((folder / "node_modules/vite").exists() for folder in (root, *root.parents)):
        return None  # parents too, since a repository may have one folder for all packages
    try:
        process = subprocess.run(  # noqa: S603  a build of the project runs the same code
            [node, "--input-type=module", "-"],
            input=_SCRIPT.read_text(encoding="utf-8"),
            cwd=root,
            env={**environ, "NODE_ENV": "production"},
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return ViteAnswer(problem=f"no answer in {_TIMEOUT_S:g} s")
    except (OSError, UnicodeDecodeError) as error:
        return ViteAnswer(problem=str(error))
    line = next((line for line in process.stdout.splitlines() if line.startswith(_MARK)), "")
    if not line:
        errors = [line.strip() for line in process.stderr.splitlines() if "Error" in line]
        return ViteAnswer(problem=errors[0][:200] if errors else f"node ended with status {process.returncode}")
    configuration: JsonObject = json.loads(line.removeprefix(_MARK))
    if not configuration:
        return ViteAnswer(problem="its configuration does not use SvelteKit")
    values = {key: value for key, value in configuration.items() if isinstance(value, str)}
    paths = {key: "" if value.startswith("..") else value.replace(os.sep, "/") for key, value in values.items()}
    return ViteAnswer(
        adapter=values.get("adapter", ""),
        base=values.get("base", ""),
        routes=paths.get("routes", ""),
        hooks=paths.get("hooks", ""),
        source=paths.get("src", ""),
    )


@dataclass(frozen=True, slots=True)
class SiteFacts:
    """Facts about one site, from its files or its framework."""

    framework: str = ""  # "" if unknown
    version: str = ""  # of the framework; "" if unknown
    config: str = ""  # configuration file; project-relative, like all paths here
    adapter: str = ""  # package of SvelteKit's adapter
    base: str = ""  # URL path prefix of the site
    origin: str = ""  # scheme and host of the published site, from its configuration
    languages: frozenset[str] = frozenset()  # of its pages: codes in lower case
    command: BuildCommand = field(default=BuildCommand())  # that builds the site
    build: str = ""  # folder of the built pages, which may not exist yet
    is_built: bool = False
    deployed: str = ""  # folder that the host publishes; "" if it cannot be determined
    routes: str = ""  # folder of SvelteKit's pages
    hooks: str = ""  # SvelteKit's server hooks, without the extension
    prerenders: bool = True  # True if some page is built as a file; False only if no SvelteKit route is prerendered
    source: str = ""  # folder of sources: SvelteKit's src, MkDocs' docs
    tool: str = ""  # `vite` if Vite reported the facts; "" if they are read from files
    versions: tuple[VersionFamily, ...] = ()  # of the documentation, in the built site
    inner_sites: tuple[str, ...] = ()  # folders with a generator's configuration, if the project itself has none
    unknown: tuple[str, ...] = field(default=())  # a sentence per fact that could not be detected

    @property
    def has_server(self) -> bool:
        """True if the site runs code when a page is requested."""
        return self.framework == "SvelteKit" and self.adapter != STATIC_ADAPTER


def detect_site(root: Path, environ: Mapping[str, str], *, run_node: bool = True) -> SiteFacts:
    """Detect the facts about a site.

    Args:
        environ: Its `PATH` is searched for node.
        run_node: True to ask Vite, which runs the configuration of the project as a build does.
    """
    read = reader(root)
    output = find_build(root)
    generators = used_generators(read)
    versions = versions_of_build(root / output.folder, read(FILE) or "") if output.folder else ()
    if not generators:
        build = output.folder
        return SiteFacts(
            build=build,
            is_built=bool(build),
            deployed=build,
            languages=languages_of_build(root / build) if build else frozenset(),
            versions=versions,
            inner_sites=() if build else tuple(_inner_sites(root)),
        )
    first = next((used for used in generators if used.name == output.generator), generators[0])
    build = output.folder or (first.folders[0] if first.folders else "")
    facts = SiteFacts(first.name, config=first.config, build=build, is_built=bool(output.folder), versions=versions)
    if first.name == "SvelteKit":
        facts = _kit(root, environ, read, facts, run_node=run_node)
    else:
        facts = replace(_other(read, facts, first), version=_package_version(read, _PACKAGES.get(first.name, "")))
    configured = languages_in(read(first.config) or "") | languages_in(read(f"{facts.source or 'src'}/app.html") or "")
    return replace(
        facts,
        languages=languages_of_build(root / build) if facts.is_built else configured,
        command=build_command(read, first.name, first.config),
        deployed=deployed_folder(read, first, facts.adapter),
    )


def _inner_sites(root: Path) -> list[str]:
    """Return the folders with a generator's configuration, at most two levels down: packages of a repository."""
    homes: dict[str, None] = {}
    for pattern in ("*", "*/*"):
        for folder in sorted(root.glob(pattern)):
            parts = folder.relative_to(root).parts
            if folder.is_dir() and not any(part.startswith(".") or part == "node_modules" for part in parts):
                homes |= {
                    join(*parts, home_of(used.config)).rstrip("/"): None for used in used_generators(reader(folder))
                }
    return list(homes)


def _kit(root: Path, environ: Mapping[str, str], read: ReadText, facts: SiteFacts, *, run_node: bool) -> SiteFacts:
    kit = read_kit(read)
    unknown = list(kit.warnings)
    base, source = kit.base_path, dirname(kit.routes_dir) or "src"
    config = read(facts.config) or ""
    script = Script(config)
    adapters = [name for name in _ADAPTERS if script.names(name)]
    facts = replace(
        facts,
        version=_package_version(read, "@sveltejs/kit") or (str(kit.version) if kit.version else ""),
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
        unknown = [line for line in unknown if "SvelteKit" in line]  # Vite reported the other facts
    elif run_node:
        unknown.append("node or Vite is not installed; searchsocket read the files instead")
    if base is None:
        unknown.append("paths.base is computed; set source.base_path, and `base` of the handle")
    if not facts.adapter:
        unknown.append("could not detect the adapter; assuming a server (override with `--service`)")
    prerenders = facts.is_built or not facts.has_server or _prerenders(root / facts.routes)
    return replace(facts, base=normalise_prefix(base or ""), prerenders=prerenders, unknown=tuple(unknown))


def _prerenders(routes: Path) -> bool:
    """Return True if any route has `prerender`; only a build shows the affected pages."""
    files = (path for path in routes.rglob("+*") if path.suffix in (".js", ".ts"))
    return any("prerender" in (reader(path.parent)(path.name) or "") for path in files)


def _other(read: ReadText, facts: SiteFacts, generator: UsedGenerator) -> SiteFacts:
    """Add the base path, published URL and source folder of a framework other than SvelteKit, from its files."""
    config = generator.config
    text, folder = read(config) or "", home_of(config)
    base_key, url_key, folder_key = _KEYS.get(facts.framework, ("", "", ""))
    address = stated_value(text, config, url_key) or "" if url_key else ""
    base = stated_value(text, config, base_key) if base_key else _path_of(address)
    if folder_key:
        folder = join(folder, stated_value(text, config, folder_key) or _SOURCES[facts.framework])
    name = "Starlight" if "@astrojs/starlight" in text else facts.framework
    unknown = () if base is not None else (f"{config}: the base path is computed; set source.base_path",)
    return replace(
        facts,
        framework=name,
        base=normalise_prefix(base or ""),
        origin=_origin(address),
        source=normpath(folder or ".") if folder else "",
        unknown=unknown,
    )


def _origin(address: str) -> str:
    """Return the scheme and host of a published site; "" for placeholders and other texts."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return ""
    is_real = parts.scheme in ("http", "https") and "." in host and host.removeprefix("www.") not in _PLACEHOLDERS
    return f"{parts.scheme}://{parts.netloc}" if is_real and "@" not in parts.netloc else ""


def _path_of(address: str) -> str:
    """Return the path of a published site; "" for placeholders and other texts."""
    return urlsplit(address).path if _origin(address) else ""


def _package_version(read: ReadText, package: str) -> str:
    """Return the installed version of a package; "" if it is not installed."""
    try:
        version = json.loads(read(f"node_modules/{package}/package.json") or "{}").get("version", "")
    except (ValueError, AttributeError, RecursionError):
        return ""
    return version if isinstance(version, str) else ""


def reader(root: Path) -> ReadText:
    """Return a function that reads files of the project; None for a file that is missing, too large or not text."""

    def read(name: str) -> str | None:
        try:
            path = root / name
            return path.read_bytes().decode("utf-8") if path.stat().st_size <= _MAX_BYTES else None
        except (OSError, ValueError):
            return None

    return read
