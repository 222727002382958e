"""The README's commands do what it says, as they are typed there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent
ENVIRON = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "PYTHONUNBUFFERED": "1"}


def commands(heading: str) -> list[str]:
    """Return the text after each `$` below a heading."""
    section = README.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\$ (.*)$", section, flags=re.MULTILINE)


def typed(line: str, folder: Path, **environ: str) -> "subprocess.CompletedProcess[str]":
    result = subprocess.run(
        ["bash", "-c", line], cwd=folder, env=ENVIRON | environ, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, (line, result.stdout, result.stderr)
    return result


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled site, not built yet; its build is copied, since its real one needs the registry."""
    folder = tmp_path_factory.mktemp("readme") / "docs-site"
    source = ROOT / "examples/docs-site"
    left_out = shutil.ignore_patterns("node_modules", "build", ".*", "package*.json", "searchsocket.toml")
    shutil.copytree(source, folder, ignore=left_out)
    (folder / "package.json").write_text(f'{{"name": "docs", "scripts": {{"build": "cp -r {source}/build build"}}}}')
    return folder


@pytest.mark.dagster
def test_your_own_site_works_as_typed(site: Path) -> None:
    outputs: dict[str, str] = {}
    for line in commands("Your own site"):
        if line.startswith("npm ") and not shutil.which("npm"):
            line = f"cp -r {ROOT}/examples/docs-site/build build"
        if line.startswith("searchsocket serve"):
            assert answered(line, site).startswith("Searching at http://127.0.0.1:")
            continue
        outputs[line.split("#")[0].strip()] = typed(line, site).stdout
    assert list(outputs)[:4] == ["searchsocket init", "npm run build", "searchsocket index",
                                 'searchsocket search "set a budget"']  # fmt: skip
    assert outputs['searchsocket search "set a budget"'].startswith("1. Cost and budget")


def answered(line: str, folder: Path) -> str:
    """The first line of a service, which is then asked at the README's own address and stopped."""
    address = re.search(r"http://127\.0\.0\.1:\d+", line)
    assert address, line
    port = address[0].rpartition(":")[2]
    command = re.sub(r"^searchsocket serve", "exec searchsocket serve --port 0", line)
    process = subprocess.Popen(["bash", "-c", command], cwd=folder, env=ENVIRON, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        own = first.partition("http://127.0.0.1:")[2].partition("/")[0]
        with urlopen(f"{address[0].replace(port, own)}/api/search?q=budget") as response:
            assert response.status == 200
        return first
    finally:
        process.terminate()
        process.wait(60)


def test_its_files_are_there() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README):
        assert (ROOT / unquote(target)).exists(), target


def test_it_installs_as_typed_and_brings_its_licence(tmp_path: Path) -> None:
    """Into environments of their own. `uv tool` installs all that is needed; for pip it is there already.

    A registry has the name only after the release, so this folder takes its place.
    """
    tools = {"UV_TOOL_DIR": f"{tmp_path}/tools", "UV_TOOL_BIN_DIR": f"{tmp_path}/bin"}
    environment = tmp_path / "environment"
    typed(f"uv venv -q --seed {environment}", tmp_path)
    typed(f"uv pip install -q --no-deps --python {environment}/bin/python -r {ROOT}/requirements.lock", tmp_path)
    for line in commands("Install"):
        active = {"PATH": f"{environment}/bin{os.pathsep}{ENVIRON['PATH']}", "VIRTUAL_ENV": str(environment)}
        active["PIP_NO_COMPILE"] = "1"  # two commands are run of it, so most of it would be compiled for nobody
        line = line.replace("install searchsocket", "install .").replace('"searchsocket[', '".[')
        typed(line, ROOT, **(tools if line.startswith("uv tool") else active))
    for folder in (f"{tmp_path}/bin", f"{environment}/bin"):
        assert typed(f"{folder}/searchsocket --version", tmp_path).stdout.startswith("searchsocket")
    (licence,) = environment.glob("lib/python*/site-packages/searchsocket-*.dist-info/licenses/LICENSE")
    assert licence.read_bytes() == (ROOT / "LICENSE").read_bytes()


@pytest.mark.dagster
def test_the_demo_runs_as_typed() -> None:
    """The other command is this test's own run, so what it would start is enough."""
    if subprocess.run(["make", "-q", ".venv/.ready"], cwd=ROOT, capture_output=True, check=False).returncode:
        pytest.skip("make would first set up .venv anew, which these tests run in: run `make test`")
    lines = re.findall(r"^make .*", README.partition("## Try it")[2].partition("## ")[0], flags=re.MULTILINE)
    assert [line.split()[1] for line in lines] == ["demo", "test"]
    assert "? how do I go back to the previous index?\n  Rollback  " in typed(lines[0], ROOT).stdout
    assert "-m pytest" in typed(lines[1].replace("make", "make -n", 1), ROOT).stdout
