"""Checks before anything is paid, and of the published index: each fails on the fault that it is for."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pipeline.conftest import Site

from searchsocket.pipeline.run.checks import (
    CHECKS,
    embeddings_sane,
    index_matches_manifest,
    keys_unique,
    mirror_not_empty,
    outcome_of,
    page_count_not_collapsed,
)
from searchsocket.pipeline.run.context import ScopeRun
from searchsocket.pipeline.run.options import RunOptions
from searchsocket.pipeline.run.results import CheckOutcome
from searchsocket.pipeline.stages.page_mirror import page_mirror
from searchsocket.pipeline.stages.site_pages import site_pages
from searchsocket.quality.checks import branch_alive, links_alive, path_prefix_filter, self_query_roundtrip
from searchsocket.stores.local.vectors.matrix import MatrixVectors
from searchsocket.system.files import write_atomic
from searchsocket.types import MATCH_ALL, Filter, Hit, Vector
from tests.pipeline.branches.repository import add_file
from tests.sources.git_repository import git

NOINDEX = "<p data-search-noindex>Not to be searched.</p>"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path / "site")


def mirrored(site: Site, **options: Any) -> ScopeRun:
    """A run that got as far as the mirror."""
    run = site.run(options=RunOptions(**options))
    site_pages(run)
    page_mirror(run)
    return run


def test_a_mirror_that_lost_most_of_its_pages_stops_the_run(site: Site) -> None:
    """Pages can go without leaving the source: they say that they are not to be indexed."""
    site.index()
    files = sorted(path.relative_to(site.root / "build") for path in (site.root / "build").rglob("*.html"))
    for file in files[:4]:
        site.write(str(file), "Gone", NOINDEX)
    run = mirrored(site)
    outcome = page_count_not_collapsed(run)
    assert (outcome.passed, outcome.severity, outcome.numbers) == (False, "error", {"pages": 2, "live_pages": 6})
    assert "would delete 4 of the 6 pages" in outcome.message
    assert page_count_not_collapsed(replace(run, options=RunOptions(accept_large_deletion=True))).passed
    assert mirror_not_empty(run).passed
    for file in files[4:]:
        site.write(str(file), "Gone", NOINDEX)
    empty = mirror_not_empty(mirrored(site))
    assert (empty.passed, empty.severity) == (False, "error")
    assert "nothing to index for scope 'main'" in empty.message


def test_two_chunks_with_one_key_stop_the_run(site: Site) -> None:
    site.index()
    assert keys_unique(site.run()).passed
    with closing(sqlite3.connect(site.root / ".searchsocket" / "state.db")) as db, db:
        columns = "records_id, key, line, content_hash, tokens"
        db.execute(f"INSERT INTO chunks (record_hash, {columns}) SELECT 'another', {columns} FROM chunks LIMIT 1")
        url, key = db.execute("SELECT url, key FROM chunks JOIN page_cuts ON id = records_id LIMIT 1").fetchone()
    outcome = keys_unique(site.run())
    message = f"chunks share a key: {key} on {url}"
    assert (outcome.passed, outcome.message, outcome.numbers["repeated"]) == (False, message, 1)


def test_texts_without_a_sound_vector_stop_the_run(site: Site) -> None:
    """The run stops if the cache lost the vectors, or has other bytes than were written."""
    (site.root / "searchsocket.toml").write_text('[embeddings]\nprovider = "hash"\n')
    site.index()
    run = site.run()
    assert embeddings_sane(run).passed
    with closing(sqlite3.connect(run.backends.cache_file)) as db, db:
        db.execute("UPDATE vectors SET checksum = checksum + 1 WHERE rowid = 1")
        db.execute("DELETE FROM vectors WHERE rowid = 2")
    outcome = embeddings_sane(site.run(options=RunOptions(force=True)))
    assert (outcome.passed, outcome.severity, outcome.numbers["missing"]) == (False, "error", 2)


def test_an_index_that_is_not_what_its_manifest_says_is_noticed(site: Site) -> None:
    """Files that were damaged, and records that are those of no chunk."""
    site.index()
    assert index_matches_manifest(site.run()).passed
    with closing(sqlite3.connect(site.root / ".searchsocket" / "state.db")) as db, db:
        db.execute("DELETE FROM chunks WHERE rowid = (SELECT MIN(rowid) FROM chunks)")
    outcome = index_matches_manifest(site.run())
    assert (outcome.passed, outcome.severity, outcome.numbers["surplus"]) == (False, "warn", 1)
    (vectors,) = (site.root / ".searchsocket/index/main").glob("2*/packs/*.f32")
    data = vectors.read_bytes()
    write_atomic(vectors, data[:-1] + bytes([data[-1] ^ 1]))
    outcome = outcome_of(CHECKS["index_matches_manifest"], site.run())  # as Dagster asks it
    assert (outcome.passed, outcome.message[:15]) == (False, "[INDEX_CORRUPT]")


Nearest = Callable[..., list[Hit]]


@pytest.mark.parametrize(
    ("check", "fault"),
    [
        (self_query_roundtrip, lambda hits: hits[::-1]),
        (self_query_roundtrip, lambda hits: []),
        (path_prefix_filter, lambda hits: []),
    ],
)
def test_an_index_that_finds_something_else_is_noticed(
    site: Site,
    monkeypatch: pytest.MonkeyPatch,
    check: Callable[[ScopeRun], CheckOutcome],
    fault: Callable[[list[Hit]], list[Hit]],
) -> None:
    site.index()
    assert check(site.run()).passed
    whole: Nearest = MatrixVectors.nearest

    def faulty(self: MatrixVectors, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        return fault(whole(self, vector, top_k=99, where=where))[:top_k]

    monkeypatch.setattr(MatrixVectors, "nearest", faulty)
    assert not check(site.run()).passed


def test_a_filter_that_is_not_heeded_is_noticed(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.index()
    whole: Nearest = MatrixVectors.nearest

    def deaf(self: MatrixVectors, vector: Vector, *, top_k: int, where: Filter = MATCH_ALL) -> list[Hit]:
        return whole(self, vector, top_k=top_k)

    monkeypatch.setattr(MatrixVectors, "nearest", deaf)
    assert "returns wrong pages for /" in path_prefix_filter(site.run()).message


def test_links_to_nothing_are_listed_and_others_are_not(site: Site) -> None:
    site.index()
    assert links_alive(site.run()).passed
    site.write("hidden.html", "Hidden", NOINDEX)
    site.write(
        "docs/links.html", "Links", "<p><a href='/hidden'>h</a> <a href='/a.pdf'>p</a> <a href='/lost#x'>l</a></p>"
    )
    site.index()
    outcome = links_alive(site.run())
    assert (outcome.passed, outcome.severity, outcome.numbers) == (False, "warn", {"dead_links": 1})
    assert outcome.tables["broken links"] == [{"target": "/lost", "page": "/docs/links"}]


def test_a_scope_whose_branch_is_gone_is_named(site: Site) -> None:
    git(site.root, "init", "-q", "-b", "main")
    git(site.root, "remote", "add", "origin", str(site.root))
    add_file(site.root, "first")
    for scope in ("main", "old-one"):
        site.index(scope)
    assert branch_alive(site.run("main")).passed
    outcome = branch_alive(site.run("old-one"))
    assert (outcome.passed, outcome.severity) == (False, "warn")
    assert "`searchsocket prune` would delete the scope" in outcome.message
