"""A project as its settings were understood last, kept in the state folder: reading it loads no pydantic.

Only what the settings' own reader accepted is ever kept, under what it read: what is wrong with settings is said
by that reader, in the same words as ever. Imports little: the shell's query asks it before anything else.
"""

import json
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from searchsocket.errors import SearchSocketError
from searchsocket.pipeline.unchanged.state_dir import state_dir_of
from searchsocket.project.project import Project

if TYPE_CHECKING:
    from searchsocket.project.settings.model import Settings

FILE = "settings.json"
_OWNER_ONLY = 0o600  # what variables of the environment say of settings is nobody else's
_MAPPING = "="  # no name of a setting: what is below it are the site's own names


def keep_project(project: Project, key: str) -> None:
    """Keep a project whose settings were just read; a folder that cannot be written, or is not there, keeps none.

    Args:
        key: Of the configuration and the environment, see `asking.identity`.
    """
    from searchsocket.system.files import write_atomic

    with suppress(OSError, SearchSocketError):
        if project.state_dir.is_dir():
            kept = [_key(project.root, key), project.id, _plain(project.settings)]
            data = json.dumps(kept, ensure_ascii=True).encode()
            path = project.state_dir / FILE
            written = sha256(data).hexdigest().encode() + b"\n" + data
            if not path.is_file() or path.read_bytes() != written:
                write_atomic(path, written, mode=_OWNER_ONLY)


def kept_project(root: Path, key: str, environ: Mapping[str, str]) -> Project | None:
    """The project, where it was kept under the same key by this user; None = its settings must be read."""
    root = root.resolve()
    state_dir = Path(state_dir_of(os.fspath(root), environ))
    try:
        with open(state_dir / FILE, "rb") as file:
            info = os.fstat(file.fileno())
            if info.st_uid != os.geteuid() or stat.S_IMODE(info.st_mode) & 0o022:
                return None
            digest, _, data = file.read().partition(b"\n")
        if sha256(data).hexdigest().encode() != digest:
            return None
        kept_key, project_id, settings = json.loads(data)
        if kept_key != _key(root, key):
            return None
        project = Project(root, cast("Settings", _section(settings)), str(project_id))
        return project if project.state_dir == state_dir else None
    except (OSError, ValueError, TypeError, AttributeError):
        return None


def _key(root: Path, key: str) -> str:
    """With the folder, after which a project may be named, and our reader, whose defaults may change."""
    found = sha256(f"{root}\0{key}\0".encode("utf-8", "surrogateescape"))
    with os.scandir(Path(__file__).parent.parent.parent / "project" / "settings") as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name.endswith(".py"):
                info = entry.stat()
                found.update(f"{entry.path} {info.st_size} {info.st_mtime_ns} {info.st_ino}\0".encode())
    return found.hexdigest()


def _plain(value: Any) -> Any:
    """Settings as JSON, in which tables of names of the site's own differ from sections."""
    fields = getattr(type(value), "model_fields", None)
    if fields is not None:
        return {name: _plain(getattr(value, name)) for name in fields}
    if isinstance(value, Mapping):
        return {_MAPPING: {name: _plain(inner) for name, inner in value.items()}}
    return [_plain(inner) for inner in value] if isinstance(value, tuple | list) else value


def _section(value: Any) -> Any:
    """Restore a settings section from the output of `_plain`."""
    if isinstance(value, list):
        return tuple(map(_section, value))
    if not isinstance(value, dict):
        return value
    if _MAPPING in value:
        return {name: _section(inner) for name, inner in value[_MAPPING].items()}
    return SimpleNamespace(**{name: _section(inner) for name, inner in value.items()})
