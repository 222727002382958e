"""The lock fits pyproject.toml and is what is installed; nothing is asked of a package index."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)(?: *; *([^\\]+))?", re.MULTILINE)


def required() -> Iterator[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    lists = [project["project"]["dependencies"], *project["project"]["optional-dependencies"].values()]
    for requirements in [*lists, *project["dependency-groups"].values()]:
        yield from (Requirement(text) for text in requirements if isinstance(text, str))


def pinned() -> dict[str, str]:
    """Name -> version of what the lock installs on this platform."""
    return {
        canonicalize_name(name): pin
        for name, pin, marker in PIN.findall((ROOT / "requirements.lock").read_text())
        if not marker or Marker(marker.strip()).evaluate()
    }


def test_every_requirement_is_pinned_within_its_range() -> None:
    pins = pinned()
    for requirement in required():
        name = canonicalize_name(requirement.name)
        assert name in pins, f"{requirement} is not in requirements.lock; run `make lock`"
        assert requirement.specifier.contains(pins[name], prereleases=True), (
            f"{name}=={pins[name]} is not {requirement}"
        )


def test_every_pin_has_hashes() -> None:
    text = (ROOT / "requirements.lock").read_text()
    assert text.count("==") <= text.count("--hash=sha256:")


def test_the_environment_is_the_locked_one() -> None:
    different = {name: (pin, version(name)) for name, pin in pinned().items() if version(name) != pin}
    assert different == {}, "run `make .venv/.ready`"


def test_the_locked_packages_fit_one_another() -> None:
    done = subprocess.run(
        [ROOT / ".venv/bin/uv", "pip", "check", "--python", sys.executable], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_installer_itself_is_pinned_alike() -> None:
    own = PIN.findall((ROOT / "requirements-uv.lock").read_text())
    assert own[0][:2] == ("uv", pinned()["uv"])
