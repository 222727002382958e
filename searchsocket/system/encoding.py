"""The bytes of a body as they were before the host packed them, and never more of them than allowed."""

import zlib
from collections.abc import Iterable, Iterator, Sequence

ACCEPTED = "gzip"  # what we ask for, and all that we unpack
_NAMES = ("gzip", "x-gzip")
_GZIP = 16 + zlib.MAX_WBITS


class EncodingRefused(ValueError):
    """A body is packed in another way than the one that was asked for, or more than once."""


class BodyTooLarge(ValueError):
    """A body is larger than allowed, as it came or unpacked."""


class DamagedBody(ValueError):
    """A packed body ends early or fails its checksum."""


def unpacked_parts(parts: Iterable[bytes], encodings: Sequence[str], max_bytes: int) -> Iterator[bytes]:
    """Parts of a body as they were before the host packed them.

    Args:
        parts: As they come from the network.
        encodings: The values of `Content-Encoding`.
        max_bytes: Bound of what came and of what it unpacks to; nothing beyond it is ever held.

    Raises:
        EncodingRefused, BodyTooLarge, DamagedBody: As they say.
    """
    named = [name for value in encodings if (name := value.strip().lower()) not in ("", "identity")]
    if not named:
        return _counted(parts, max_bytes)
    if len(named) > 1 or named[0] not in _NAMES:
        raise EncodingRefused(f"encoded as {', '.join(named)[:80]!r}; only one layer of {ACCEPTED} is supported")
    return _gunzipped(parts, max_bytes)


def gunzip(parts: Iterable[bytes], max_bytes: int) -> bytes:
    """Unpack gzip of one member or several; nothing unpacks to nothing.

    Raises:
        BodyTooLarge, DamagedBody: As they say.
    """
    return b"".join(_gunzipped(parts, max_bytes))


def _gunzipped(parts: Iterable[bytes], max_bytes: int) -> Iterator[bytes]:
    came = size = 0
    member = zlib.decompressobj(_GZIP)
    for part in parts:
        came = _checked(came + len(part), max_bytes)
        while part:
            if member.eof:
                if part[0] != 0x1F:  # noise behind the last member, which browsers leave out too
                    return
                member = zlib.decompressobj(_GZIP)
            try:
                unpacked = member.decompress(part, max_bytes - size + 1)
            except zlib.error as error:
                raise DamagedBody(f"damaged gzip: {error}") from error
            size = _checked(size + len(unpacked), max_bytes)
            yield unpacked
            part = member.unused_data
    if came and not member.eof:
        raise DamagedBody("incomplete gzip: its end is missing")


def _counted(parts: Iterable[bytes], max_bytes: int) -> Iterator[bytes]:
    size = 0
    for part in parts:
        size = _checked(size + len(part), max_bytes)
        yield part


def _checked(size: int, max_bytes: int) -> int:
    if size > max_bytes:
        raise BodyTooLarge(f"larger than {max_bytes} bytes")
    return size
