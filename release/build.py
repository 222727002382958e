"""Build the packages of a release from the commit that is checked out, and check them: `make release`.

Writes to `dist/`: a wheel and a source distribution of `searchsocket` and `searchsocket-serve`, the npm package, a bill
of materials of each (CycloneDX), the release notes, and `SHA256SUMS`.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parent.parent
CONTENTS = Path(__file__).with_name("contents")
PYTHON_PROJECTS = {"searchsocket": ".", "searchsocket_serve": "serve"}  # distribution -> folder
NPM_PROJECT = "clients/js"
LOCK = ROOT / "requirements.lock"
BIN = Path(sys.executable).parent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder of the packages; emptied first")
    parser.add_argument("--npm-name", default="", help="name of the npm package, such as @example/search")
    parser.add_argument("--tag", default="", help="tag of the release, which must be that of its version")
    parser.add_argument("--update-contents", action="store_true", help="rewrite the lists of contents; read the diff")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        build_release(options.out.resolve(), Path(folder), options)


def build_release(out: Path, scratch: Path, options: argparse.Namespace) -> None:
    """Build twice from two copies of the commit, keep one result, and check it."""
    if _git("status", "--porcelain").strip():
        print("uncommitted changes are not part of the release", file=sys.stderr)
    shutil.rmtree(out, ignore_errors=True)
    first, second = scratch / "first", scratch / "second"
    for copy in (first, second):
        archive_head(copy / "source")
    version = project_version(first / "source")
    if options.tag not in ("", f"v{version}"):
        raise SystemExit(f"the tag {options.tag} is not v{version}, the version of this commit")
    notes = release_notes((first / "source/CHANGELOG.md").read_text(encoding="utf-8"), version)

    # The first wheel comes from the source distribution, the second from the source itself.
    for folder in PYTHON_PROJECTS.values():
        uv_build(first / "source" / folder, first / "built")
        uv_build(second / "source" / folder, second / "built", "--sdist")
        uv_build(second / "source" / folder, second / "built", "--wheel")
    for copy in (first, second):
        npm_pack(copy / "source" / NPM_PROJECT, copy / "built", options.npm_name)
    check_same(first / "built", second / "built")
    shutil.copytree(first / "built", out)
    for path in sorted(out.iterdir()):
        check_contents(path, update=options.update_contents)
    distributions = [path for path in out.iterdir() if path.name.startswith("searchsocket") and _is_python(path)]
    _run(BIN / "twine", "check", "--strict", *sorted(distributions))
    for wheel in sorted(out.glob("*.whl")):
        write_materials(wheel, scratch)
    write_npm_materials(first / "source" / NPM_PROJECT, out)
    (out / "NOTES.md").write_text(notes, encoding="utf-8")
    write_checksums(out)
    for path in sorted(out.iterdir()):
        print(f"{path.stat().st_size:>12,}  {path.name}")


def archive_head(folder: Path) -> None:
    """Write the files of the commit, and no others; `searchsocket/commit.py` then names the commit."""
    folder.mkdir(parents=True)
    archive = subprocess.run(["git", "-C", ROOT, "archive", "HEAD"], stdout=subprocess.PIPE, check=True).stdout
    subprocess.run(["tar", "x", "-C", folder], input=archive, check=True)


def project_version(source: Path) -> str:
    """Return the version; every package must have it.

    Raises:
        SystemExit: The npm package has another one.
    """
    version = re.search(r'__version__ = "(.+)"', (source / "searchsocket/__init__.py").read_text(encoding="utf-8"))
    assert version
    package = json.loads((source / NPM_PROJECT / "package.json").read_text(encoding="utf-8"))
    if package["version"] != version[1]:
        raise SystemExit(f"{NPM_PROJECT}/package.json has the version {package['version']} instead of {version[1]}")
    return version[1]


def release_notes(changelog: str, version: str) -> str:
    """Return the section of a version, without its heading.

    Raises:
        SystemExit: The changelog has no section of the version, or entries that belong to no version yet.
    """
    sections = dict(re.findall(r"^## \[([^\]]+)\][^\n]*\n(.*?)(?=^## |\Z)", changelog, re.DOTALL | re.MULTILINE))
    if version not in sections:
        raise SystemExit(f"CHANGELOG.md has no section [{version}]")
    if sections.get("Unreleased", "").strip():
        raise SystemExit(f'CHANGELOG.md has entries under "Unreleased"; move them to [{version}]')
    return str(sections[version]).strip() + "\n"


def uv_build(project: Path, out: Path, *options: str) -> None:
    """Build with the locked build tools; equal sources give equal bytes."""
    commit_time = _git("log", "-1", "--format=%ct").strip()
    uv = (BIN / "uv", "build", "-q", "--no-create-gitignore", "--python", sys.executable)
    hashes = ("--build-constraints", LOCK, "--require-hashes")
    _run(*uv, *hashes, "--out-dir", out, *options, project, SOURCE_DATE_EPOCH=commit_time)


def npm_pack(project: Path, out: Path, name: str) -> None:
    """Pack the committed build of the client, which needs no package of npm."""
    if name:
        for file in (project / "package.json", project / "README.md"):
            text = file.read_text(encoding="utf-8").replace("searchsocket-client", name)
            file.write_text(text, encoding="utf-8")
    _run("npm", "pack", "--silent", "--pack-destination", out, cwd=project, stdout=subprocess.DEVNULL)


def check_same(one: Path, other: Path) -> None:
    """Raise SystemExit if two builds differ in a byte."""
    sums = [{path.name: _sha256(path) for path in folder.iterdir()} for folder in (one, other)]
    if sums[0] != sums[1]:
        raise SystemExit(f"two builds differ: {sorted(dict(sums[0].items() ^ sums[1].items()))}")


def check_contents(path: Path, *, update: bool) -> None:
    """Compare what a package contains with its list in `release/contents`.

    Raises:
        SystemExit: They differ.
    """
    golden = CONTENTS / f"{_kind(path)}.txt"
    lines = outline(names_in(path))
    if update:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text("\n".join(lines) + "\n", encoding="utf-8")
    expected = golden.read_text(encoding="utf-8").splitlines()
    if lines != expected:
        more, fewer = sorted(set(lines) - set(expected)), sorted(set(expected) - set(lines))
        raise SystemExit(f"{path.name} is not as {golden.name} lists it; more: {more}, missing: {fewer}")


def names_in(path: Path) -> list[str]:
    """Return the names of the files of a package, below its own folder."""
    if path.suffix == ".whl":
        with ZipFile(path) as archive:
            names = archive.namelist()
        return [re.sub(r"^([\w]+)-[\d.]+\.dist-info/", r"\1.dist-info/", name) for name in names]
    with tarfile.open(path) as archive:
        return [name.partition("/")[2] for name in archive.getnames()]


def outline(names: Iterable[str]) -> list[str]:
    """Return a short list of files: one line per package of Python modules, and per folder and kind of others."""

    def line(name: str) -> str:
        path = PurePosixPath(name)
        if path.suffix == ".py":
            return f"{path.parts[0]}/**/*.py" if len(path.parts) > 1 else name
        is_named = len(path.parts) == 1 or not path.suffix or path.parts[0].endswith(".dist-info")
        return name if is_named else f"{path.parent}/*{''.join(path.suffixes)}"

    return sorted({line(name) for name in names})


def write_materials(wheel: Path, scratch: Path) -> None:
    """Write the bill of materials of a wheel: the locked packages that it brings without extras."""
    environment = scratch / _kind(wheel)
    _run(BIN / "uv", "venv", "-q", "--python", sys.executable, environment)
    python = environment / "bin/python"
    _run(BIN / "uv", "pip", "install", "-q", "--python", python, "-c", LOCK, wheel)
    path = wheel.with_name(f"{_kind(wheel).partition('.')[0]}.cdx.json")
    _run(BIN / "cyclonedx-py", "environment", "--output-reproducible", "-o", path, python)
    # The tool names the file that was installed, which is a path of this machine.
    text = path.read_text(encoding="utf-8").replace(wheel.as_uri(), wheel.name)
    path.write_text(text, encoding="utf-8")


def write_npm_materials(project: Path, out: Path) -> None:
    """Write the bill of materials of the npm package."""
    command = ("npm", "sbom", "--sbom-format", "cyclonedx", "--package-lock-only", "--omit", "dev")
    text = subprocess.run(command, cwd=project, stdout=subprocess.PIPE, text=True, check=True).stdout
    materials = json.loads(text)
    materials.pop("serialNumber", None)  # it and the time differ in each build
    materials["metadata"].pop("timestamp", None)
    component = materials["metadata"]["component"]
    component["name"] = component["bom-ref"].rpartition("@")[0]  # npm takes that of the folder
    name = "searchsocket_client.cdx.json"
    (out / name).write_text(json.dumps(materials, indent=2) + "\n", encoding="utf-8")


def write_checksums(out: Path) -> None:
    """Write `SHA256SUMS`, which `sha256sum -c` reads."""
    lines = [f"{_sha256(path)}  {path.name}\n" for path in sorted(out.iterdir())]
    (out / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def _kind(path: Path) -> str:
    """Return a package's name without its version, such as `searchsocket.whl`; that of the client has any name."""
    if path.suffix == ".tgz":
        return "searchsocket_client.npm"
    return f"{path.name.partition('-')[0]}{'.whl' if path.suffix == '.whl' else '.sdist'}"


def _is_python(path: Path) -> bool:
    return path.name.endswith((".whl", ".tar.gz"))


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _git(*arguments: str) -> str:
    return subprocess.run(["git", "-C", ROOT, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout


def _run(*command: str | Path, cwd: Path | None = None, stdout: int | None = None, **environ: str) -> None:
    """Run a command; a failure ends the release with its name."""
    done = subprocess.run(command, cwd=cwd, stdout=stdout, env={**os.environ, **environ}, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command[:3]))} failed")


if __name__ == "__main__":
    main()
