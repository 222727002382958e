"""Reserve standard input and output for a protocol; other code cannot read or write them."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

_IN, _OUT, _ERR = 0, 1, 2


@contextmanager
def protocol_streams() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The streams of requests and responses, until the block ends.

    All other output, here or in a child process, is written to standard error, and a child that reads gets no input.
    A stream that is already closed is empty.
    """
    sys.stdout.flush()
    copies = [_copy(_IN, os.O_RDONLY), _copy(_OUT, os.O_WRONLY)]
    try:
        _point(_IN, os.open(os.devnull, os.O_RDONLY))
        try:
            _point(_OUT, os.dup(_ERR))
        except OSError:  # there is no standard error
            _point(_OUT, os.open(os.devnull, os.O_WRONLY))
        with os.fdopen(os.dup(copies[0]), "rb") as requests, _quiet(os.dup(copies[1])) as answers:
            yield requests, answers
    finally:
        for number, handle in zip((_IN, _OUT), copies, strict=True):
            _point(number, handle)


@contextmanager
def _quiet(handle: int) -> Iterator[BinaryIO]:
    """An unbuffered output stream, so that closing it cannot fail if the reader is gone."""
    stream = os.fdopen(handle, "wb", buffering=0)
    try:
        yield stream
    finally:
        stream.close()


def _copy(number: int, mode: int) -> int:
    try:
        return os.dup(number)
    except OSError:
        return os.open(os.devnull, mode)


def _point(number: int, handle: int) -> None:
    """Redirect a standard stream to another file descriptor, and close that descriptor."""
    if handle != number:
        os.dup2(handle, number)
        os.close(handle)
