"""The comparison of extraction speed measures what it says: all the files, the same ones on every side."""

import json
import shutil
from pathlib import Path

import pytest

from bench.extraction.__main__ import PEER, measure, sample
from bench.extraction.ours import run_stages, run_steps
from bench.indexing.generate import write_site


@pytest.fixture
def build(tmp_path: Path) -> Path:
    write_site(tmp_path / "build", 4)
    return tmp_path / "build"


def test_the_sample_is_spread_evenly_over_the_site(build: Path) -> None:
    """The first pages of a site are often all of one kind."""
    names = sample(build, 100)
    assert len(names) == 4
    assert sample(build, 2) == [names[0], names[2]]


def test_steps_and_stages_make_the_same_chunks(build: Path, tmp_path: Path) -> None:
    """The steps leave out the database, not the work."""
    steps = run_steps(build, sample(build, 4), tmp_path / "mirror")
    stages = run_stages(tmp_path)
    assert steps["pages"] == stages["pages"] == 4
    assert steps["chunks"] == stages["chunks"] > 4
    assert len(list((tmp_path / "mirror").rglob("*.md"))) == 4


@pytest.mark.skipif(
    shutil.which("node") is None or not (PEER / "node_modules").exists(),
    reason="no Node, or the peer's packages are not installed: `npm ci` in bench/extraction/peer",
)
def test_the_peer_reads_the_same_pages(build: Path, tmp_path: Path) -> None:
    """A peer that skips pages, or loses their text, would be fast."""
    figures = measure(build, sample(build, 4), tmp_path / "work", 1)
    peer, steps = figures["peer"][0], figures["steps"][0]
    assert peer["pages"] == steps["pages"] == 4
    assert peer["characters"] == pytest.approx(steps["characters"], rel=0.05)
    assert peer["chunks"] == pytest.approx(steps["chunks"], rel=0.5)


def test_the_peer_is_pinned() -> None:
    """Its speed is a figure of these versions."""
    report = json.loads((PEER / "package.json").read_text(encoding="utf-8"))["dependencies"]
    locked = json.loads((PEER / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert {name: locked[f"node_modules/{name}"]["version"] for name in report} == report
