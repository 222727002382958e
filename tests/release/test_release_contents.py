"""Contents of the packages of a release, and their description in a package index."""

import re
import subprocess
import sys
from email import message_from_string
from pathlib import Path
from zipfile import ZipFile

import pytest

from release.build import CONTENTS, PYTHON_PROJECTS, names_in, outline, release_notes

ROOT = Path(__file__).parents[2]
CHANGELOG = "## [Unreleased]\n\n## [0.2.0] - 2026-11-29\n\n- New.\n\n## [0.1.0]\n\n- Old.\n"


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Wheels made from source distributions of these files, and those, by kind."""
    folder = tmp_path_factory.mktemp("packages")
    uv = [Path(sys.executable).with_name("uv"), "build", "-q", "--offline", "--no-build-isolation"]
    for project in PYTHON_PROJECTS.values():
        subprocess.run([*uv, "--python", sys.executable, "--out-dir", folder, ROOT / project], check=True)
    kinds = {".whl": "whl", ".gz": "sdist"}
    return {f"{path.name.split('-')[0]}.{kinds[path.suffix]}": path for path in folder.glob("searchsocket*")}


@pytest.mark.parametrize("kind", [f"{name}.{kind}" for name in PYTHON_PROJECTS for kind in ("whl", "sdist")])
def test_a_package_contains_what_is_listed(kind: str, packages: dict[str, Path]) -> None:
    """No tests, no state; the licence and the marker of types. `release.build --update-contents` rewrites the lists."""
    listed = (CONTENTS / f"{kind}.txt").read_text(encoding="utf-8").splitlines()
    assert outline(names_in(packages[kind])) == listed


def test_an_index_shows_the_readme_with_its_pictures_and_links(packages: dict[str, Path]) -> None:
    """Addresses that are relative in the repository name the release's tag."""
    with ZipFile(packages["searchsocket.whl"]) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
        metadata = message_from_string(wheel.read(name).decode())
    readme = metadata.get_payload()
    addresses = re.findall(r"\]\(([^)]*)\)", readme)
    assert "# searchsocket" in readme
    assert len(addresses) > 20
    assert [address for address in addresses if not address.startswith(("https://", "#"))] == []
    for address in addresses:
        if f"/v{metadata['Version']}/" in address:
            path = address.partition(f"/v{metadata['Version']}/")[2]
            assert (ROOT / path.partition("#")[0].replace("%28", "(").replace("%29", ")")).exists(), address
            assert ("raw.githubusercontent" in address) == path.endswith(".png")
    assert metadata["Summary"].startswith("Search for docs")


@pytest.mark.parametrize("folder", ["serve", "clients/js"])
def test_each_package_has_the_licence(folder: str) -> None:
    assert (ROOT / folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_the_notes_are_the_section_of_the_version() -> None:
    assert release_notes(CHANGELOG, "0.2.0") == "- New.\n"
    assert release_notes(CHANGELOG, "0.1.0") == "- Old.\n"


@pytest.mark.parametrize(
    ("changelog", "complaint"),
    [
        (CHANGELOG, r"no section \[0.3.0\]"),
        (CHANGELOG.replace("\n\n## [0.2.0]", "\n\n- More.\n\n## [0.3.0]"), "Unreleased"),
    ],
)
def test_a_release_without_its_section_ends(changelog: str, complaint: str) -> None:
    with pytest.raises(SystemExit, match=complaint):
        release_notes(changelog, "0.3.0")
