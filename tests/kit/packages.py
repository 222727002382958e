"""Packages of npm that tests need, as a lock names them: fetched once a machine, kept in the user's cache folder."""

import os
import platform
import shutil
import subprocess
from functools import cache
from hashlib import sha256
from pathlib import Path

import platformdirs
import pytest
from filelock import FileLock

APPS = Path(__file__).parent / "apps"
NPM = ("npm", "ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error")
_FETCH_S = 300.0


@cache
def packages(name: str) -> Path:
    """The `node_modules` of one of the apps; the test is skipped where npm or its registry is absent."""
    lock = (APPS / name / "package-lock.json").read_bytes()
    key = sha256(lock + f"{platform.system()} {platform.machine()}".encode()).hexdigest()[:12]
    folder = platformdirs.user_cache_path("searchsocket-tests") / f"{name}-{key}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not (folder / "node_modules").exists():
            _fetch(name, folder)
    return folder / "node_modules"


def _fetch(name: str, folder: Path) -> None:
    if not shutil.which("npm"):
        pytest.skip("no npm on this machine")
    temporary_folder = folder.with_suffix(f".{os.getpid()}")
    temporary_folder.mkdir()
    for file in ("package.json", "package-lock.json"):
        shutil.copy(APPS / name / file, temporary_folder)
    result = subprocess.run(NPM, cwd=temporary_folder, capture_output=True, text=True, timeout=_FETCH_S, check=False)
    if result.returncode:
        shutil.rmtree(temporary_folder)
        pytest.skip(f"npm did not give {name}: {result.stderr[:300]}")
    temporary_folder.rename(folder)


def runtime(pattern: str) -> Path:
    """A program of `apps/runtimes`, for this machine."""
    path = next(packages("runtimes").glob(pattern), None)
    if path is None:
        pytest.skip(f"there is no {pattern} for {platform.system()} on {platform.machine()}")
    return path


def node22() -> Path:
    """Node 22, which SvelteKit 3 needs."""
    return runtime("node-*/bin/node")


def workerd() -> Path:
    """Return the path of workerd, Cloudflare's runtime for workers, which has no Node."""
    return runtime("@cloudflare/workerd-*/bin/workerd")
