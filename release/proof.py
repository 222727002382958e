"""Install the packages of `dist/` by name from an index on this machine, and use them: `make release-proof`.

The index is a folder that this program serves; whatever else a package needs comes from the ordinary registries. Each
release of Python that uv finds is tried, or those that are named. Prints each command with the end of its output, and
stops at the first failure.
"""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
UV = Path(sys.executable).with_name("uv")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
MAX_LINES = 4
START_S = 60
PAGE = """\
<!doctype html><html lang="en"><title>Costs</title><main><h1>Costs</h1>
<h2 id="set-a-budget">Set a budget</h2><p>A budget is a limit on spending.</p></main></html>
"""
KIT_PAGE = "<svelte:head><title>Costs</title></svelte:head>\n<main><h1>Set a budget</h1><p>A limit.</p></main>\n"
KIT_LAYOUT = """\
<script>
  import { onMount } from 'svelte';
  let { children } = $props();
  onMount(() => import('searchsocket-client/components'));
</script>
<searchsocket-dialog></searchsocket-dialog>
{@render children()}
"""
KIT_HOOKS = """\
import { searchsocketHandle } from 'searchsocket-client/sveltekit';
export const handle = searchsocketHandle();
"""
KIT_VITE = """\
import adapter from '@sveltejs/adapter-node';
import { sveltekit } from '@sveltejs/kit/vite';
import { defineConfig } from 'vite';
export default defineConfig({ plugins: [sveltekit({ adapter: adapter() })] });
"""
KIT_TYPES = """\
import { createSearchClient, type Result, type SearchRequest } from 'searchsocket-client';
const request: SearchRequest = { q: 'budget', topK: 1 };
export const first = async (): Promise<Result | undefined> =>
  (await createSearchClient({ endpoint: '/api/search' }).search(request)).results[0];
"""
KIT_HTML = (
    '<!doctype html><html lang="en"><head>%sveltekit.head%</head><body><div>%sveltekit.body%</div></body></html>\n'
)
ASTRO_PAGE = """\
---
import { buildResultUrl } from 'searchsocket-client';
const address = buildResultUrl({ href: '/costs#budget' });
---
<html lang="en"><head><title>Costs</title></head><body>
<main><h1>Set a budget</h1><a href={address}>Costs</a></main>
<searchsocket-dialog static></searchsocket-dialog>
<script>import 'searchsocket-client/components';</script>
</body></html>
"""


def main() -> None:
    if not DIST.is_dir():
        raise SystemExit("dist/ is missing; run `make release` first")
    with tempfile.TemporaryDirectory() as folder, served(index_folder(Path(folder))) as address:
        scratch = Path(folder)
        for version in sys.argv[1:] or PYTHONS:
            found = subprocess.run(
                [UV, "python", "find", "--no-python-downloads", version], capture_output=True, text=True
            )
            if found.returncode and sys.argv[1:]:
                raise SystemExit(f"FAILED: Python {version} is not on this machine")
            if found.returncode:
                say(f"NOT TESTED: Python {version} is not on this machine")
                continue
            try_python(version, address, scratch / version)
            shutil.rmtree(scratch / version)  # a gigabyte
        try_kit(address, scratch / "kit")
        try_astro(address, scratch / "astro")


