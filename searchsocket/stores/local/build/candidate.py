"""Build and verify a generation next to the live one, readable before it becomes live."""

import os
import secrets
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from searchsocket.errors import CandidateRefused, IndexCorrupt
from searchsocket.stores.base.naming import generation_name, generation_number, generation_stamp
from searchsocket.stores.base.vector_store import Gate, PublishInfo
from searchsocket.stores.local.build.build import Built, build
from searchsocket.stores.local.layout import BUILDING, MANIFEST, REFUSED, Manifest, manifest_bytes
from searchsocket.stores.local.reader import LocalReader
from searchsocket.stores.local.staging import Staging
from searchsocket.stores.local.vectors.parts import VectorPart
from searchsocket.stores.local.verify import hash_files, new_problems, share_files, sync_files
from searchsocket.system.files import sync, write_atomic
from searchsocket.types import Generation, Scope


def build_candidate(
    folder: Path,
    scope: Scope,
    staging: Staging,
    live: LocalReader | None,
    info: PublishInfo,
    *,
    vectors: VectorPart,
    now: datetime,
    open_generation: Callable[[Path], LocalReader],
    gate: Gate,
) -> tuple[Generation, LocalReader]:
    """Build the next generation in `folder`, and return it with its reader once the gate accepts it.

    A refused generation is kept next to the others until the next one is built, one per scope.

    Raises:
        IndexCorrupt: The new generation has problems. Its files are deleted.
    """
    drop_refused(folder)
    target = folder / f"{BUILDING}{secrets.token_hex(6)}"
    with ExitStack() as unfinished:
        unfinished.callback(shutil.rmtree, target, ignore_errors=True)
        stamp = generation_stamp(now, live.generation.name if live else "")
        built = build(target, staging, live, info, vectors, generation_number(stamp))
        files = hash_files(target, built.hashed, live, vectors.files)
        name = generation_name(stamp, built.digest)
        generation = _describe(name, scope, built, info)
        generation = replace(generation, vector_index=vectors.index_of(generation))
        manifest = Manifest(generation, built.max_doc, files, built.packs)
        write_atomic(target / MANIFEST, manifest_bytes(manifest))
        vectors.stage(generation, staging.upserts(generation), staging.deletions())
        complete = folder / name  # nobody opens it until CURRENT names it
        unfinished.callback(shutil.rmtree, complete, ignore_errors=True)
        os.replace(target, complete)
        reader = open_generation(complete)
        if problems := new_problems(reader, old_packs=live.manifest.packs if live else ()):
            raise IndexCorrupt("the new generation is not published: " + "; ".join(problems))
        share_files(complete)
        sync_files(complete, files)
        try:
            recall = gate(reader)
        except CandidateRefused:
            os.replace(complete, folder / REFUSED)
            raise
        if recall is not None:
            generation = replace(generation, recall=recall)
            write_atomic(complete / MANIFEST, manifest_bytes(replace(manifest, generation=generation)))
        sync(folder)
        unfinished.pop_all()
    return generation, reader


def drop_refused(folder: Path) -> bool:
    """Remove the generation that a gate refused; return True if there was one."""
    is_there = (folder / REFUSED).exists()
    if is_there:
        shutil.rmtree(folder / REFUSED, ignore_errors=True)
    return is_there


def is_same(staging: Staging, live: LocalReader, info: PublishInfo) -> bool:
    """Return True if publishing would change nothing."""
    generation = live.generation
    is_changed = live.manifest.is_older
    is_changed = is_changed or any(staging.counts()) or staging.holds_bodies() or generation.model_id != info.model_id
    is_changed = is_changed or generation.versions != info.versions
    is_changed = is_changed or generation.vector_index != live.vectors.limits.index
    return not is_changed


def _describe(name: str, scope: Scope, built: Built, info: PublishInfo) -> Generation:
    return Generation(
        name=name,
        scope=scope.name,
        project_id=scope.project_id,
        records=built.records,
        pages=built.pages,
        digest=built.digest,
        routes=built.routes,
        bodies=built.bodies.pages,
        bodies_digest=built.bodies.digest,
        spread=built.spread,
        **info.facts(),
    )
