"""Lines of bounded length from a stream of bytes."""

from collections.abc import Iterator
from typing import BinaryIO, Literal

MAX_REQUEST_BYTES = 1 << 20
_READ_BYTES = 1 << 16

Line = bytes | Literal["too large"]


def request_lines(stream: BinaryIO, max_bytes: int = MAX_REQUEST_BYTES) -> Iterator[Line]:
    """Each line without its end, or that it is too large: of that no more is kept, to its newline.

    The last line needs no newline behind it.

    Args:
        max_bytes: Of a line, its newline included.
    """
    while True:
        line = stream.readline(max_bytes + 1)
        if not line:
            return
        if len(line) <= max_bytes:
            yield line.rstrip(b"\r\n")
            continue
        while line and not line.endswith(b"\n"):
            line = stream.readline(_READ_BYTES)
        yield "too large"
