"""Read access: folders that only their owner may read, and the token that grants full access."""

import os
import re
import secrets
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from searchsocket.errors import ConfigError, ScopeLocked, StateUnavailable
from searchsocket.project.project import Project, index_folder
from searchsocket.system.files import make_private_folder, share, write_atomic
from searchsocket.system.locks import scope_lock

if TYPE_CHECKING:
    pass

_IGNORE_FILE = ".gitignore"
TOKEN_FILE = "serve.token"  # noqa: S105  a file's name
SIGNING_FILE = "continuations.key"
WRITER_FILE = "writer.id"  # of the leases
_SECRETS = frozenset({TOKEN_FILE, SIGNING_FILE, WRITER_FILE})  # `make_token` replaces a link, and never follows one
SIGNING_VARIABLE = "SEARCHSOCKET_SIGNING_SECRET"
MIN_KEY_CHARS = 20  # a shorter key can be guessed
_MIN_SIGNING_CHARS = 32
_TOKEN_MODE = 0o600
_TOKEN_BYTES = 32
_LOCK_TIMEOUT_S = 10.0
_TOKEN = re.compile(rb"[A-Za-z0-9_-]{43}\n")


def private_folders(project: Project) -> list[Path]:
    """The folders whose mode controls read access: that of the state, and that of an index outside it."""
    state, index = project.state_dir.resolve(), index_folder(project.settings.vector, project.state_dir).resolve()
    return [state, *([] if index.is_relative_to(state) else [index])]


def make_private_folders(project: Project) -> None:
    """Create the missing folders of `private_folders`; existing ones keep their mode.

    Every writer calls this first.

    Raises:
        StateUnavailable: A folder cannot be created, or the state folder is or contains a link.
    """
    refuse_linked_state(project)
    refuse_links(project.state_dir)
    for folder in private_folders(project):
        try:
            make_private_folder(folder)
        except OSError as error:
            raise StateUnavailable(f"cannot create {folder}: {error.strerror or error}") from error
    ignore = project.state_dir / _IGNORE_FILE
    if not (ignore.exists() and ignore.stat().st_size):  # a killed run may leave an empty one, but no temporary file
        ignore.write_bytes(b"*\n")  # git ignores the state, regardless of the project's own ignore file
        share(ignore)


def refuse_links(state_dir: Path) -> None:
    """Refuse a state folder that contains links: a checkout may bring it, and a run would write where they lead.

    Only folders above the pages of the mirror and the generations of an index are searched. Below, writers replace or
    refuse a link.

    Raises:
        StateUnavailable: There is a link.
    """
    for path in (state_dir, *_folders_in(state_dir), *_folders_in(state_dir / "index")):
        for entry in _entries(path):
            if entry.is_symlink() and entry.name not in _SECRETS:
                raise _link_error(entry.path)


def refuse_linked_state(project: Project) -> None:
    """Refuse a state folder behind a link inside the project: a checkout may bring it.

    Raises:
        StateUnavailable: There is a link.
    """
    for path in (project.state_dir, *project.state_dir.parents):
        if path.is_relative_to(project.root) and path != project.root and path.is_symlink():
            raise _link_error(str(path))


def _link_error(path: str) -> StateUnavailable:
    return StateUnavailable(
        f"{path} is a link, which searchsocket does not follow because a checkout may have brought it; remove it, or "
        "set state.dir or vector.local.path to the other place"
    )


def _folders_in(path: Path) -> list[Path]:
    return [Path(entry.path) for entry in _entries(path) if entry.is_dir(follow_symlinks=False)]


def _entries(path: Path) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(path) as entries:
            return list(entries)
    except OSError:  # whoever needs it says so
        return []


def configured_key(project: Project, environ: Mapping[str, str]) -> str:
    """The key of trusted callers; "" if none is set. If one is set, callers without it are not trusted.

    Raises:
        ConfigError: The key is so short that it can be guessed.
    """
    name = project.settings.api.key_env
    key = project.environment(environ).get(name, "").strip()
    if 0 < len(key) < MIN_KEY_CHARS:
        raise ConfigError(
            f"the key in {name} has {len(key)} characters; a key needs at least {MIN_KEY_CHARS}; "
            f"create one with `openssl rand -hex 24`"
        )
    return key


def read_token(project: Project, name: str = TOKEN_FILE) -> str | None:
    """The token that a running `serve` of this user accepts instead of a key; None if there is no valid one.

    The file must belong to this user, and no other user may be able to read or write it.

    Args:
        name: Name of the file with the secret.
    """
    try:
        with open(os.open(project.state_dir / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            status = os.fstat(file.fileno())
            is_private = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077
            text = file.read(_TOKEN_BYTES * 2) if is_private else b""
    except OSError:
        return None
    return text.decode().strip() if _TOKEN.fullmatch(text) else None


def make_token(project: Project, name: str = TOKEN_FILE) -> str:
    """Return the token of this state folder: an existing valid one, so that several servers agree, else a new one.

    Args:
        name: As in `read_token`.

    Raises:
        StateUnavailable, ScopeLocked: The token cannot be written.
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
    """The secret that services on several machines share to sign continuation tokens; "" if there is none.

    Raises:
        ConfigError: The secret is so short that it can be guessed.
    """
    secret = environ.get(SIGNING_VARIABLE, "").strip()
    if 0 < len(secret) < _MIN_SIGNING_CHARS:
        raise ConfigError(
            f"{SIGNING_VARIABLE} has {len(secret)} characters; it needs at least {_MIN_SIGNING_CHARS}; create "
            f"one with `openssl rand -hex 32`"
        )
    return secret


def signing_key(project: Project, environ: Mapping[str, str]) -> bytes:
    """Key of the continuation tokens: a random secret in the state folder, shared by all its services.

    It is never the API key: anybody gets continuation tokens, and could test keys on them. Services with separate
    state folders, such as copies that only pull artefacts, share $SEARCHSOCKET_SIGNING_SECRET. Without it, and without
    a writable state folder, the key is random for this process.

    Raises:
        ConfigError: The variable's value is so short that it can be guessed.
    """
    if secret := shared_secret(environ):
        return secret.encode("utf-8", "surrogateescape")
    try:
        return make_token(project, SIGNING_FILE).encode()
    except (StateUnavailable, ScopeLocked):
        return secrets.token_bytes(_TOKEN_BYTES)
