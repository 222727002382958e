"""Extraction in several processes gives what one process gives (DESIGN 9)."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from searchsocket.pipeline import page_mirror
from tests.pipeline.conftest import Site

PAGES = 40  # several batches, so that both workers have some


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many workers each extraction was given; sites are small here, and yet shared out."""
    numbers: list[int] = []
    original = page_mirror.map_batches

    def noting(*arguments: Any, workers: int, **options: Any) -> Iterator[Any]:
        numbers.append(workers)
        return original(*arguments, workers=workers, **options)

    monkeypatch.setattr(page_mirror, "_SERIAL_BELOW_BYTES", 0)
    monkeypatch.setattr(page_mirror, "map_batches", noting)
    return numbers


@pytest.fixture
def built(tmp_path: Path) -> Callable[[int], Site]:
    """A site that is indexed with a number of workers; its name does not tell which."""

    def make(workers: int) -> Site:
        site = Site(tmp_path / str(workers) / "site")
        for number in range(PAGES):
            body = f"<p>Boat {number} of the fjord.</p><pre><code>row --boat {number}</code></pre>"
            site.write(f"boats/{number}.html", f"Boat {number}", f"{body}<a href='{(number + 1) % PAGES}'>Next</a>")
        site.write("empty.html", "", "")
        (site.root / "build" / "bad.html").write_bytes(b"<main>\xff\xfe\x00 not text <table><tr><p>")
        (site.root / "searchsocket.toml").write_text(
            f'run.workers = {workers}\nembeddings.provider = "hash"\nproject.base_url = "https://museum.example"\n'
        )
        site.index()
        return site

    return make


def test_two_workers_write_the_same_bytes_and_records_as_one(asked: list[int], built: Callable[[int], Site]) -> None:
    """More cores make a run faster and nothing else: mirror, records and their order on disk are equal."""
    serial, parallel = built(1), built(2)
    assert asked == [1, 2]
    mirrors = [
        {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*.md"))}
        for folder in (serial.project.mirror_dir, parallel.project.mirror_dir)
    ]
    assert len(mirrors[0]) > PAGES
    assert mirrors[0] == mirrors[1]
    assert len(serial.records()) > PAGES
    assert serial.records() == parallel.records()


def test_a_second_run_with_other_workers_changes_nothing(asked: list[int], built: Callable[[int], Site]) -> None:
    site = built(1)
    before = site.mirror()
    (site.root / "searchsocket.toml").write_text('run.workers = 2\nembeddings.provider = "hash"\n')
    summary = site.index(force=True)
    assert asked == [1, 2]
    assert (summary.chunks["changed"], summary.embeddings["created"]) == (0, 0)
    assert site.mirror() == before
