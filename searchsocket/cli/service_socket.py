"""Server side of `service_client`: answer commands of the same user over a socket in the state folder."""

import json
import os
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from searchsocket.cli.results import answer_lines, places_of
from searchsocket.cli.service_client import MAX_REQUEST_BYTES, address, identity, is_same_user, socket_path
from searchsocket.errors import SearchSocketError
from searchsocket.project.project import Project
from searchsocket.search.query import SearchQuery
from searchsocket.serving.answers import to_json
from searchsocket.serving.service import SearchService
from searchsocket.system.json_text import JsonObject

_TIMEOUT_S = 5.0
_BACKLOG = 16


@contextmanager
def answering(project: Project, environ: Mapping[str, str], service: SearchService) -> Iterator[None]:
    """Answer until the block ends; do nothing if the socket cannot be created or another service has it."""
    path = Path(socket_path(os.fspath(project.state_dir)))
    try:
        listener = _listen(path)
    except (OSError, AttributeError):  # AttributeError: a system without such sockets
        yield
        return
    replies = Replies(project, environ, service)
    thread = threading.Thread(target=_serve, args=(listener, replies), name="shell-socket", daemon=True)
    inode = path.stat().st_ino
    thread.start()
    try:
        yield
    finally:
        with suppress(OSError):
            if path.stat().st_ino == inode:
                path.unlink()
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)  # wakes the thread
        listener.close()
        thread.join(_TIMEOUT_S)


class Replies:
    """Answers requests of commands."""

    def __init__(self, project: Project, environ: Mapping[str, str], service: SearchService) -> None:
        self._project = project
        self._environ = dict(environ)
        self._service = service
        self.on_error = service.on_error
        self._identity = identity(os.path.realpath(project.root), environ)

    def to(self, data: bytes) -> JsonObject:
        """Return the reply to a request: lines to print, an error, or `declined` if another service must answer."""
        try:
            request = json.loads(data)
            is_ours = request.pop("identity") == self._identity and (
                request["scope"] is not None or self._project.settings.scope.mode != "env"
            )
            query = _query_of(request["query"])
            width, as_json = int(request["width"]), bool(request["json"])
        except (ValueError, TypeError, KeyError, AttributeError):
            return {"declined": True}
        if not is_ours:
            return {"declined": True}
        try:
            answer = self._service.search(query, self._project.scope(self._environ, request["scope"]))
        except SearchSocketError as error:
            return {"error": {"code": error.code, "message": str(error)}}
        lines = [to_json(answer, sources=True).decode()] if as_json else [*answer_lines(answer, width)]
        notes = [note.message for note in answer.meta.notes]
        return {"notes": notes, "lines": lines, "scope": answer.scope, "places": places_of(answer)}


def _query_of(fields: JsonObject) -> SearchQuery:
    filters = tuple((str(name), tuple(map(str, values))) for name, values in fields["filters"])
    lists = {name: tuple(map(str, fields[name])) for name in ("tags", "facets", "version")}
    texts = {"q": str(fields["q"]), "prefer_language": str(fields.get("prefer_language", ""))}
    return SearchQuery(**{**fields, **texts, "filters": filters, **lists})


def _listen(path: Path) -> socket.socket:
    """Create a socket to which only its owner can ever connect.

    Raises:
        OSError: The socket cannot be created, or another service answers at the path.
    """
    with (
        socket.socket(socket.AF_UNIX) as probe,
        address(os.fspath(path)) as name,
        suppress(FileNotFoundError, ConnectionRefusedError),
    ):
        probe.connect(name)
        raise FileExistsError(os.fspath(path))
    listener = socket.socket(socket.AF_UNIX)
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        temporary.unlink(missing_ok=True)
        with address(os.fspath(temporary)) as name:
            listener.bind(name)
        temporary.chmod(0o600)
        listener.listen(_BACKLOG)
        os.replace(temporary, path)
    except OSError:
        listener.close()
        with suppress(OSError):
            temporary.unlink()
        raise
    return listener


def _serve(listener: socket.socket, replies: Replies) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return  # closed
        with connection:
            try:
                _answer(connection, replies)
            except OSError:
                continue  # the client disconnected
            except Exception as error:  # noqa: BLE001  (the command then opens the index itself)
                replies.on_error(error)


def _answer(connection: socket.socket, replies: Replies) -> None:
    connection.settimeout(_TIMEOUT_S)
    if is_same_user(connection):
        with connection.makefile("rb") as file:
            data = file.readline(MAX_REQUEST_BYTES)
        connection.sendall(json.dumps(replies.to(data)).encode())
