"""A SvelteKit site with search put into it by `searchsocket init`, built, and running on Node 22."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.kit.packages import APPS, node22, packages

COMMAND = Path(sys.executable).with_name("searchsocket")
# As adapter-node documents a server of one's own; that of the build cannot say which port it was given.
SERVER = """
import { createServer } from 'node:http';
import { handler } from './build/handler.js';
createServer(handler).listen(0, '127.0.0.1', function () { console.log(this.address().port); });
"""
WRITTEN = "searchsocketHandle({ markdown: true })"
# What init wrote with one more option, and handles of other paths that ask the recorder.
OPTIONS = """searchsocketHandle({ markdown: true, mcp: true }),
	searchsocketHandle({
		url: process.env.RECORDER, path: '/kept', paths: ['/kept/*'], key: '', maxBodyBytes: 2000, timeoutMs: 1_000_000
	}),
	searchsocketHandle({ url: process.env.RECORDER, path: '/late/wait', timeoutMs: 100 }),
	searchsocketHandle({ url: 'http://127.0.0.1:9', path: '/away' })"""


@dataclass(frozen=True)
class BuiltSite:
    """A site, and what init said of it."""

    root: Path
    said: Mapping[str, Any]


def build_site(kit: str, root: Path) -> BuiltSite:
    """A site of SvelteKit `kit`, with search in it, built by its own Vite."""
    result, modules, node = root / "said.json", packages(kit), node22()
    if not result.exists():
        for folder in (APPS / "both", APPS / kit):
            shutil.copytree(folder, root, dirs_exist_ok=True)
        (root / "node_modules").symlink_to(modules)
        (root / "server.mjs").write_text(SERVER)
        environ = _environ() | {"PATH": f"{node.parent}{os.pathsep}{os.environ['PATH']}"}
        outcome = _run([COMMAND, "init", "--yes", "--json"], root, environ)
        hooks = root / "src/hooks.server.js"
        text = hooks.read_text()
        assert WRITTEN in text, text
        hooks.write_text(text.replace(WRITTEN, OPTIONS))
        _run([node, "node_modules/vite/bin/vite.js", "build"], root, environ)
        result.write_text(outcome)
    return BuiltSite(root, json.loads(result.read_text()))


@contextmanager
def running_site(site: BuiltSite, environ: Mapping[str, str]) -> Iterator[int]:
    """The port of a built site."""
    command = [str(node22()), "server.mjs"]
    process = subprocess.Popen(
        command, cwd=site.root, env=_environ() | environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        process.terminate()
        process.communicate(timeout=60)


def _environ() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("SEARCHSOCKET")}


def _run(command: list[Any], root: Path, environ: Mapping[str, str]) -> str:
    result = subprocess.run(
        [str(word) for word in command], cwd=root, env=environ, capture_output=True, text=True, timeout=300, check=False
    )
    assert result.returncode == 0, f"{command}: {result.stdout[-3000:]}{result.stderr[-3000:]}"
    return result.stdout
