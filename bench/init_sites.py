"""Build the configurations of `tests/setup` after `init --static`, and search each site in Chromium.

    python -m bench.init_sites PACKAGES [NAME ...]

PACKAGES contains a folder `nm-NAME` with `node_modules` for each generator on Node, and `py`, a virtual environment for
those in Python. A configuration whose generator is not there is left out. NAME selects configurations.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import TimeoutError

from tests.chromium import open_chromium
from tests.setup.configurations import CONFIGURATIONS, Configuration

_NODE = ("kit", "vitepress", "vuepress", "docusaurus", "astro", "next", "nuxt", "eleventy", "hexo", "antora")
_OUTCOME = "searchsocket-dialog [role=option]"


def main(packages: Path, names: list[str]) -> None:
    """Print a row per configuration."""
    for site in CONFIGURATIONS:
        if names and not any(name in site.name for name in names):
            continue
        with tempfile.TemporaryDirectory() as folder:
            print(
                f"| {site.name} | {site.deployed or '—'} | {_outcome(site, Path(folder) / 'harbour', packages)} |",
                flush=True,
            )


def _outcome(site: Configuration, root: Path, packages: Path) -> str:
    for name, text in site.files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    paths = [Path(sys.executable).parent, packages / "py/bin"]
    if site.modules in _NODE:
        modules = packages / f"nm-{site.modules}/node_modules"
        home = next(folder for folder in (root / "website", root) if (folder / "package.json").exists())
        (home / "node_modules").symlink_to(modules)
        paths.append(modules / ".bin")
    environ = {**os.environ, "PATH": ":".join([*map(str, paths), os.environ["PATH"]]), "NEXT_TELEMETRY_DISABLED": "1"}
    environ |= {"ASTRO_TELEMETRY_DISABLED": "1", "NUXT_TELEMETRY_DISABLED": "1", "CI": "1"}
    run = partial(_run, root, environ)
    done = run("searchsocket init --static --yes")
    if done.returncode:
        return f"init failed: {done.stderr[-200:]}"
    (next_steps,) = re.findall(r"\nNext:\n((?:  .*\n)+)", done.stdout)
    commands = [line.partition("  #")[0].strip() for line in next_steps.splitlines()]
    commands = [command for command in commands if not command.startswith("searchsocket search ")]
    if site.build:
        commands[0] = site.build
    if not shutil.which(_program(commands[0]), path=environ["PATH"]):
        return "not installed here"
    for command in commands:
        done = run(command)
        if done.returncode:
            return f"`{command}` failed: {(done.stdout + done.stderr)[-300:]!r}"
    if not site.deployed or site.by_hand:
        return "built" + (f", lines by hand in {', '.join(site.by_hand)}" if site.by_hand else "")
    return _search(root / site.deployed, site.base)


def _program(command: str) -> str:
    return re.sub(r"^\(cd \S+ && ", "", command).split()[0]


def _run(root: Path, environ: dict[str, str], command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, shell=True, cwd=root, env=environ, capture_output=True, text=True, check=False)


def _search(folder: Path, base: str) -> str:
    """Open the built site below its base path, and search."""
    with tempfile.TemporaryDirectory() as parent:
        served = Path(parent) / base.strip("/") if base else Path(parent) / "site"
        shutil.copytree(folder, served)
        if (pages := folder.parent / "prerendered").is_dir():  # the server of SvelteKit serves both
            shutil.copytree(pages, served, dirs_exist_ok=True)
        with _files_of(Path(parent) if base else served) as origin, open_chromium() as browser:
            page = browser.new_page()
            failed: list[str] = []
            page.on("response", lambda response: failed.append(response.url) if response.status >= 400 else None)
            page.goto(f"{origin}{base}/")
            try:
                page.wait_for_function("() => !!customElements.get('searchsocket-dialog')", timeout=60_000)
            except TimeoutError:
                return "no dialog"
            count = page.locator("searchsocket-dialog").count()
            page.wait_for_load_state("networkidle")  # frameworks draw the page again
            page.keyboard.press("Control+k")
            page.keyboard.type("bowline")
            try:
                page.locator(_OUTCOME).first.wait_for(timeout=60_000)
            except TimeoutError:
                return f"no result: {page.locator('searchsocket-dialog').first.inner_text()!r}, failed: {failed[:3]}"
            title = page.locator(_OUTCOME).first.inner_text().split("\n")[0]
            failures = [url for url in failed if "favicon" not in url]
            return f"{count} dialog, first result {title!r}" + (f", failed: {failures[:3]}" if failures else "")


@contextmanager
def _files_of(folder: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2:])
