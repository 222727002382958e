"""Read SvelteKit's configuration as resolved by Vite, with its plugins, modes and computed values."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from searchsocket.system.json_text import JsonObject

_TIMEOUT_S = 60.0
_MARK = "searchsocket:"
# Run with the project's own Vite: the script is read from stdin, so imports are resolved in the working folder.
_SCRIPT = """
const { resolveConfig } = await import('vite');
const config = await resolveConfig({ logLevel: 'silent' }, 'build', 'production');
const of = config.plugins.map((plugin) => plugin.api?.options).find((options) => options?.kit ?? options?.adapter);
const kit = of?.kit ?? of;
const inside = (file) => typeof file === 'string' ? (await_path.relative(process.cwd(), await_path.resolve(file))) : '';
const found = kit && {
  adapter: kit.adapter?.name ?? '', base: kit.paths?.base ?? '', src: inside(kit.files?.src ?? 'src'),
  routes: inside(kit.files?.routes), hooks: inside(kit.files?.hooks?.server)
};
console.log('MARK' + JSON.stringify(found ?? {}));
process.exit(0);
""".replace("MARK", _MARK).replace("await_path", "path")


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
            input=f"import path from 'node:path';\n{_SCRIPT}",
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
