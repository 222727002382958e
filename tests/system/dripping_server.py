"""A server over a real socket that sends one answer in its own way: slowly, without end, or packed."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@dataclass
class Dripper:
    """Answer of the server, and the requests that it received."""

    answer: bytes = b""  # whole, with its head
    pause_s: float = 0.0  # after each byte
    url: str = ""
    requests: list[bytes] = field(default_factory=list)


@contextmanager
def dripping_server(answer: bytes, pause_s: float = 0.0) -> Iterator[Dripper]:
    """Answer every connection alike while the block runs."""
    dripper = Dripper(answer, pause_s)
    over = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))
    dripper.url = f"http://127.0.0.1:{listener.getsockname()[1]}"

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            dripper.requests.append(connection.recv(65_536))
            if not dripper.pause_s:
                connection.sendall(dripper.answer)
                return
            for at in range(len(dripper.answer)):
                connection.sendall(dripper.answer[at : at + 1])
                if over.wait(dripper.pause_s):
                    return

    def accept() -> None:
        with suppress(OSError):
            while not over.is_set():
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield dripper
    finally:
        over.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()
