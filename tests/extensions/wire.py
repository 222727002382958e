"""A wire between a client and a server, by the byte: it passes all on until told to cut, stall, drip or garble."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

_PIECE = 65_536


@dataclass(frozen=True, slots=True)
class Fault:
    """Fault of each answer from now on."""

    name: str
    after: int = 0  # bytes that pass as they are, from the first of a connection that meets the fault
    in_body: bool = False  # they are counted from the end of the head of HTTP
    garbles: bool = False  # the bytes behind are others
    drips: bool = False  # they come one at a time, and the last of them never
    stalls: bool = False  # none comes
    refuses: bool = False  # whoever connects is sent away

    def __str__(self) -> str:
        return self.name


REFUSED = Fault("refused", refuses=True)
CUT_AT_ONCE = Fault("cut at once")
CUT_IN_THE_HEAD = Fault("cut in the head", after=20)
CUT_IN_THE_BODY = Fault("cut in the body", after=9, in_body=True)
GARBLED_HEAD = Fault("garbled head", garbles=True)
GARBLED_BODY = Fault("garbled body", in_body=True, garbles=True)
STALLED = Fault("stalled", stalls=True)
STALLED_IN_THE_BODY = Fault("stalled in the body", after=9, in_body=True, stalls=True)
DRIPPING = Fault("dripping", drips=True)
QUICK = (REFUSED, CUT_AT_ONCE, CUT_IN_THE_HEAD, CUT_IN_THE_BODY, GARBLED_HEAD, GARBLED_BODY)
SLOW = (STALLED, STALLED_IN_THE_BODY, DRIPPING)  # these take the time that a request is given


class Wire:
    """Listens on this machine for one server.

    Attributes:
        fault: May be set at any time; None: all is passed on.
    """

    def __init__(self, server: tuple[str, int]) -> None:
        self.fault: Fault | None = None
        self._server = server
        self._closed = threading.Event()
        self._open: set[socket.socket] = set()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._closed.set()
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self.cut()

    def cut(self) -> None:
        """End every connection that there is."""
        for each in list(self._open):
            _end(each)

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            if self.fault and self.fault.refuses:
                _end(client)
                continue
            with suppress(OSError):
                server = socket.create_connection(self._server)
                self._open |= {client, server}
                threading.Thread(target=self._pass_on, args=(client, server), daemon=True).start()
                threading.Thread(target=self._answer, args=(server, client), daemon=True).start()

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while piece := client.recv(_PIECE):
                if self.fault and self.fault.refuses:
                    break
                server.sendall(piece)
        self._drop(client, server)

    def _answer(self, server: socket.socket, client: socket.socket) -> None:
        met: Fault | None = None
        whole = 0  # bytes that still pass as they are
        head: bytes | None = None
        with suppress(OSError):
            while piece := server.recv(_PIECE):
                fault = self.fault
                if fault is not met:
                    met, whole, head = fault, fault.after if fault else 0, b"" if fault and fault.in_body else None
                if fault is None:
                    client.sendall(piece)
                    continue
                if head is not None:  # it is not over yet
                    head += piece
                    end = head.find(b"\r\n\r\n")
                    passes = len(piece) if end < 0 else end + 4 - (len(head) - len(piece))
                    client.sendall(piece[:passes])
                    piece, head = piece[passes:], head if end < 0 else None
                client.sendall(piece[:whole])
                piece, whole = piece[whole:], max(0, whole - len(piece))
                if piece and not self._damaged(fault, piece, client):
                    break
        self._drop(client, server)

    def _damaged(self, fault: Fault, piece: bytes, client: socket.socket) -> bool:
        """Send what a fault leaves of a piece; whether the connection goes on."""
        if fault.garbles:
            client.sendall(bytes(byte ^ 0x15 for byte in piece))
            return False
        if fault.drips:
            for byte in piece[:-1]:
                client.sendall(bytes([byte]))
                if self._closed.wait(0.01):
                    break
        if fault.stalls or fault.drips:
            self._closed.wait(60)  # until the test is over
        return False

    def _drop(self, *sockets: socket.socket) -> None:
        for each in sockets:
            self._open.discard(each)
            _end(each)


@contextmanager
def wire(url: str) -> Iterator[Wire]:
    """A wire to the server at an address like `http://127.0.0.1:1234`."""
    parts = urlsplit(url)
    assert parts.hostname
    assert parts.port
    between = Wire((parts.hostname, parts.port))
    try:
        yield between
    finally:
        between.close()


def _end(each: socket.socket) -> None:
    with suppress(OSError):
        each.shutdown(socket.SHUT_RDWR)
    with suppress(OSError):
        each.close()
