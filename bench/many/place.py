"""A storage with many pushed projects: pages are extracted and embedded once, and published under many names."""

import shutil
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from bench.indexing.__main__ import child
from bench.indexing.generate import write_site
from searchsocket.backends import Backends
from searchsocket.extensions.fleet.documents import Writer, carried_settings
from searchsocket.extensions.fleet.lease import ScopeLease, holding
from searchsocket.extensions.fleet.live import push_generation
from searchsocket.extensions.fleet.objects import open_objects
from searchsocket.project.project import Project, open_project
from searchsocket.stores.base.index_reader import PageBody
from searchsocket.stores.base.vector_store import PublishInfo
from searchsocket.stores.local.layout import read_current
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.local.store import LocalStore
from searchsocket.types import Record, Scope, Vectors

_LEASE_S = 60.0


@dataclass(frozen=True, slots=True)
class Shape:
    """The amount of data."""

    projects: int
    scopes: int  # of each project; the first one is public
    pages: int  # of each scope


@dataclass(frozen=True, slots=True)
class Content:
    """The indexed pages."""

    records: list[Record]
    vectors: Vectors
    bodies: list[PageBody]
    info: PublishInfo


def project_name(number: int) -> str:
    return f"project-{number:02}"


def scope_name(number: int) -> str:
    return f"branch-{number:02}" if number else "main"


def write_place(root: Path, url: str, shape: Shape, processes: int) -> None:
    """Push all projects below `url`; `root` is removed but for what `url` names."""
    source = root / "source"
    write_site(source / "build", shape.pages + shape.scopes)
    child(source, "main")
    with ProcessPoolExecutor(processes) as pool:
        jobs = [
            pool.submit(_push_project, source, root / "indexer", url, number, shape) for number in range(shape.projects)
        ]
        for done, job in enumerate(jobs, 1):
            job.result()
            print(f"\r{done} of {shape.projects} projects pushed", end="", flush=True)
    print()
    shutil.rmtree(root / "indexer", ignore_errors=True)


def _push_project(source: Path, folder: Path, url: str, number: int, shape: Shape) -> None:
    project = open_project(source, {})
    content = _content(project)
    name = project_name(number)
    store = LocalStore(folder / name, name)
    objects = open_objects(f"{url}/{name}")
    urls = sorted({record.page.url for record in content.records})
    for scope_number in range(shape.scopes):
        scope = Scope(name, scope_name(scope_number))
        own = urls[scope_number : scope_number + shape.pages]  # no two scopes of a project are equal
        _publish(store, content, set(own), scope)
        writer = Writer(host="bench", pid=1, run="", disk=name)
        lease = ScopeLease(objects, scope, writer, clock=lambda: datetime.now(UTC), sleep=time.sleep)
        current = read_current(store.root / scope.name)
        assert current
        with holding(lease, _LEASE_S, lambda _: None):
            generation = store.root / scope.name / current.live
            push_generation(objects, lease, generation, carried_settings(project.settings), ["main"], datetime.now(UTC))
    shutil.rmtree(folder / name)


def _publish(store: LocalStore, content: Content, urls: set[str], scope: Scope) -> None:
    rows = [row for row, record in enumerate(content.records) if record.page.url in urls]
    records = [replace(content.records[row], project_id=scope.project_id, scope=scope.name) for row in rows]
    store.upsert(records, content.vectors[rows], scope)
    store.stage_bodies([body for body in content.bodies if body.url in urls], scope)
    store.publish(scope, content.info)


def _content(project: Project) -> Content:
    store = Backends(project, {}, calls=False, local_only=True).store
    scope = project.scope_named("main")
    reader = store.reader(scope)
    assert isinstance(reader, LocalReader)
    ids = [record_id for record_id, _ in store.fingerprints(scope)]
    bodies = [
        PageBody(url, digest, reader.catalogue.page_body(url) or "", reader.catalogue.key_phrases(url))
        for url, digest in store.body_digests(scope)
    ]
    generation = reader.generation
    info = PublishInfo(generation.model_id, generation.dimensions, datetime.now(UTC).isoformat())
    return Content(reader.catalogue.records(ids), reader.vectors.vectors_of(ids), bodies, info)
