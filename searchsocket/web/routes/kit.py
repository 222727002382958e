"""Facts about a SvelteKit project that affect its routes: its version and configuration."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from posixpath import normpath
from typing import Literal

from searchsocket.system.json_text import JsonObject
from searchsocket.web.routes.script import Script, Value, setting

KitVersion = Literal[2, 3]
ReadText = Callable[[str], str | None]  # the text of a project-relative file; None if it does not exist

_VITE_FILES = tuple(f"vite.config.{ending}" for ending in ("js", "mjs", "ts", "cjs", "mts", "cts"))
_SVELTE_FILES = ("svelte.config.js", "svelte.config.ts")
_INSTALLED = "node_modules/@sveltejs/kit/package.json"
_ONE_MAJOR = re.compile(r"(?:workspace:|npm:@sveltejs/kit@)?[~^=v]*\s*(\d{1,4})(?:[.-][\w.+*-]*)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class KitProject:
    """Facts that affect the routes; the defaults are those of a project without configuration."""

    version: KitVersion | None = None  # None = unknown: routes that the versions read differently are doubtful
    routes_dir: str = "src/routes"  # project-relative, like the next one
    static_dir: str = "static"  # files that are copied unchanged
    base_path: str | None = ""  # None = computed
    components: tuple[str, ...] = ()  # additional suffixes of pages
    modules: tuple[str, ...] = ()  # additional suffixes of code
    has_literal_endings: bool = True
    config_file: str = ""  # the file with the settings
    warnings: tuple[str, ...] = ()


def read_kit(read: ReadText, routes_dir: str = "", static_dir: str = "") -> KitProject:
    """Read `package.json` and the configuration of a project. The configuration is a program, and is not executed.

    Args:
        read: Reads the project's files.
        routes_dir: From the settings; "" = from the project's configuration.
        static_dir: Likewise.
    """
    vite_file, vite = _first(read, _VITE_FILES)
    script = Script(vite)
    required, installed = _required_version(read("package.json")), _text(_json(read(_INSTALLED)).get("version"))
    if not (required or installed or script.names("@sveltejs/kit/vite")):
        return KitProject(
            routes_dir=clean_dir(routes_dir or "src/routes"), static_dir=clean_dir(static_dir or "static")
        )
    svelte_file, svelte = _first(read, _SVELTE_FILES)
    warnings: list[str] = []
    version = _version(required, installed, bool(svelte_file), warnings)
    file, kit = vite_file, script.argument("sveltekit") if vite_file else {}
    top = kit
    if svelte_file and version != 3 and (kit == {} or not script.names("@sveltejs/kit/vite")):
        # Version 2 reads this file unless the Vite configuration contains the settings.
        file, top = svelte_file, Script(svelte).default_export()
        kit = setting(top, "kit", default={})
    if not routes_dir and _moves_root(script):
        warnings.append(f"{vite_file}: root may move the routes folder; set routes.dir, relative to the project folder")
    source = setting(kit, "files", "src", default="src")
    routes = setting(kit, "files", "routes", default=f"{source}/routes" if isinstance(source, str) else None)
    assets = setting(kit, "files", "assets", default="static")
    base_path = setting(kit, "paths", "base", default="")
    components, modules = setting(top, "extensions", default=[]), setting(kit, "moduleExtensions", default=[])
    return KitProject(
        version,
        clean_dir(routes_dir or _folder(routes, "src/routes", f"{file}: files.routes", "routes.dir", warnings)),
        clean_dir(static_dir or _folder(assets, "static", f"{file}: files.assets", "routes.static_dir", warnings)),
        base_path if isinstance(base_path, str) else None,
        _endings(components),
        _endings(modules),
        has_literal_endings=all(isinstance(value, list) and None not in value for value in (components, modules)),
        config_file=file,
        warnings=tuple(warnings),
    )


def clean_dir(folder: str) -> str:
    """A project-relative folder without `./` and outer slashes; "" is the project itself."""
    cleaned = normpath(folder.strip("/") or ".")
    return "" if cleaned == "." else cleaned


def _version(required: str, installed: str, has_svelte_file: bool, warnings: list[str]) -> KitVersion | None:
    majors = {int(match[1]) for text in (required, installed) if (match := _ONE_MAJOR.fullmatch(text))}
    if not majors and has_svelte_file:
        return 2  # version 3 refuses to start with this file
    if len(majors) != 1:
        return None
    major = majors.pop()
    if major > 3:
        warnings.append(f"SvelteKit {major} is unknown; searchsocket reads its routes like version 3")
    return 3 if major >= 3 else 2


def _required_version(package: str | None) -> str:
    """The required version in `package.json`; "" if it does not list SvelteKit."""
    manifest = _json(package)
    groups = [manifest.get(key) for key in ("devDependencies", "dependencies", "peerDependencies")]
    versions = [group["@sveltejs/kit"] for group in groups if isinstance(group, dict) and "@sveltejs/kit" in group]
    return _text(versions[0]) if versions else ""


def _first(read: ReadText, names: tuple[str, ...]) -> tuple[str, str]:
    """The name and text of the first existing file."""
    texts = ((name, text) for name in names if (text := read(name)) is not None)
    return next(texts, ("", ""))


def _json(text: str | None) -> JsonObject:
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _moves_root(vite: Script) -> bool:
    exported = vite.default_export()
    return "root" in exported if isinstance(exported, dict) else vite.sets("root")


def _folder(value: Value, usual: str, key: str, name: str, warnings: list[str]) -> str:
    """A folder of the project; if it is unknown, the usual one, with a warning that names the setting to use."""
    if isinstance(value, str) and not value.startswith("/") and clean_dir(value).split("/")[0] != "..":
        return value
    warnings.append(f"{key} is computed or points out of the project, so searchsocket uses {usual}; set {name}")
    return usual


def _endings(value: Value) -> tuple[str, ...]:
    endings = value if isinstance(value, list) else []
    return tuple(ending for ending in endings if isinstance(ending, str) and ending.startswith("."))
