"""Open a project whose index is pulled from an object store."""

import hashlib
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import TypeVar, cast

from pydantic import BaseModel

from searchsocket.curation.live_rules import Curation
from searchsocket.errors import (
    ArtifactInvalid,
    ArtifactsUnavailable,
    IndexLoading,
    NewerRelease,
    ProjectMismatch,
    ScopeNotIndexed,
    SearchSocketError,
)
from searchsocket.extensions.fleet.documents import (
    MAX_BYTES,
    PROJECT,
    Description,
    ProjectDocument,
    parse_document,
    with_carried,
)
from searchsocket.extensions.fleet.follow import PulledStore
from searchsocket.extensions.fleet.objects import open_objects
from searchsocket.extensions.fleet.objects.base import Objects, read
from searchsocket.extensions.fleet.pull import fetched_description, pull_scope
from searchsocket.extensions.fleet.settings import artifacts_of
from searchsocket.project.access import make_private_folders
from searchsocket.project.project import Project
from searchsocket.project.settings.model import Settings
from searchsocket.serving.scopes import ReadableScopes
from searchsocket.stores import make_vectors
from searchsocket.system.files import write_atomic

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

_START_S = 1.5  # limit for each of two requests at a start with an earlier copy
_FIRST_PULL_S = 600.0  # how long to wait for another process that fetches the same index


@dataclass(frozen=True, slots=True)
class PulledProject:
    """A project with the settings of its artefacts, and the store that follows them."""

    project: Project
    store: PulledStore


def open_pulled(
    local: Project,
    environ: Mapping[str, str],
    url: str,
    *,
    objects: Objects | None = None,
    make_room: Callable[[Path, str, int], None] = lambda *_: None,
    monotonic: Callable[[], float] = time.monotonic,
) -> PulledProject:
    """Fetch the default scope, and open the project with the fetched settings.

    Settings of this machine override the fetched ones. An earlier copy is used if the object store is unavailable.

    Args:
        objects: The objects at the URL; None = open them.
        make_room: Called with the folder of the index, the scope and the bytes of a generation before its download.

    Raises:
        ConfigError, ConfigMissing: The address or the required model cannot be used.
        ArtifactsUnavailable, ArtifactInvalid, ScopeNotIndexed: No index can be fetched, and there is no earlier copy.
        ProjectMismatch: The artefacts belong to another project than `project.id`.
        StateUnavailable: The state folder cannot be written.
    """
    objects, folder, document = _fetch_document(local, url, objects)
    project_id = local.settings.project.id
    if project_id and project_id != document.project_id:
        raise ProjectMismatch(
            f"{objects.address} contains project {document.project_id!r}, but project.id is {project_id!r}"
        )
    settings = _point_to_fetched(local.settings, folder / "index", document)
    project = replace(local, settings=settings, id=document.project_id)
    scope = project.scope_named(ReadableScopes(project, environ, lambda: document.scopes).default)
    max_bytes = artifacts_of(project).max_bytes
    has_copy = fetched_description(folder / "index", scope) is not None
    pull = partial(
        pull_scope,
        objects,
        folder / "index",
        scope,
        max_bytes=max_bytes,
        lock_timeout_s=_FIRST_PULL_S,
        make_room=partial(make_room, folder / "index", scope.name),
    )
    trouble: SearchSocketError | None = None
    try:
        _in_time(pull, objects) if has_copy else pull()
    except (ArtifactsUnavailable, ArtifactInvalid, NewerRelease, ScopeNotIndexed) as error:
        if not has_copy:
            raise
        trouble = error
    text = fetched_description(folder / "index", scope)
    if text is None:  # another process just removed it to make room
        raise IndexLoading(f"the index of scope {scope.name!r} is not loaded; try again")
    where = f"the index of scope {scope.name!r}"
    carried = parse_document(text, Description, where, document.project_id).settings
    project = replace(project, settings=with_carried(settings, carried, where))
    store = PulledStore(
        objects,
        folder / "index",
        document.project_id,
        poll_s=artifacts_of(project).poll_seconds,
        max_bytes=max_bytes,
        public_scopes=document.scopes,
        vectors=make_vectors(project.settings.vector, document.project_id, project.environment(environ)),
        synonyms=Curation(project.root, project.settings.ranking.synonyms),
        monotonic=monotonic,
    )
    store.note_pull(scope, trouble)
    return PulledProject(project, store)


def pulled_folder(local: Project, url: str) -> Path:
    """The folder of all files that are pulled from a URL; its `index` contains the scopes."""
    return local.state_dir / "artifacts" / hashlib.sha256(url.rstrip("/").encode()).hexdigest()[:16]


def pulled_project_id(local: Project, url: str) -> str:
    """The id of the project that was pushed to a URL; raises as `open_pulled`."""
    return _fetch_document(local, url)[2].project_id


def _fetch_document(local: Project, url: str, objects: Objects | None = None) -> tuple[Objects, Path, ProjectDocument]:
    objects = objects or open_objects(url)
    make_private_folders(local)
    folder = pulled_folder(local, url)
    return objects, folder, _project_document(objects, folder)


def _project_document(objects: Objects, folder: Path) -> ProjectDocument:
    """Fetch the document that identifies the project; use the earlier copy if that fails."""
    path, where = folder / PROJECT, f"{objects.address}: {PROJECT}"
    fetch = partial(read, objects, PROJECT, MAX_BYTES)
    try:
        data = _in_time(fetch, objects) if path.exists() else fetch()
        document = parse_document(data, ProjectDocument, where)
    except (ArtifactsUnavailable, ArtifactInvalid, NewerRelease):
        with suppress(FileNotFoundError):
            return parse_document(path.read_bytes(), ProjectDocument, str(path))
        raise
    write_atomic(path, data)
    return document


def _in_time(fetch: Callable[[], T], objects: Objects) -> T:
    """Return the result of a request to the object store, with a short timeout.

    Clients retry for half a minute. After the timeout the request continues; the next poll uses its result.

    Raises:
        ArtifactsUnavailable: No result in time. Errors of the request are raised too.
    """
    outcome: Queue[tuple[T | None, BaseException | None]] = Queue()

    def run() -> None:
        try:
            outcome.put((fetch(), None))
        except BaseException as error:  # noqa: BLE001  (raised by the caller)
            outcome.put((None, error))

    Thread(target=run, daemon=True).start()
    try:
        value, error = outcome.get(timeout=_START_S)
    except Empty:
        raise ArtifactsUnavailable(f"{objects.address} did not answer within {_START_S:g} s") from None
    if error:
        raise error
    return cast(T, value)


def _point_to_fetched(settings: Settings, index: Path, document: ProjectDocument) -> Settings:
    """Return the settings with the folder of the fetched index, and with its default scope unless one is set here."""
    changes: dict[str, object] = {"vector": _with(settings.vector, local=_with(settings.vector.local, path=str(index)))}
    default = next(iter(document.scopes), document.newest)
    if default and not settings.api.scopes and not settings.scope.model_fields_set:
        changes["scope"] = _with(settings.scope, fixed=default)
    return settings.model_copy(update=changes)


def _with(section: M, **changes: object) -> M:
    return section.model_copy(update=changes)
