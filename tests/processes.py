"""The real command in processes with an environment of their own."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

COMMAND = str(Path(sys.executable).with_name("searchsocket"))


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return an environment without the user's home, cache and settings."""
    home.mkdir(parents=True, exist_ok=True)
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    return {"PATH": path, "HOME": str(home), "SEARCHSOCKET__API__RATE_LIMIT__MAX": "0", **more}


def command(folder: Path, *arguments: str, status: int = 0, **environ: str) -> dict[str, Any]:
    """Run `searchsocket ... --json`, and return its output as data."""
    result = subprocess.run(
        [COMMAND, *arguments, "--json"],
        cwd=folder,
        env=environment(folder.parent / f"{folder.name}-home", **environ),
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == status, result.stderr + result.stdout
    return dict(json.loads(result.stdout or result.stderr.splitlines()[-1]))


@contextmanager
def served(folder: Path, *arguments: str, **environ: str) -> Iterator[httpx.Client]:
    """`searchsocket serve` in a folder, asked over real HTTP."""
    process = subprocess.Popen(
        [COMMAND, "serve", "--port", "0", *arguments],
        cwd=folder,
        env=environment(folder.parent / f"{folder.name}-home", **environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        address = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
        assert address, process.communicate()
        with httpx.Client(base_url=address[0], timeout=60) as client:
            yield client
    finally:
        process.terminate()
        process.communicate(timeout=60)


def answer(client: httpx.Client, path: str, **parameters: str | int) -> tuple[int, Any]:
    """Status and JSON, without what differs from call to call."""
    response = client.get(path, params=parameters)
    return response.status_code, _steady(response.json())


def _steady(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _steady(inner)
            for key, inner in value.items()
            if key not in ("timingsMs", "ageSeconds", "pollAgeSeconds")
        }
    return [_steady(inner) for inner in value] if isinstance(value, list) else value
