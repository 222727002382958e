"""The user's list of projects for one `searchsocket mcp` server, and the folders of those that are crawled websites.

The list is a file in the user's configuration folder. Each website is a project in a folder of the user's data.
"""

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from searchsocket.errors import ConfigError
from searchsocket.project.settings.load import FILE_NAME
from searchsocket.system.errors import system_error, system_errors
from searchsocket.system.files import make_private_folder, write_atomic
from searchsocket.system.locks import scope_lock
from searchsocket.text.mistakes import explain_mistake

FILE = "mcp-projects.json"
MAX_PROJECTS = 100
_MAX_BYTES = 1_000_000
_LOCK_S = 10.0
MAX_PAGES = 1_000  # per site; `--pages` changes it
_UNSAFE = re.compile(r"[^A-Za-z0-9.-]+")
_MAX_PAGES_LINE = re.compile(r"^max_pages = .*$", re.MULTILINE)
_MAX_NAME_CHARS = 80
_HASH_CHARS = 8


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
        raise ConfigError(
            f"{path}: {key or 'file'}: {explain_mistake(first)}; correct the file, or delete it"
        ) from error
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
    with scope_lock(path.parent, "mcp-projects", timeout_s=_LOCK_S):
        before = read_list(path)
        after = change(before)
        if list(after) == list(before):
            return False
        text = _ProjectFile(projects=list(after)).model_dump_json(indent=2)
        write_atomic(path, f"{text}\n".encode(), mode=0o600)  # a URL may contain a password
        return True


def sites_folder() -> Path:
    """Return the folder with a project per crawled site; it may not exist."""
    return platformdirs.user_data_path("searchsocket") / "sites"


def is_crawled(location: str) -> bool:
    """Return True if a listed project was made by a crawl."""
    return Path(location).parent == sites_folder()


def site_name(url: str) -> str:
    """Return the name of a site: its host, and its path if it has one.

    Raises:
        ConfigError: The URL is not that of a website.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise ConfigError(f"{url!r} is not the URL of a website: {error}") from error
    if parts.scheme not in ("http", "https") or not host:
        raise ConfigError(f"{url!r} is not the URL of a website; it must begin with https:// or http:// and a host")
    if parts.query or parts.fragment:
        raise ConfigError(f"{url!r} has a query or a fragment; a crawl starts at a folder, such as https://{host}/docs")
    return _UNSAFE.sub("-", f"{host}{f':{port}' if port else ''}{parts.path.rstrip('/')}").strip("-.")[:_MAX_NAME_CHARS]


def site_project(url: str, max_pages: int | None) -> Path:
    """Make the project folder of a site with its settings; an existing one keeps them, except the number of pages.

    Raises:
        ConfigError: The URL is not that of a website.
        StateUnavailable, PermissionDenied: The folder cannot be written.
    """
    url = url.rstrip("/")
    digest = hashlib.sha256(url.encode()).hexdigest()[:_HASH_CHARS]
    folder = sites_folder() / f"{site_name(url)}-{digest}"
    path = folder / FILE_NAME
    with system_errors("cannot make", folder):
        make_private_folder(folder)
        text = path.read_text(encoding="utf-8") if path.exists() else _settings(url)
    if max_pages is not None:
        text = _MAX_PAGES_LINE.sub(f"max_pages = {max_pages}", text)
    write_atomic(path, text.encode(), mode=0o600)  # a URL may contain a password
    return folder


def delete_site(folder: Path) -> None:
    """Delete the project folder of a site with its index.

    Raises:
        StateUnavailable, PermissionDenied: A file cannot be deleted.
    """
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise system_error("cannot delete", folder, error) from error


def _settings(url: str) -> str:
    parts = urlsplit(url)
    public = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    return f"""# Written by `searchsocket mcp add`.
[project]
id = {json.dumps(site_name(url))}
base_url = {json.dumps(public)}

[scope]
mode = "fixed"
fixed = "main"

[source]
mode = "crawl"

[source.crawl]
base_url = {json.dumps(url)}
max_pages = {MAX_PAGES}
"""
