"""Extraction and chunking in several processes give what one process gives (spec 8.5)."""

import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from searchsocket.errors import ClusterUnavailable
from searchsocket.extensions.fleet.carried_pages import carry, extract_carried
from searchsocket.pipeline.extraction import page_steps
from searchsocket.pipeline.extraction.job import ExtractionJob, extract_batch
from searchsocket.pipeline.run.results import sha256
from searchsocket.pipeline.stages import page_bodies, page_chunks, page_mirror
from searchsocket.project.settings.site import ProjectSettings
from searchsocket.state.extracts import StoredPage
from searchsocket.stores import make_store
from tests.pipeline.conftest import Site

PAGES = 40  # several batches, so that both workers have some


@pytest.fixture
def worker_counts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of workers per map over pages; sites are small here, and yet shared out."""
    numbers: list[int] = []
    original = page_mirror.map_batches

    def noting(*arguments: Any, workers: int, **options: Any) -> Iterator[Any]:
        numbers.append(workers)
        return original(*arguments, workers=workers, **options)

    monkeypatch.setattr(page_mirror, "_SERIAL_BELOW_BYTES", 0)
    for module in (page_steps, page_bodies):
        monkeypatch.setattr(module, "SERIAL_BELOW_PAGES", 1)
    for stage in (page_chunks, page_bodies):
        monkeypatch.setattr(stage, "_BATCH", 10)
    for module in (page_mirror, page_steps):
        monkeypatch.setattr(module, "map_batches", noting)
    return numbers


@pytest.fixture
def built(tmp_path: Path) -> Callable[..., Site]:
    """A site that is indexed with a number of workers, or on a cluster; its name does not tell which."""

    def make(workers: int, cluster: str = "") -> Site:
        site = Site(tmp_path / f"{workers}{bool(cluster)}" / "site")
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

    return make


def test_two_workers_write_the_same_bytes_and_records_as_one(
    worker_counts: list[int], built: Callable[[int], Site]
) -> None:
    """More cores make a run faster and nothing else: mirror, records and their order on disk are equal."""
    serial, parallel = built(1), built(2)
    assert worker_counts == [1, 1, 1, 1, 2, 2, 2, 2]
    assert_alike(serial, parallel)


def test_a_cluster_writes_the_same_bytes_and_records_as_one_process(
    worker_counts: list[int], built: Callable[..., Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every step but words; the workers have two threads, no file of the site and batches of a few pages."""
    from distributed import LocalCluster

    monkeypatch.setattr("searchsocket.extensions.fleet.carried_pages._BATCH_BYTES", 1_000)
    with LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address="127.0.0.1:0", host="127.0.0.1") as workers:  # type: ignore[no-untyped-call]
        assert_alike(built(1), built(1, workers.scheduler_address))
    assert worker_counts == [1, 1, 1, 1, 2, 2, 2]


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


def test_a_batch_that_travels_holds_its_pages_and_no_secret(built: Callable[..., Site], tmp_path: Path) -> None:
    """A batch carries bytes, the settings that decide their text, and the site's address."""
    job = job_of(built(1), "https://reader:hunter2@museum.example")
    [batch] = carry(job)
    travels = pickle.dumps(batch)
    assert b"Boat 7 of the fjord" in travels
    assert b"hunter2" not in travels
    assert str(tmp_path).encode() not in travels
    assert extract_carried(pickle.loads(travels)) == extract_batch(job)


def test_a_page_that_cannot_be_read_costs_only_itself_on_a_cluster_too(built: Callable[..., Site]) -> None:
    site = built(1)
    job = job_of(site)
    site.delete("boats/7.html")
    [batch] = carry(job)
    errors = {result.page.raw.url: result.error for result in extract_carried(batch) if result.error}
    assert list(errors) == ["/boats/7"]
    assert "cannot be read" in errors["/boats/7"]


def test_a_worker_of_another_version_extracts_nothing(built: Callable[..., Site]) -> None:
    """It would give other text, and no error."""
    [batch] = carry(job_of(built(1)))
    with pytest.raises(ClusterUnavailable, match="extracts pages with .* install the same searchsocket"):
        extract_carried(replace(batch, extractor="1 lxml=0"))


def job_of(site: Site, base_url: str = "") -> ExtractionJob:
    project = site.project
    settings = project.settings.model_copy(update={"project": ProjectSettings(base_url=base_url)})
    source = site.run().make_source()
    pages = [StoredPage(number, page, sha256(source.read(page)), 100) for number, page in enumerate(source.pages())]
    return ExtractionJob(project.root, settings.model_dump_json(), None, "main", project.state_dir, pages)
