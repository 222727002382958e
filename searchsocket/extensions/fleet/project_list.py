"""List the projects below one location: the folders of a folder, or the prefixes of an object store."""

import os
import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from searchsocket.errors import ArtifactsUnavailable, SearchSocketError
from searchsocket.extensions.fleet.documents import PROJECT, ProjectDocument, read_document
from searchsocket.extensions.fleet.objects import open_objects
from searchsocket.extensions.fleet.objects.base import ObjectMissing, Objects, ObjectsBelow
from searchsocket.extensions.fleet.pulled import pulled_folder
from searchsocket.extensions.fleet.settings import artifacts_address
from searchsocket.project.project import Project, index_folder, open_project
from searchsocket.project.settings.load import FILE_NAME
from searchsocket.project.settings.model import Settings
from searchsocket.stores.local.layout import CURRENT, read_current
from searchsocket.system.errors import system_errors

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_URL = re.compile(r"[a-z][a-z0-9+.-]*://.+", re.DOTALL)
_AT_ONCE = 8  # requests to the object store
_STATE_FOLDERS = "projects"  # in the state folder of this machine's settings: a folder per project

Prepare = Callable[[Project], Project]


@dataclass(frozen=True, slots=True)
class ListedProject:
    """A project that can be opened."""

    name: str  # of its folder or prefix; in addresses and metrics
    project: Project  # with the settings of this machine
    url: str = ""  # URL to pull its index from; "" = it has its own index
    objects: Objects | None = field(default=None, compare=False)  # at `url`
    scopes: tuple[str, ...] = ()  # public ones, as they were pushed with the index
    has_index: bool = False  # of its own, with a live generation
    error: SearchSocketError | None = None  # the reason if it cannot be opened

    @property
    def is_public(self) -> bool:
        """True if anyone may know that it exists, because anyone may search one of its scopes."""
        if self.error or not self.url:
            return self.has_index
        return bool(self.scopes or self.project.settings.api.scopes)

    @property
    def pulled_index(self) -> Path | None:
        """The folder of pulled scopes; None if the index is its own."""
        return pulled_folder(self.project, self.url) / "index" if self.url else None


class ProjectList(Protocol):
    """A folder or an object store with projects."""

    def read(self) -> dict[str, ListedProject]:
        """List the projects by name; a broken project has an `error`.

        Raises:
            ArtifactsUnavailable: The projects cannot be listed.
        """


def is_project_name(name: str) -> bool:
    """Return True if a project may have this name: it is safe in addresses and as the name of a folder."""
    return _NAME.fullmatch(name) is not None


def project_list(location: str, base: Project, environ: Mapping[str, str], prepare: Prepare) -> ProjectList:
    """The projects below a folder, or below the URL of an object store.

    Args:
        base: Settings of this machine for the projects of an object store, and the folder of their files.
        prepare: Changes the settings of each project.

    Raises:
        ConfigError, ConfigMissing: The URL cannot be used.
    """
    if _URL.fullmatch(location):
        return PushedProjects(location, base, environ, prepare)
    return ProjectFolders(Path(location).resolve(), environ, prepare)


class ProjectFolders:
    """The project folders in a folder."""

    def __init__(self, root: Path, environ: Mapping[str, str], prepare: Prepare) -> None:
        self._root = root
        self._environ = environ
        self._prepare = prepare

    def read(self) -> dict[str, ListedProject]:
        """List the projects by name; a broken project has an `error`."""
        with system_errors("cannot list", self._root, ArtifactsUnavailable), os.scandir(self._root) as entries:
            names = sorted(entry.name for entry in entries if entry.is_dir() and is_project_name(entry.name))
        return {name: self._read_entry(name) for name in names if _is_project(self._root / name)}

    def _read_entry(self, name: str) -> ListedProject:
        root = self._root / name
        try:
            project = self._prepare(open_project(root, self._environ))
            url = artifacts_address(project, "")
            if url:
                return _read_pushed(name, project, url, open_objects(url))
            return ListedProject(name, project, has_index=_has_index(project))
        except SearchSocketError as error:
            return _broken_project(name, root, error)


class PushedProjects:
    """The projects that were pushed to an object store, each below its own prefix."""

    def __init__(self, url: str, base: Project, environ: Mapping[str, str], prepare: Prepare) -> None:
        self._url = url.rstrip("/")
        self._objects = open_objects(self._url)
        self._base = base
        self._environ = environ
        self._prepare = prepare

    def read(self) -> dict[str, ListedProject]:
        """List the projects by name; a broken project has an `error`."""
        names = [name for name in self._objects.folders() if is_project_name(name)]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            listed = pool.map(self._read_entry, names)
            return {each.name: each for each in listed if each}

    def _read_entry(self, name: str) -> ListedProject | None:
        try:
            return _read_pushed(name, self._local(name), f"{self._url}/{name}", ObjectsBelow(self._objects, name))
        except ObjectMissing:
            return None
        except SearchSocketError as error:
            return _broken_project(name, self._base.root / name, error)

    def _local(self, name: str) -> Project:
        """Return the project with its own settings on this machine, else with the shared ones."""
        own = self._base.root / name
        if (own / FILE_NAME).is_file():
            return self._prepare(open_project(own, self._environ))
        settings = self._base.settings
        section = settings.project.model_copy(update={"id": ""})
        root = self._base.state_dir / _STATE_FOLDERS / name
        return self._prepare(replace(self._base, root=root, settings=settings.model_copy(update={"project": section})))


def _read_pushed(name: str, project: Project, url: str, objects: Objects) -> ListedProject:
    """Return a project with its public scopes as they were pushed."""
    document = read_document(objects, PROJECT, ProjectDocument)
    return ListedProject(name, project, url, objects, document.scopes)


def _broken_project(name: str, root: Path, error: SearchSocketError) -> ListedProject:
    return ListedProject(name, Project(root, Settings(), name), error=error)


def _has_index(project: Project) -> bool:
    """Return True if a scope of a project folder has a live generation."""
    for path in index_folder(project.settings.vector, project.state_dir).glob(f"*/{CURRENT}"):
        with suppress(SearchSocketError):
            if read_current(path.parent):
                return True
    return False


def _is_project(folder: Path) -> bool:
    return (folder / FILE_NAME).is_file() or (folder / ".searchsocket").is_dir()
