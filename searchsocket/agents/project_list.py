"""The user's list of projects for one `searchsocket mcp` server: a file in the user's configuration folder."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from searchsocket.errors import ConfigError
from searchsocket.system.errors import system_error
from searchsocket.system.files import write_atomic
from searchsocket.system.locks import scope_lock

FILE = "mcp-projects.json"
MAX_PROJECTS = 100
_MAX_BYTES = 1_000_000
_LOCK_S = 10.0


class ProjectEntry(BaseModel):
    """One project, in a folder or in an object store."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    name: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]
    location: Annotated[str, Field(min_length=1, max_length=4_096)]  # absolute path, or URL of pushed artifacts

    @property
    def is_url(self) -> bool:
        return is_url(self.location)


class _ProjectFile(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    projects: Annotated[list[ProjectEntry], Field(max_length=MAX_PROJECTS)]


def is_url(location: str) -> bool:
    """Return True for the URL of an object store, False for a path."""
    return "://" in location


def list_path() -> Path:
    """Return the path of this user's file; it may not exist."""
    return platformdirs.user_config_path("searchsocket") / FILE


def read_list(path: Path) -> Sequence[ProjectEntry]:
    """Return the projects in their order; empty if there is no file.

    Raises:
        ConfigError: The file is damaged.
        StateUnavailable, PermissionDenied: The file cannot be read.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        raise system_error("cannot read", path, error) from error
    try:
        projects = _ProjectFile.model_validate_json(data).projects
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"]))
        raise ConfigError(f"{path}: {key or 'file'}: {first['msg']}; correct the file, or delete it") from error
    names = [project.name for project in projects]
    if duplicates := {name for name in names if names.count(name) > 1}:
        raise ConfigError(f"{path}: two projects have the name {min(duplicates)!r}; rename one")
    return projects


def add_project(path: Path, project: ProjectEntry) -> bool:
    """Append a project; return False if the list has it already.

    Raises:
        ConfigError: Another project has this name, or the list is full or damaged.
        StateUnavailable, PermissionDenied, ScopeLocked: The file cannot be written.
    """

    def with_project(projects: Sequence[ProjectEntry]) -> Sequence[ProjectEntry]:
        if project in projects:
            return projects
        namesake = next((other for other in projects if other.name == project.name), None)
        if namesake:
            raise ConfigError(f"the name {project.name!r} is taken by {namesake.location}; choose another with --name")
        if len(projects) >= MAX_PROJECTS:
            raise ConfigError(f"the list has {MAX_PROJECTS} projects, its maximum; remove one first")
        return [*projects, project]

    return _change(path, with_project)


def remove_project(path: Path, project: ProjectEntry) -> bool:
    """Remove a project; return False if the list does not have it. Raises as `add_project`."""
    return _change(path, lambda projects: [other for other in projects if other != project])


def _change(path: Path, change: Callable[[Sequence[ProjectEntry]], Sequence[ProjectEntry]]) -> bool:
    with _lock(path):
        before = read_list(path)
        after = change(before)
        if list(after) == list(before):
            return False
        text = _ProjectFile(projects=list(after)).model_dump_json(indent=2)
        write_atomic(path, f"{text}\n".encode(), mode=0o600)  # a URL may contain a password
        return True


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with scope_lock(path.parent, "mcp-projects", timeout_s=_LOCK_S):
        yield
