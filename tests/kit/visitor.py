"""A visitor with an own connection and address, who may disconnect before the answer."""

import http.client
import json
import select
import socket
import struct
from contextlib import closing
from typing import Any


def ask(
    port: int, path: str, *, body: Any = None, address: str = "127.0.0.1", method: str = "", **headers: str
) -> tuple[int, dict[str, str], str]:
    """Status, headers and text of an answer."""
    request_headers = {name.replace("_", "-"): value for name, value in headers.items()}
    if isinstance(body, dict):
        body, request_headers = json.dumps(body), {"content-type": "application/json"} | request_headers
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60, source_address=(address, 0))) as connection:
        connection.request(method or ("GET" if body is None else "POST"), path, body, request_headers)
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read().decode()


def code_of(text: str) -> str:
    """The code of an error."""
    return str(json.loads(text)["error"]["code"])


class Leaving:
    """A request that nobody waits for the answer of."""

    def __init__(self, port: int, method: str, path: str) -> None:
        self._connection = socket.create_connection(("127.0.0.1", port), timeout=60)
        body = b'{"q":"tide"}' if method == "POST" else b""
        length = f"content-type: application/json\r\ncontent-length: {len(body)}\r\n" if body else ""
        self._connection.sendall(f"{method} {path} HTTP/1.1\r\nhost: site.example\r\n{length}\r\n".encode() + body)

    def leave(self, *, abruptly: bool = False) -> None:
        """Close the connection; abruptly: by a reset, as a proxy or a phone without a network does."""
        if abruptly:
            self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._connection.close()


def send_without_end(port: int, path: str, limit: int) -> tuple[bytes, int]:
    """Send a body of at most `limit` bytes that never ends; return the answer and the number of bytes accepted."""
    with closing(socket.create_connection(("127.0.0.1", port), timeout=60)) as connection:
        head = "host: site.example\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n"
        connection.sendall(f"POST {path} HTTP/1.1\r\n{head}\r\n".encode())
        sent_bytes = 0
        while sent_bytes < limit and not select.select([connection], [], [], 0)[0]:
            try:
                connection.sendall(b"3e8\r\n" + b"x" * 1000 + b"\r\n")
            except (BrokenPipeError, ConnectionResetError):
                break  # the other side has closed; what it answered before can still be read
            sent_bytes += 1000
        try:
            answer = connection.recv(65_536)
        except ConnectionResetError:
            answer = b""
        return answer, sent_bytes
