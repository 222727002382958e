"""No host holds a request beyond its time, whatever it does with the connection (spec 8.2 B).

The hosts here would finish in the end, in seconds or megabytes: a crawler without the limits gets a whole page of each.
"""

import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from searchsocket.errors import SourceUnavailable
from searchsocket.extensions.crawl.fetch import CrawlBudget, Fetcher, FetchFailed, FetchLimits
from tests.sources.web import serve_raw

PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\npage"
REST = PAGE[PAGE.index(b"\r\n") :]  # but the status line
HINT = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"


def fetch(address: str, *, timeout_s: float = 20.0, max_seconds: float = 60.0) -> bytes:
    budget = CrawlBudget(max_seconds=max_seconds, max_failures_in_row=50, monotonic=time.monotonic)
    fetcher = Fetcher(address, FetchLimits(1_000_000, timeout_s, attempts=2), budget, sleep=lambda _: None)
    try:
        return fetcher.get(f"{address}/").body
    finally:
        fetcher.close()


def slowly(*pieces: bytes, times: int = 1_000) -> Iterator[bytes]:
    """The first piece, the second one over and over, and the rest."""
    first, repeated, *rest = pieces
    return itertools.chain([first], itertools.repeat(repeated, times), rest)


SLOW: dict[str, Callable[[], Iterator[bytes]]] = {
    "a head byte by byte": lambda: slowly(b"HTTP/1.1 200 OK\r\nX: ", b"x", REST),
    "a status line byte by byte": lambda: slowly(b"HTTP/1.1 200 ", b"x", REST),
    "early hints": lambda: slowly(b"", HINT, PAGE),
    "a body byte by byte": lambda: slowly(CHUNKED, b"1\r\nx\r\n", b"0\r\n\r\n"),
    "trailers byte by byte": lambda: slowly(CHUNKED + b"4\r\npage\r\n0\r\nX: ", b"x", b"\r\n\r\n"),
}


@pytest.mark.parametrize("name", SLOW)
def test_an_answer_that_drips_ends_at_the_deadline(name: str) -> None:
    """And not when the host has said everything."""
    finished = threading.Event()

    def talk() -> Iterator[bytes]:
        yield from SLOW[name]()
        finished.set()

    with serve_raw(talk, pace_s=0.02) as address, pytest.raises(FetchFailed, match=r"took longer than 0\.5 s"):
        fetch(address, timeout_s=0.5)
    assert not finished.is_set()


def test_a_host_that_hears_and_says_nothing_is_left_at_the_deadline() -> None:
    with serve_raw(lambda: iter([PAGE]), pace_s=30.0) as address, pytest.raises(FetchFailed, match="took longer"):
        fetch(address, timeout_s=0.3)


def test_a_tls_handshake_byte_by_byte_ends_at_the_deadline() -> None:
    hello = slowly(b"\x16\x03\x03\x40\x00", b"x")
    with serve_raw(lambda: hello, pace_s=0.02) as address, pytest.raises(FetchFailed, match=r"took longer than 0\.5 s"):
        fetch(address.replace("http:", "https:"), timeout_s=0.5)


def test_a_name_that_is_never_resolved_ends_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    never = threading.Event()

    def resolve(*_: object, **__: object) -> list[object]:
        never.wait(20)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    try:
        with pytest.raises(SourceUnavailable, match=r"'127\.0\.0\.1' was not resolved within 0\.3 s"):
            fetch("http://127.0.0.1:1", timeout_s=0.3)
    finally:
        never.set()


HEADS: dict[str, Callable[[], Iterator[bytes]]] = {
    "early hints": lambda: slowly(b"", HINT, PAGE, times=3_000),
    "one header": lambda: slowly(b"HTTP/1.1 200 OK\r\nX: ", b"x" * 100, REST, times=950),
    "many headers": lambda: slowly(b"HTTP/1.1 200 OK\r\n", b"X: 1234567890\r\n" * 10, REST[2:], times=600),
}


@pytest.mark.parametrize("name", HEADS)
def test_headers_of_an_answer_are_bounded(name: str) -> None:
    with (
        serve_raw(HEADS[name]) as address,
        pytest.raises(FetchFailed, match="the response headers have more than 65536 bytes"),
    ):
        fetch(address)


def test_a_few_hints_before_an_answer_and_a_body_after_a_pause_are_no_harm() -> None:
    with serve_raw(lambda: slowly(b"", HINT, PAGE[:-2], PAGE[-2:], times=3), pace_s=0.01) as address:
        assert fetch(address) == b"page"


def test_the_end_of_the_crawl_is_the_end_of_its_requests() -> None:
    ended = pytest.raises(FetchFailed, match="had not arrived when the crawl ended")
    with serve_raw(SLOW["early hints"], pace_s=0.02) as address, ended:
        fetch(address, max_seconds=0.5)
