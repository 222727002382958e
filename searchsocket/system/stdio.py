"""Standard input and output as the two ends of a protocol, which nothing else may read or write."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

_IN, _OUT, _ERR = 0, 1, 2


@contextmanager
def protocol_streams() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """The streams of requests and answers, until the block ends.

    Whatever else prints, here or in a child process, prints to standard error, and a child that reads finds nothing.
    A stream that is closed already is an empty one.
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
    """A stream whose last bytes may find nobody who reads them."""
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
    """Make a standard stream another file, which is then closed by its own number."""
    if handle != number:
        os.dup2(handle, number)
        os.close(handle)
