"""Who may read: folders that only their owner may enter, and the token that opens everything to whoever holds it."""

import os
import re
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from searchsocket.errors import ScopeLocked, StateUnavailable
from searchsocket.project.project import Project
from searchsocket.stores import index_folder
from searchsocket.system.files import make_private_folder, write_atomic
from searchsocket.system.locks import scope_lock

if TYPE_CHECKING:
    from searchsocket.settings.model import ApiSettings

TOKEN_FILE = "serve.token"  # noqa: S105  a file's name
_TOKEN_MODE = 0o600
_TOKEN_BYTES = 32
_LOCK_TIMEOUT_S = 10.0
_TOKEN = re.compile(rb"[A-Za-z0-9_-]{43}\n")


def private_folders(project: Project) -> list[Path]:
    """The folders whose mode says who may read what lies in them: the state's, and that of an index elsewhere."""
    state, index = project.state_dir.resolve(), index_folder(project.settings.vector, project.state_dir).resolve()
    return [state, *([] if index.is_relative_to(state) else [index])]


def make_private_folders(project: Project) -> None:
    """Create what is missing of `private_folders`; those that are there keep their mode.

    Raises:
        StateUnavailable: One cannot be created.
    """
    for folder in private_folders(project):
        try:
            make_private_folder(folder)
        except OSError as error:
            raise StateUnavailable(f"cannot create {folder}: {error.strerror or error}") from error


def configured_key(settings: "ApiSettings", environ: Mapping[str, str]) -> str:
    """The key of trusted callers; "" when none is set. One that is set ends any other trust."""
    return environ.get(settings.key_env, "").strip()


def read_token(project: Project) -> str | None:
    """The token that a running `serve` of this user takes instead of a key; None when there is no sound one.

    Sound is a file of ours that nobody else could have read or written.
    """
    try:
        with open(os.open(project.state_dir / TOKEN_FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            found = os.fstat(file.fileno())
            ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077
            text = file.read(_TOKEN_BYTES * 2) if ours else b""
    except OSError:
        return None
    return text.decode().strip() if _TOKEN.fullmatch(text) else None


def make_token(project: Project) -> str:
    """The token of this state folder: the sound one that is there, so that several servers agree, else a new one.

    Raises:
        StateUnavailable, ScopeLocked: It cannot be written.
    """
    if token := read_token(project):
        return token
    make_private_folders(project)
    with scope_lock(project.state_dir, TOKEN_FILE, timeout_s=_LOCK_TIMEOUT_S):
        token = read_token(project)  # another server may have been first
        if token is None:
            token = secrets.token_urlsafe(_TOKEN_BYTES)
            write_atomic(project.state_dir / TOKEN_FILE, f"{token}\n".encode(), mode=_TOKEN_MODE)
    return token


def signing_key(project: Project, environ: Mapping[str, str]) -> bytes:
    """What words that callers send back are signed with: one for all services that share a key, or a state folder.

    Where neither is there nor can be made, one of this process.
    """
    if key := configured_key(project.settings.api, environ):
        return key.encode("utf-8", "surrogateescape")
    try:
        return make_token(project).encode()
    except (StateUnavailable, ScopeLocked):
        return secrets.token_bytes(_TOKEN_BYTES)
