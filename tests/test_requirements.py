"""Imports are declared, and the lock matches the declarations and the installation; no package index is called."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions, version
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from release.licences import closure
from searchsocket.extensions.code.parsing.definitions import grammars

ROOT = Path(__file__).resolve().parent.parent
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)(?: *; *([^\\]+))?", re.MULTILINE)


STANDARD = {*sys.stdlib_module_names, "compression"}  # that one since Python 3.14
# Loaded by their names.
GRAMMARS = {canonicalize_name(module) for module, _ in grammars.MODULES.values()}
# Reached through another package, and run by it alone.
RUN_BY_OTHERS = {"dagster-webserver", "gcsfs", "httptools", "s3fs"}


def imported() -> Iterator[tuple[str, str]]:
    """(file, distribution) of everything that the product imports and that is not its own or Python's."""
    own = {"searchsocket", "searchsocket_assets", "search_api"}
    distributions = packages_distributions()
    for path in sorted(path for package in own for path in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            for module in {name.partition(".")[0] for name in names} - own - STANDARD:
                yield str(path.relative_to(ROOT)), canonicalize_name(distributions[module][0])


def test_declared_packages_are_those_the_product_imports() -> None:
    """A package that comes along with another one can go with it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    declared = {canonicalize_name(Requirement(text).name) for requirements in lists for text in requirements}
    used = set(imported())
    assert {(file, name) for file, name in used if name not in declared} == set()
    assert declared - {name for _, name in used} == RUN_BY_OTHERS | GRAMMARS


def test_the_serving_requirements_are_a_literal_part_of_all() -> None:
    everything = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    serving = tomllib.loads((ROOT / "serve/pyproject.toml").read_text())["project"]
    assert set(serving["dependencies"]) < set(everything["dependencies"])
    assert serving["optional-dependencies"].items() <= everything["optional-dependencies"].items()


LOCKS = {"requirements.lock": ("dev", "bench"), "requirements-release.lock": ("release",)}  # file -> groups


def required(lock: str) -> Iterator[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    lists = [project["dependency-groups"][group] for group in LOCKS[lock]]
    if "dev" in LOCKS[lock]:
        lists += [project["project"]["dependencies"], *project["project"]["optional-dependencies"].values()]
    for requirements in lists:
        yield from (Requirement(text) for text in requirements if isinstance(text, str))


def pinned(lock: str = "requirements.lock") -> dict[str, str]:
    """Name -> version of what a lock installs on this platform."""
    return {
        canonicalize_name(name): pin
        for name, pin, marker in PIN.findall((ROOT / lock).read_text())
        if not marker or Marker(marker.strip()).evaluate()
    }


@pytest.mark.parametrize("lock", LOCKS)
def test_every_requirement_is_pinned_within_its_range(lock: str) -> None:
    pins = pinned(lock)
    for requirement in required(lock):
        name = canonicalize_name(requirement.name)
        assert name in pins, f"{requirement} is not in {lock}; run `make lock`"
        assert requirement.specifier.contains(pins[name], prereleases=True), (
            f"{name}=={pins[name]} is not {requirement}"
        )


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_hashes(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert text.count("==") <= text.count("--hash=sha256:")


def test_the_environment_is_the_locked_one() -> None:
    different = {name: (pin, version(name)) for name, pin in pinned().items() if version(name) != pin}
    assert different == {}, "run `make .venv/.ready`"


def test_the_locked_packages_fit_one_another() -> None:
    result = subprocess.run(
        [ROOT / ".venv/bin/uv", "pip", "check", "--python", sys.executable], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr


def test_the_installer_itself_is_pinned_alike() -> None:
    own = PIN.findall((ROOT / "requirements-uv.lock").read_text())
    assert own[0][:2] == ("uv", pinned()["uv"])


def test_the_documents_name_how_many_packages_come_along() -> None:
    """Without extras, on this platform; every further package is one that somebody has to trust."""
    packages = closure([Requirement("searchsocket")])
    assert f"| install | {len(packages)} packages, " in (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(packages) <= 90
