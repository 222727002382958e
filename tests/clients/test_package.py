"""The browser's package: its bundles are those of its sources, small enough, and do what their own tests say."""

import gzip
import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "clients" / "js"
DIST = PACKAGE / "dist"
NODE = shutil.which("node")
REBUILD = "run `npm ci && npm run build` in clients/js and commit the result"
BUNDLES = [path for path in sorted(DIST.glob("*.js")) if (PACKAGE / "src" / f"{path.stem}.ts").is_file()]
each_bundle = pytest.mark.parametrize("bundle", BUNDLES, ids=lambda path: path.name)


@each_bundle
def test_a_bundle_is_that_of_its_sources(bundle: Path) -> None:
    """Checked without npm: the build notes what each was made of."""
    sources = json.loads(bundle.with_suffix(".sources.json").read_text())
    results = {name: hashlib.sha256((PACKAGE / name).read_bytes()).hexdigest() for name in sources}
    assert results == sources, REBUILD


def test_a_build_gives_what_is_committed(tmp_path: Path) -> None:
    if not (NODE and (PACKAGE / "node_modules").is_dir()):
        pytest.skip("needs `npm ci` in clients/js")
    subprocess.run([NODE, "scripts/build.mjs", str(tmp_path / "dist")], cwd=PACKAGE, check=True)
    built, committed = (
        {path.relative_to(folder): path.read_bytes() for path in (folder / "dist").rglob("*") if path.is_file()}
        for folder in (tmp_path, PACKAGE)
    )
    assert built == committed, REBUILD
    parts = Path("test") / "static-parts.js"
    assert (tmp_path / parts).read_bytes() == (PACKAGE / parts).read_bytes(), REBUILD


@each_bundle
def test_a_visitor_loads_little(bundle: Path) -> None:
    """At most 20 kB a bundle, as a server sends it; languages but English come on their own."""
    assert len(gzip.compress(bundle.read_bytes(), 9, mtime=0)) <= 20_000


@pytest.mark.skipif(NODE is None, reason="no node on this machine: apt-get install nodejs")
def test_the_package_keeps_its_own_tests() -> None:
    tests = sorted(map(str, (PACKAGE / "test").glob("*.test.js")))
    result = subprocess.run([NODE or "", "--test", *tests], capture_output=True, text=True, cwd=PACKAGE)
    assert result.returncode == 0, result.stdout
