"""Vectors of the built-in model are made where they are needed: the cache holds which texts had one."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np

from searchsocket.backends import Backends
from searchsocket.content.chunking.records import content_hash, embedded_text
from searchsocket.models.embedders.builtin import BuiltinEmbedder
from searchsocket.models.embedders.cache_place import open_cache
from searchsocket.stores import make_store
from tests.pipeline.conftest import Site


def cache_size(site: Site) -> tuple[int, int]:
    """Texts that the cache knows, and bytes of their vectors."""
    with closing(sqlite3.connect(Backends(site.project, {}).cache_file)) as db:
        texts, size = db.execute("SELECT COUNT(*), SUM(LENGTH(vector)) FROM vectors").fetchone()
    return texts, size


def test_no_vector_is_kept_and_each_is_right(site: Site) -> None:
    summary = site.index()
    assert cache_size(site) == (len(site.records()), 0)
    assert summary.embeddings["created"] == len(site.records()) > 0
    project = site.project
    store = make_store(project.settings.vector, project.state_dir, project.id)
    reader = store.reader(project.scope_named("main"))
    for record in site.records():
        (vector,) = reader.vectors.vectors_of([record.id])
        text = embedded_text(record.page.title, record.chunk)
        assert np.array_equal(vector, BuiltinEmbedder().embed([text], "passage")[0])


def test_a_text_that_was_embedded_is_not_called_new(site: Site) -> None:
    site.index()
    site.write("docs/new.html", "New", "<p>Tickets for the winter are sold at the pier.</p>")
    assert site.index().embeddings["created"] == 1
    assert site.index("preview").embeddings["created"] == 0


def test_a_lost_cache_costs_no_index(site: Site) -> None:
    site.index()
    Backends(site.project, {}).cache_file.unlink()
    again = site.index()
    assert (again.records, again.embeddings["created"]) == (
        {"upserted": 0, "deleted": 0},
        len(site.records()),
    )
    site.write("docs/faq.html", "FAQ", "<p>Questions about prices are answered here.</p>")
    assert site.index().records["upserted"] > 0


def test_a_cache_without_vectors_can_be_carried(site: Site, tmp_path: Path) -> None:
    """And of a model whose vectors are kept, a row without one is none."""
    site.index()
    hashes = [content_hash(embedded_text(record.page.title, record.chunk)) for record in site.records()]
    model_id = site.records()[0].model_id
    with open_cache(path := Backends(site.project, {}).cache_file) as cache:
        cache.note(hashes, [1] * len(hashes), "hash-256", 256)
    with open_cache(tmp_path / "other.db") as other:
        assert other.import_from(path) == (len(hashes), len(hashes))
        assert other.missing(hashes, model_id) == []
        assert other.missing(hashes, "hash-256") == hashes
