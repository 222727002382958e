"""Extraction and cutting on a Dask cluster give what one process gives; a batch contains all that it needs."""

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from searchsocket.errors import ClusterUnavailable
from searchsocket.extensions.fleet.dask import carry, extract_carried
from searchsocket.pipeline.extraction.job import ExtractionJob, extract_batch
from searchsocket.pipeline.run.results import sha256
from searchsocket.project.settings.site import ProjectSettings
from searchsocket.state.extracts import StoredPage
from tests.pipeline.conftest import Site
from tests.pipeline.test_parallel import assert_alike, build_site, share_out


def test_a_cluster_writes_the_same_bytes_and_records_as_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every step but words; the workers have two threads, no file of the site and batches of a few pages."""
    from distributed import LocalCluster

    worker_counts = share_out(monkeypatch)
    monkeypatch.setattr("searchsocket.extensions.fleet.dask._BATCH_BYTES", 1_000)
    with LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address="127.0.0.1:0", host="127.0.0.1") as workers:  # type: ignore[no-untyped-call]
        assert_alike(build_site(tmp_path, 1), build_site(tmp_path, 1, workers.scheduler_address))
    assert worker_counts == [1, 1, 1, 1, 2, 2, 2]


def test_a_batch_that_travels_holds_its_pages_and_no_secret(tmp_path: Path) -> None:
    """A batch carries bytes, the settings that decide their text, and the site's address."""
    job = job_of(build_site(tmp_path, 1), "https://reader:hunter2@museum.example")
    [batch] = carry(job)
    travels = pickle.dumps(batch)
    assert b"Boat 7 of the fjord" in travels
    assert b"hunter2" not in travels
    assert str(tmp_path).encode() not in travels
    assert extract_carried(pickle.loads(travels)) == extract_batch(job)


def test_a_page_that_cannot_be_read_costs_only_itself_on_a_cluster_too(tmp_path: Path) -> None:
    site = build_site(tmp_path, 1)
    job = job_of(site)
    site.delete("boats/7.html")
    [batch] = carry(job)
    errors = {result.page.raw.url: result.error for result in extract_carried(batch) if result.error}
    assert list(errors) == ["/boats/7"]
    assert "cannot be read" in errors["/boats/7"]


def test_a_worker_of_another_version_extracts_nothing(tmp_path: Path) -> None:
    """It would give other text, and no error."""
    [batch] = carry(job_of(build_site(tmp_path, 1)))
    with pytest.raises(ClusterUnavailable, match="extracts pages with .* install the same searchsocket"):
        extract_carried(replace(batch, extractor="1 lxml=0"))


def job_of(site: Site, base_url: str = "") -> ExtractionJob:
    project = site.project
    settings = project.settings.model_copy(update={"project": ProjectSettings(base_url=base_url)})
    source = site.run().make_source()
    pages = [StoredPage(number, page, sha256(source.read(page)), 100) for number, page in enumerate(source.pages())]
    return ExtractionJob(project.root, settings.model_dump_json(), None, "main", project.state_dir, pages)
