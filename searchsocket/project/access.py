"""Read access: folders for their owner only, and the token that grants full access."""

import os
import re
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from searchsocket.errors import ConfigError, ScopeLocked, StateUnavailable
from searchsocket.project.project import Project, index_folder
from searchsocket.system.files import make_private_folder, write_atomic
from searchsocket.system.locks import scope_lock

if TYPE_CHECKING:
    from searchsocket.project.settings.model import ApiSettings

_IGNORE_FILE = ".gitignore"
TOKEN_FILE = "serve.token"  # noqa: S105  a file's name
SIGNING_FILE = "continuations.key"
SIGNING_VARIABLE = "SEARCHSOCKET_SIGNING_SECRET"
MIN_KEY_CHARS = 20  # a shorter key can be guessed
_MIN_SIGNING_CHARS = 32
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
    ignore = project.state_dir / _IGNORE_FILE
    if not ignore.exists():
        write_atomic(ignore, b"*\n")  # git leaves the state out, whatever the project's own ignore file says


def configured_key(settings: "ApiSettings", environ: Mapping[str, str]) -> str:
    """The key of trusted callers; "" when none is set. One that is set ends any other trust.

    Raises:
        ConfigError: It is so short that it can be guessed.
    """
    key = environ.get(settings.key_env, "").strip()
    if 0 < len(key) < MIN_KEY_CHARS:
        raise ConfigError(
            f"the key in {settings.key_env} has {len(key)} characters; a key needs at least {MIN_KEY_CHARS}; "
            f"create one with `openssl rand -hex 24`"
        )
    return key


def read_token(project: Project, name: str = TOKEN_FILE) -> str | None:
    """The token that a running `serve` of this user takes instead of a key; None when there is no sound one.

    Sound is a file of ours that nobody else could have read or written.

    Args:
        name: Of another file that contains a secret of the same form.
    """
    try:
        with open(os.open(project.state_dir / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            status = os.fstat(file.fileno())
            ours = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077
            text = file.read(_TOKEN_BYTES * 2) if ours else b""
    except OSError:
        return None
    return text.decode().strip() if _TOKEN.fullmatch(text) else None


def make_token(project: Project, name: str = TOKEN_FILE) -> str:
    """The token of this state folder: the sound one that is there, so that several servers agree, else a new one.

    Args:
        name: As of `read_token`.

    Raises:
        StateUnavailable, ScopeLocked: It cannot be written.
    """
    if token := read_token(project, name):
        return token
    make_private_folders(project)
    with scope_lock(project.state_dir, name, timeout_s=_LOCK_TIMEOUT_S):
        token = read_token(project, name)  # another server may have been first
        if token is None:
            token = secrets.token_urlsafe(_TOKEN_BYTES)
            write_atomic(project.state_dir / name, f"{token}\n".encode(), mode=_TOKEN_MODE)
    return token


def shared_secret(environ: Mapping[str, str]) -> str:
    """The secret that services on several machines share to sign continuation tokens; "" = none.

    Raises:
        ConfigError: It is so short that it can be guessed.
    """
    shared = environ.get(SIGNING_VARIABLE, "").strip()
    if 0 < len(shared) < _MIN_SIGNING_CHARS:
        raise ConfigError(
            f"{SIGNING_VARIABLE} has {len(shared)} characters; it needs at least {_MIN_SIGNING_CHARS}; create "
            f"one with `openssl rand -hex 32`"
        )
    return shared


def signing_key(project: Project, environ: Mapping[str, str]) -> bytes:
    """Key of the continuation tokens: a random secret of the state folder, which all its services share.

    Never the API key: strangers get continuation tokens, and could try keys on them. Services with state folders of
    their own, such as copies that only pull artefacts, share $SEARCHSOCKET_SIGNING_SECRET. Without it, and without a
    state folder that can be written, the key is of this process alone.

    Raises:
        ConfigError: The variable's value is so short that it can be guessed.
    """
    if shared := shared_secret(environ):
        return shared.encode("utf-8", "surrogateescape")
    try:
        return make_token(project, SIGNING_FILE).encode()
    except (StateUnavailable, ScopeLocked):
        return secrets.token_bytes(_TOKEN_BYTES)
