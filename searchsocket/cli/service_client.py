"""Client of a running `serve`, used instead of opening the index; needs only the standard library.

Only the index's owner can connect: the socket is in the state folder with an owner-only mode, and both sides check that
the peer is a process of the same user.
"""

import json
import os
import socket
import stat
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256

from searchsocket.pipeline.unchanged.environment import CONFIGURATION, installed_packages, state_dir_of
from searchsocket.pipeline.unchanged.snapshot import bytes_of
from searchsocket.system.json_text import JsonObject

SOCKET = "serve.sock"
MAX_REQUEST_BYTES = 64_000
_MAX_ADDRESS_BYTES = 100  # systems differ: from 104 to 108
_TIMEOUT_S = 30.0
_PREFIXES = ("SEARCHSOCKET", "EMBEDDINGS_PROVIDER")


def socket_path(state_dir: str) -> str:
    """Return the path of the service's socket in this state folder."""
    return os.path.join(state_dir, SOCKET)


@contextmanager
def address(path: str) -> Iterator[str]:
    """Yield the path, or a shorter name of it if it is too long for a socket's address."""
    if len(os.fsencode(path)) <= _MAX_ADDRESS_BYTES:
        yield path
        return
    parent, name = os.path.split(path)
    folder = os.open(parent, os.O_RDONLY)
    try:
        yield f"/proc/self/fd/{folder}/{name}"
    finally:
        os.close(folder)


def identity(root: str, environ: Mapping[str, str]) -> str:
    """Return a fingerprint of all inputs of an answer except the index: settings, their variables and the code.

    It must be equal on both sides.

    Raises:
        OSError: A file cannot be read.
    """
    fingerprint = sha256(bytes_of(os.path.join(root, name) for name in CONFIGURATION).encode())
    for name in sorted(environ):
        if name.startswith(_PREFIXES):
            fingerprint.update(f"{name}={environ[name]}\0".encode("utf-8", "surrogateescape"))
    for line in installed_packages():
        fingerprint.update(line.encode("utf-8", "surrogateescape"))
    return fingerprint.hexdigest()


def ask(root: str, environ: Mapping[str, str], request: JsonObject) -> JsonObject | None:
    """Send a request to a running service. Return its answer, or None if no service can answer it."""
    root = os.path.realpath(root)
    path = socket_path(state_dir_of(root, environ))
    try:
        if not _is_ours(path):
            return None
        with socket.socket(socket.AF_UNIX) as connection, address(path) as name:
            connection.settimeout(_TIMEOUT_S)
            connection.connect(name)
            if not is_same_user(connection):
                return None
            connection.sendall(json.dumps({**request, "identity": identity(root, environ)}).encode() + b"\n")
            with connection.makefile("rb") as file:
                reply = json.loads(file.read())
    except (OSError, ValueError, AttributeError):  # AttributeError: a system without such sockets
        return None
    return reply if isinstance(reply, dict) and not reply.get("declined") else None


def _is_ours(path: str) -> bool:
    info = os.lstat(path)
    return stat.S_ISSOCK(info.st_mode) and info.st_uid == os.geteuid() and not info.st_mode & 0o077


def is_same_user(connection: socket.socket) -> bool:
    """Return True if the peer is a process of this user. If the system does not report it, the file's mode decides."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return bool(struct.unpack("3i", credentials)[1] == os.geteuid())
