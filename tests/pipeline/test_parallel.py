"""Extraction and chunking in several processes give what one process gives (spec 8.5)."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from searchsocket.pipeline.extraction import page_steps
from searchsocket.pipeline.stages import page_chunks, page_mirror, search_index
from searchsocket.stores import make_store
from tests.pipeline.conftest import Site

PAGES = 40  # several batches, so that both workers have some


@pytest.fixture
def worker_counts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    return share_out(monkeypatch)


def share_out(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of workers per map over pages; sites are small here, and yet shared out."""
    numbers: list[int] = []
    original = page_mirror.map_batches

    def noting(*arguments: Any, workers: int, **options: Any) -> Iterator[Any]:
        numbers.append(workers)
        return original(*arguments, workers=workers, **options)

    monkeypatch.setattr(page_mirror, "_SERIAL_BELOW_BYTES", 0)
    for module in (page_steps, search_index):
        monkeypatch.setattr(module, "SERIAL_BELOW_PAGES", 1)
    for stage in (page_chunks, search_index):
        monkeypatch.setattr(stage, "_BATCH", 10)
    for module in (page_mirror, page_steps):
        monkeypatch.setattr(module, "map_batches", noting)
    return numbers


@pytest.fixture
def built(tmp_path: Path) -> Callable[[int], Site]:
    """A site that is indexed with a number of workers; its name does not tell which."""
    return lambda workers: build_site(tmp_path, workers)


def build_site(folder: Path, workers: int, cluster: str = "") -> Site:
    """Index a site with a number of workers, or on a cluster; its name does not tell which."""
    site = Site(folder / f"{workers}{bool(cluster)}" / "site")
    for number in range(PAGES):
        body = f"<p>Boat {number} of the fjord.</p><pre><code>row --boat {number}</code></pre>"
        site.write(f"boats/{number}.html", f"Boat {number}", f"{body}<a href='{(number + 1) % PAGES}'>Next</a>")
    site.write("empty.html", "", "")
    (site.root / "build" / "bad.html").write_bytes(b"<main>\xff\xfe\x00 not text <table><tr><p>")
    (site.root / "searchsocket.toml").write_text(
        f'run.workers = {workers}\nrun.dask_address = "{cluster}"\nembeddings.provider = "hash"\n'
        'project.base_url = "https://museum.example"\n'
    )
    site.index()
    return site


def test_two_workers_write_the_same_bytes_and_records_as_one(
    worker_counts: list[int], built: Callable[[int], Site]
) -> None:
    """More cores make a run faster and nothing else: mirror, records and their order on disk are equal."""
    serial, parallel = built(1), built(2)
    assert worker_counts == [1, 1, 1, 1, 2, 2, 2, 2]
    assert_alike(serial, parallel)


def assert_alike(one: Site, other: Site) -> None:
    mirrors = [
        {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*.md"))}
        for folder in (one.project.mirror_dir, other.project.mirror_dir)
    ]
    assert len(mirrors[0]) > PAGES
    assert mirrors[0] == mirrors[1]
    assert len(one.records()) > PAGES
    assert one.records() == other.records()
    assert texts_and_phrases(one) == texts_and_phrases(other)


def texts_and_phrases(site: Site) -> list[tuple[str | None, tuple[str, ...]]]:
    project = site.project
    store = make_store(project.settings.vector, project.state_dir, project.id)
    catalogue = store.reader(project.scope_named("main")).catalogue
    return [(catalogue.page_body(url), catalogue.key_phrases(url)) for url in sorted(site.urls())]


def test_a_second_run_with_other_workers_changes_nothing(
    worker_counts: list[int], built: Callable[[int], Site]
) -> None:
    site = built(1)
    before = site.mirror()
    (site.root / "searchsocket.toml").write_text('run.workers = 2\nembeddings.provider = "hash"\n')
    summary = site.index(force=True)
    assert worker_counts == [1, 1, 1, 1, 2, 2, 2, 0]  # no text of a page changed
    assert (summary.chunks["changed"], summary.embeddings["created"]) == (0, 0)
    assert site.mirror() == before
