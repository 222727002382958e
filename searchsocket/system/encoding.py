"""Decompress HTTP bodies, up to a size limit."""

import zlib
from collections.abc import Iterable, Iterator, Sequence

ACCEPTED = "gzip"  # the only encoding that is requested and decompressed
_NAMES = ("gzip", "x-gzip")
_PLAIN = ("", "identity", "none")  # some hosts write `none`
_GZIP = 16 + zlib.MAX_WBITS


class EncodingRefused(ValueError):
    """A body has an encoding that was not requested, or several."""


class BodyTooLarge(ValueError):
    """A body is larger than allowed, as received or decompressed."""


class DamagedBody(ValueError):
    """A compressed body ends early or fails its checksum."""


def unpacked_parts(parts: Iterable[bytes], encodings: Sequence[str], max_bytes: int) -> Iterator[bytes]:
    """Yield the decompressed parts of a body.

    Args:
        parts: The parts as received.
        encodings: The values of `Content-Encoding`.
        max_bytes: Limit of received and of decompressed bytes; no more is ever in memory.

    Raises:
        EncodingRefused, BodyTooLarge, DamagedBody: See the classes.
    """
    names = [name for value in encodings if (name := value.strip().lower()) not in _PLAIN]
    if not names:
        return _limit_size(parts, max_bytes)
    if len(names) > 1 or names[0] not in _NAMES:
        raise EncodingRefused(f"encoded as {', '.join(names)[:80]!r}; only one layer of {ACCEPTED} is supported")
    return _gunzip_parts(parts, max_bytes)


def gunzip(parts: Iterable[bytes], max_bytes: int) -> bytes:
    """Decompress gzip with one or several members; b"" for no data.

    Raises:
        BodyTooLarge, DamagedBody: See the classes.
    """
    return b"".join(_gunzip_parts(parts, max_bytes))


def _gunzip_parts(parts: Iterable[bytes], max_bytes: int) -> Iterator[bytes]:
    received = size = 0
    member = zlib.decompressobj(_GZIP)
    for part in parts:
        received = _check_size(received + len(part), max_bytes)
        while part:
            if member.eof:
                if part[0] != 0x1F:  # data after the last member, which browsers ignore too
                    return
                member = zlib.decompressobj(_GZIP)
            try:
                unpacked = member.decompress(part, max_bytes - size + 1)
            except zlib.error as error:
                raise DamagedBody(f"damaged gzip: {error}") from error
            size = _check_size(size + len(unpacked), max_bytes)
            yield unpacked
            part = member.unused_data
    if received and not member.eof:
        raise DamagedBody("incomplete gzip: its end is missing")


def _limit_size(parts: Iterable[bytes], max_bytes: int) -> Iterator[bytes]:
    size = 0
    for part in parts:
        size = _check_size(size + len(part), max_bytes)
        yield part


def _check_size(size: int, max_bytes: int) -> int:
    if size > max_bytes:
        raise BodyTooLarge(f"larger than {max_bytes} bytes")
    return size
