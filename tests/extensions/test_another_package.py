"""An extension of another distribution: the documented example, as a wheel that is built and installed here."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from small_site import write_site

EXAMPLE = Path(__file__).parents[2] / "examples" / "glossary"
PLACES = """
import asyncio, json, os, sys
from pathlib import Path
import httpx
from search_api.app import create_app
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.index import index_scope
from searchsocket.project.project import open_project
from searchsocket_assets.definitions import build_definitions
from searchsocket_assets.site import traits_of_project

root = os.environ["SEARCHSOCKET_PROJECT"] = sys.argv[1]
project = open_project(Path(root), {})
app = create_app(project, environ={})

async def ask():
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        known = await client.get("/api/glossary", params={"term": "MOORING"})
        document = (await client.get("/api/openapi.json")).json()
        return known.status_code, known.json(), "/api/glossary" in document["paths"]

from searchsocket.agents.tools import TOOLS
from searchsocket.agents.library import offered_tools
tools = list(offered_tools(("core",), project.settings, ["site"]))
definitions = build_definitions(root, traits=traits_of_project(os.environ))
keys = [key.to_user_string() for key in definitions.resolve_all_asset_keys()]
summary = index_scope(ScopeRun(project, project.scope_named("main"), "run", environ=os.environ))
print(json.dumps({"http": asyncio.run(ask()), "stages": list(summary.seconds), "warnings": summary.warnings,
                  "tools": tools, "about": TOOLS["glossary"].description(tools),
                  "assets": keys}))
"""


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example, built and installed without a network."""
    folder = tmp_path_factory.mktemp("packages")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder / "dist")]
    subprocess.run(build, cwd=EXAMPLE, check=True, capture_output=True)
    (wheel,) = (folder / "dist").glob("*.whl")
    target = ["--no-index", "--no-deps", "--target", str(folder / "installed")]
    uv = Path(sys.executable).with_name("uv")
    subprocess.run([uv, "pip", "install", "-q", "--python", sys.executable, *target, wheel], check=True)
    return folder / "installed"


def started(packages: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    environ = {**os.environ, "PYTHONPATH": str(packages)}
    return subprocess.run(command, env=environ, cwd=EXAMPLE.parents[1], capture_output=True, text=True, check=False)


def command(packages: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return started(packages, sys.executable, "-m", "searchsocket.cli.main", *arguments)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write_site(tmp_path / "harbour")
    (root / "searchsocket.toml").write_text("[glossary]\nenable = true\n")
    terms = 'mooring = "A place where a boat is tied up."\ngunwale = "The upper edge of a boat."\n'
    (root / "glossary.toml").write_text(terms)
    return root


def places(packages: Path, root: Path) -> dict[str, object]:
    result = started(packages, sys.executable, "-c", PLACES, str(root))
    assert result.returncode == 0, result.stderr
    answer: dict[str, object] = json.loads(result.stdout.splitlines()[-1])
    return answer


def test_it_is_seen_everywhere(packages: Path, root: Path) -> None:
    result = places(packages, root)
    definition = {"term": "mooring", "definition": "A place where a boat is tied up."}
    assert result["http"] == [200, definition, True]
    assert result["tools"] == ["search", "get_page", "ask", "glossary"]
    assert str(result["about"]).startswith("Get the definition of a term")
    assert {"glossary", "glossary_terms"} <= set(result["assets"])  # type: ignore[call-overload]
    assert list(result["stages"])[-2:] == ["search_index", "glossary_terms"]  # type: ignore[call-overload]
    assert result["warnings"] == ["no page contains these terms of the glossary: gunwale"]


def test_its_command_is_listed_and_answers(packages: Path, root: Path) -> None:
    assert "  glossary    Show the definition of a term." in command(packages, "--help").stdout.splitlines()
    result = command(packages, "glossary", "mooring", "--project", str(root))
    assert result.stdout == "term: mooring\ndefinition: A place where a boat is tied up.\n"
    unknown = command(packages, "glossary", "sail", "--project", str(root))
    assert (unknown.returncode, unknown.stderr) == (
        2, "error [INVALID_REQUEST]: the glossary has no term 'sail'; it has gunwale, mooring\n",
    )  # fmt: skip


def test_its_settings_are_checked_like_ours(packages: Path, root: Path) -> None:
    (root / "searchsocket.toml").write_text("[glossary]\nfil = 'terms.toml'\n")
    result = command(packages, "glossary", "mooring", "--project", str(root))
    assert "unknown key glossary.fil" in result.stderr
    assert "did you mean glossary.file?" in result.stderr
    (root / "searchsocket.toml").write_text("[glossary]\nfile = 'terms.toml'\n")
    output = command(packages, "config", "show", "--project", str(root)).stdout
    assert 'glossary.file = "terms.toml"  # searchsocket.toml' in output


def test_an_extension_that_is_off_offers_nothing(packages: Path, root: Path) -> None:
    (root / "searchsocket.toml").write_text("")
    result = places(packages, root)
    names = [name for kind in ("tools", "assets", "stages") for name in list(result[kind])]  # type: ignore[call-overload]
    assert not [name for name in names if "glossary" in name]
    status, _, is_documented = result["http"]  # type: ignore[misc]
    assert (status, is_documented) == (404, False)


def test_without_the_package_its_section_is_unknown(root: Path, tmp_path: Path) -> None:
    result = command(tmp_path, "config", "show", "--project", str(root))
    assert "unknown key glossary" in result.stderr


def test_a_broken_package_is_named(tmp_path: Path, root: Path) -> None:
    (tmp_path / "broken.py").write_text("EXTENSION = 3\n")
    info = tmp_path / "broken-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[searchsocket.extensions]\nbroken = broken:EXTENSION\n")
    result = command(tmp_path, "--help")
    assert result.returncode == 2
    assert result.stderr == (
        "error [CONFIG_INVALID]: the extension 'broken:EXTENSION' is not an `Extension`; uninstall it\n"
    )
