"""Wheels, npm archives and repositories on disk: their files, their name, and whether their licence is permissive."""

import json
import re
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes
from pathlib import Path

from training.pairs import EVALUATION_SITES

SUFFIXES = (".py", ".js", ".mjs", ".ts", ".java", ".go", ".rs", ".md", ".mdx")
MAX_BYTES = 400_000  # a longer file is generated or bundled
_SKIPPED = re.compile(
    r"(^|/)(tests?|testing|__tests__|vendor|vendored|_vendor|node_modules|third_party|external|i18n|locale|blog|"
    r"changelog|release-?notes|docs/releases|fixtures|benchmarks?|generated)(/|$)"
    r"|(^|/)(test_|conftest|CHANGE|HISTORY|NEWS)|[._-]test\.|_test\.|\.min\.|\.(spec|umd|cjs)\.|/dist/.*bundle",
    re.IGNORECASE,
)
# What a licence's text or name must say; GPL, AGPL, LGPL, MPL and non-commercial ones match none of it.
_PERMISSIVE = (
    (
        "Apache-2.0",
        re.compile(r"Apache(-| License,? +(Version )?| Software License| )2?|Apache Software", re.IGNORECASE),
    ),
    ("MIT", re.compile(r"\bMIT\b|Permission is hereby granted, free of charge")),
    ("BSD", re.compile(r"\bBSD|Redistribution and use in source and binary forms")),
    ("ISC", re.compile(r"\bISC\b|Permission to use, copy, modify, and/or distribute")),
    ("CC-BY-4.0", re.compile(r"CC[- ]BY[- ]4\.0|Attribution 4\.0 International")),
    ("CC0-1.0", re.compile(r"CC0|public domain", re.IGNORECASE)),
    ("PSF-2.0", re.compile(r"\bPSF|Python Software Foundation")),
)
_KEPT_OUT = (*EVALUATION_SITES, "scrapy", "sveltejs", "django", "postgres", "sqlite")
_REFUSED = re.compile(r"[AL]?GPL|GENERAL PUBLIC|Mozilla|\bMPL|NonCommercial|Share ?Alike|BUSL|SSPL|Commons Clause")


@dataclass(frozen=True, slots=True)
class Source:
    """One package or repository."""

    name: str
    version: str
    licence: str
    path: Path

    def files(self) -> Iterator[tuple[str, str]]:
        """Suffix and text of each file that may hold pairs."""
        for name, data in _members(self.path):
            suffix = Path(name).suffix.lower()
            if suffix in SUFFIXES and len(data) <= MAX_BYTES and not _SKIPPED.search(name):
                yield suffix, data.decode("utf-8", "replace").replace("\r\n", "\n")


def is_kept_out(name: str) -> bool:
    """Return True for what the model or the ranking is judged on."""
    return any(one in name.lower() for one in _KEPT_OUT)


def source_of(path: Path) -> Source | None:
    """What lies at `path`: a wheel, an npm archive, or a git directory; None without a permissive licence."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            inner = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
            fields = message_from_bytes(archive.read(inner))
        told = [fields.get("License-Expression", ""), *fields.get_all("Classifier", [])]
        told = [one for one in told if "License" in one or one == told[0]]
        text = " ".join(told) if any(told) else fields.get("License", "")[:200]
        return _permitted(f"pypi:{fields['Name']}", fields["Version"], text, path)
    if path.suffix == ".tgz":
        with tarfile.open(path) as archive:
            # Nearly all have it in `package/`; some name the folder after themselves.
            first = next(
                member for member in archive if member.name.count("/") == 1 and member.name.endswith("/package.json")
            )
            package = archive.extractfile(first)
            about = json.load(package) if package else {}
        return _permitted(f"npm:{about.get('name')}", str(about.get("version")), str(about.get("license", "")), path)
    name = path.name.replace("+", "/", 1)
    files = _git(path, "ls-tree", "--name-only", "HEAD").split("\n")
    licences = [file for file in files if re.match(r"(?i)(un)?licen[cs]e|copying", file)]
    text = "\n".join(_git(path, "show", f"HEAD:{file}") for file in licences)
    return _permitted(name, _git(path, "rev-parse", "HEAD").strip(), text[:3000], path)


def _permitted(name: str, version: str, text: str, path: Path) -> Source | None:
    if _REFUSED.search(text):
        return None
    licence = next((licence for licence, wanted in _PERMISSIVE if wanted.search(text)), None)
    return Source(name, version, licence, path) if licence else None


def _members(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            for info in wheel.infolist():
                if Path(info.filename).suffix in SUFFIXES and info.file_size <= MAX_BYTES:
                    yield info.filename, wheel.read(info)
        return
    if path.suffix == ".tgz":
        with tarfile.open(path) as archive:
            yield from _tar(archive)
        return
    paths = _git(path, "ls-tree", "-r", "--name-only", "HEAD")
    wanted = [f"*{suffix}" for suffix in SUFFIXES if f"{suffix}\n" in paths]  # git refuses one that nothing matches
    command = ["git", "-C", str(_repository(path)), "archive", "HEAD", "--", *wanted]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        with tarfile.open(fileobj=process.stdout, mode="r|") as archive:
            yield from _tar(archive)


def _tar(archive: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    for member in archive:
        if member.isfile() and Path(member.name).suffix in SUFFIXES and member.size <= MAX_BYTES:
            file = archive.extractfile(member)
            if file is not None:
                yield member.name, file.read()


def _repository(path: Path) -> Path:
    return path / "repo" if (path / "repo").exists() else path


def _git(path: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(_repository(path)), *arguments], capture_output=True, check=False)
    return done.stdout.decode("utf-8", "replace")