def index_folder(folder: Path) -> Path:
    """Write an index in the form that pip and uv read, with one page per project; return its folder."""
    index = folder / "index"
    for path in sorted(DIST.iterdir()):
        if path.name.endswith((".whl", ".tar.gz", ".tgz")):
            name = re.split(r"-\d", path.name)[0].replace("_", "-")
            page = index / "simple" / name / "index.html"
            page.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, page.parent)
            with page.open("a", encoding="utf-8") as file:
                file.write(f'<a href="{path.name}">{path.name}</a>\n')
    return index


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files without a line per request."""

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine; yield its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def try_python(version: str, address: str, folder: Path) -> None:
    """Install and use the Python packages in environments without any other package."""
    folder.mkdir()
    index = f"{address}/simple/"
    own = {
        "UV_PYTHON": version, "UV_INDEX": index, "PIP_EXTRA_INDEX_URL": index,
        "UV_TOOL_DIR": f"{folder}/tools", "UV_TOOL_BIN_DIR": f"{folder}/bin", "UV_PYTHON_DOWNLOADS": "never",
        "SEARCHSOCKET_CACHE": f"{folder}/cache", "PATH": f"{folder}/bin:{UV.parent}:{os.environ['PATH']}",
    }  # fmt: skip
    say(f"# Python {version}")
    refresh = "--refresh-package searchsocket --refresh-package searchsocket-serve"  # earlier builds of this version
    shown = run(f"uvx {refresh} searchsocket --version", folder, own)
    check(shown.strip() == expected_version(), shown)
    run("uv venv -q --seed plain && plain/bin/pip install -q --no-compile searchsocket", folder, own)
    check(run("plain/bin/searchsocket --version", folder, own).strip() == expected_version(), version)
    run('uv venv -q --seed milvus && milvus/bin/pip install -q --no-compile "searchsocket[milvus]"', folder, own)
    run('milvus/bin/python -c "import pymilvus, searchsocket.extensions.milvus"', folder, own)
    run("uv venv -q --seed serve && serve/bin/pip install -q --no-compile searchsocket-serve", folder, own)
    run(f"uv tool install -q {refresh} searchsocket", folder, own)
    try_readme(folder, own)
    run(f"cd site && {folder}/serve/bin/searchsocket search budget", folder, own)


def try_readme(folder: Path, environ: dict[str, str]) -> None:
    """Run the commands of the README's section "Your own site" on a new site."""
    site = folder / "site"
    site.mkdir()
    (site / "page.html").write_text(PAGE, encoding="utf-8")
    scripts = {"build": "mkdir -p build && cp page.html build/costs.html && cp page.html build/index.html"}
    (site / "package.json").write_text(json.dumps({"name": "site", "scripts": scripts}), encoding="utf-8")
    section = (
        (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Your own site\n")[2].partition("\n## ")[0]
    )
    for line in re.findall(r"^\$ ([^#\n]*[^#\s])", section, re.MULTILINE):
        if line == "searchsocket serve":
            with started(f"{line} --port 0", site, environ) as process:
                assert process.stdout
                service = process.stdout.readline().partition("Searching at ")[2].partition(" ")[0]
                with urlopen(f"{service}api/search?q=budget") as response:
                    results = json.load(response)["results"]
                say(f"  GET {service}api/search?q=budget: {results[0]['title']}")
        else:
            shown = run(line, site, environ)
            check("search " not in line or "Set a budget" in shown, shown)


def try_kit(address: str, folder: Path) -> None:
    """Build a new SvelteKit site with the client's component and handle, and ask its server."""
    say("# SvelteKit")
    packages = "@sveltejs/kit @sveltejs/adapter-node @sveltejs/vite-plugin-svelte svelte vite typescript"
    write(folder, {
        "package.json": '{"name": "kit", "private": true, "type": "module"}',
        "vite.config.js": KIT_VITE,
        "src/app.html": KIT_HTML,
        "src/first.ts": KIT_TYPES,
        "src/hooks.server.js": KIT_HOOKS,
        "src/routes/+layout.svelte": KIT_LAYOUT,
        "src/routes/+page.svelte": KIT_PAGE,
    })  # fmt: skip
    run(f"npm install --no-audit --no-fund --loglevel error {packages} {client_address(address)}", folder, {})
    run("npx tsc --noEmit --strict --module esnext --moduleResolution bundler src/first.ts", folder, {})
    run("npx vite build --logLevel error", folder, {})
    environ = {"PORT": "0", "HOST": "127.0.0.1", "SEARCHSOCKET_URL": "http://127.0.0.1:9"}
    with started("node build", folder, environ) as process:
        assert process.stdout
        origin = process.stdout.readline().split()[-1]
        with urlopen(origin) as response:
            check("searchsocket-dialog" in response.read().decode(), "the page lacks the dialog")
    say("  the page has <searchsocket-dialog>, and the server runs with the handle")
    check(any("searchsocket-dialog" in text(path) for path in (folder / "build/client").rglob("*.js")), "no component")


def try_astro(address: str, folder: Path) -> None:
    """Build a new Astro site with the client and its component."""
    say("# Astro")
    write(folder, {"package.json": '{"name": "astro", "type": "module"}', "src/pages/index.astro": ASTRO_PAGE})
    run(f"npm install --no-audit --no-fund --loglevel error astro {client_address(address)}", folder, {})
    run("npx astro build --silent", folder, {"ASTRO_TELEMETRY_DISABLED": "1"})
    check("/costs" in text(folder / "dist/index.html"), "the client was not used")
    check(any("attachShadow" in text(path) for path in (folder / "dist").rglob("*.js")), "no component")
    say("  the page uses the client, and a script has the component")


def client_address(address: str) -> str:
    """Return the address of the client's package."""
    (path,) = DIST.glob("*.tgz")
    return f"{address}/simple/{re.split(r'-[0-9]', path.name)[0]}/{path.name}"


def expected_version() -> str:
    """Return what `searchsocket --version` prints in an installation of these packages."""
    (wheel,) = DIST.glob("searchsocket-*.whl")
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout
    return f"searchsocket {wheel.name.split('-')[1]} ({commit[:12]})"


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files that use the client under the name of its package."""
    with tarfile.open(next(DIST.glob("*.tgz"))) as archive:
        package = archive.extractfile("package/package.json")
        assert package
        client = json.load(package)["name"]
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content.replace("searchsocket-client", client), encoding="utf-8")


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def run(line: str, folder: Path, environ: dict[str, str]) -> str:
    """Run a shell command, print it with the end of its output, and return that output."""
    say(f"$ {line}")
    began = time.monotonic()
    command = ["bash", "-c", f"set -e; {line}"]
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **environ}, capture_output=True, text=True, check=False
    )
    lines = (done.stdout + (done.stderr if done.returncode else "")).rstrip().splitlines()
    for shown in lines if done.returncode else lines[-MAX_LINES:]:
        say(f"  {shown}")
    check(done.returncode == 0, f"exit status {done.returncode}")
    say(f"  ({time.monotonic() - began:.1f} s)")
    return done.stdout


@contextmanager
def started(line: str, folder: Path, environ: dict[str, str]) -> Iterator["subprocess.Popen[str]"]:
    """Start a server and stop it at the end."""
    say(f"$ {line}")
    command = ["bash", "-c", f"exec {line}"]
    variables = {**os.environ, "PYTHONUNBUFFERED": "1", **environ}
    process = subprocess.Popen(command, cwd=folder, env=variables, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(START_S)


def check(is_right: bool, text: str) -> None:
    if not is_right:
        raise SystemExit(f"FAILED: {text}")


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main()
