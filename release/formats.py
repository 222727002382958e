"""Write what a release stores, for the tests of later releases: `python -m release.formats`.

The archive has a project with an index of pages and of source code, two scopes, their state, a folder of artefacts, a
lease whose holder died, and an embedding cache. The release's own command makes all of it.
"""

import argparse
import io
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "tests" / "golden" / "formats"
_FILES = {
    "searchsocket.toml": """[project]
id = "formats"
[scope]
mode = "fixed"
fixed = "main"
[source]
mode = "content-files"
[source.content_files]
globs = ["docs/*.md"]
[code]
enable = true
""",
    "docs/terns.md": "# Terns\n\nThe arctic tern flies south in autumn.\n\n## Routes\n\nIt follows the coast.\n",
    "docs/install.md": "# Install\n\nRun `pip install widget --flag-one` and read [terns](terns.md).\n",
    "docs/operators.md": "# The arrow\n\nWrite `=>` between the arguments and the body.\n",
    "docs/japanese.md": "# 日本語\n\nこのページは東京の話です。\n",
    "golden-queries.toml": '[[query]]\nquery = "arctic tern"\nexpect = "/terns"\n',
    "src/fares.py": 'def add_fare(a: int) -> int:\n    """Add one fare."""\n    return a + 1\n',
}
_LEASE = """
import os, sys
from pathlib import Path
from searchsocket.project.project import open_project
from searchsocket.extensions.fleet.run_lease import run_lease
project = open_project(Path.cwd(), os.environ)
with run_lease(project, project.scope_named("leased"), "0123456789abcdef"):
    os._exit(0)
"""
_LEFT_OUT = ("dagster", ".git", "runs")


def main() -> None:
    """Write the archive of the release of a command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", type=Path, default=Path(sys.executable).with_name("searchsocket"))
    command = parser.parse_args().command
    stated = subprocess.run([command, "--version"], check=True, capture_output=True, text=True).stdout
    version = next(word for word in stated.split() if word[0].isdigit())
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        _make(Path(folder), command)
        target = FOLDER / f"{version}.tar.xz"
        with tarfile.open(target, "w:xz", preset=9) as archive:
            for path in _paths(Path(folder)):
                _add(archive, Path(folder), path)
    print(f"{target.relative_to(ROOT)}: {target.stat().st_size:,} bytes")


def _make(folder: Path, command: Path) -> None:
    project = folder / "project"
    for name, text in _FILES.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder / "home"),
        "SEARCHSOCKET_CACHE": str(folder / "cache"),
        "SEARCHSOCKET__ARTIFACTS__URL": (folder / "store").as_uri(),
    }
    (folder / "home").mkdir()
    options = {"cwd": project, "env": environ, "check": True, "stdout": subprocess.DEVNULL}
    for arguments in (["index", "--scope", "main"], ["index", "--scope", "next"], ["code", "sync", "--scope", "main"]):
        subprocess.run([command, *arguments], **options)  # type: ignore[call-overload]
        edited = project / "docs" / "terns.md"
        edited.write_text(edited.read_text(encoding="utf-8") + "\nIt was edited.\n", encoding="utf-8")
    subprocess.run([command.with_name("python"), "-c", _LEASE], **options)  # type: ignore[call-overload]


def _paths(folder: Path) -> Iterator[Path]:
    for top in ("project", "store", "cache"):
        for path in sorted((folder / top).rglob("*")):
            is_left_out = any(part in _LEFT_OUT for part in path.relative_to(folder).parts)
            if path.is_file() and not path.name.endswith((".lock", "-shm")) and not is_left_out:
                yield path


def _add(archive: tarfile.TarFile, folder: Path, path: Path) -> None:
    data = path.read_bytes()
    entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
    entry.size, entry.mode = len(data), path.stat().st_mode & 0o777
    archive.addfile(entry, io.BytesIO(data))


if __name__ == "__main__":
    main()
