"""The plain text of a record, stored with its Markdown: parsing the Markdown would cost most of a query's time.

Both have the same words, so the plain text is compressed with the Markdown as its dictionary, to about 50 bytes.
The positions where a snippet may begin take about 50 more.
"""

import json
import sys
import zlib
from array import array

from searchsocket.content.markdown.chunk_text import START, ChunkText, Opening
from searchsocket.stores.local.catalogue.columns import SqlRow

_SHORT = "H"  # 2 bytes, for positions in texts of fewer than `_SHORTS` characters
_SHORTS = 1 << 16
COLUMNS = {"plain": "BLOB", "starts": "BLOB", "kinds": "TEXT", "openings": "TEXT"}


def packed(text: ChunkText, markdown: str) -> tuple[bytes, bytes, str, str]:
    """The values of `COLUMNS`; neither text may contain lone surrogates."""
    plain = _compressed(text.text.encode(), markdown.encode())
    openings = [(opening.start, opening.anchor, opening.title) for opening in text.openings]
    openings_json = json.dumps(openings, ensure_ascii=False) if openings else ""
    starts = array(_SHORT, text.starts) if len(text.text) < _SHORTS else text.starts
    return plain, _little_endian(starts).tobytes(), text.kinds, openings_json


def unpacked(values: SqlRow, markdown: str) -> ChunkText:
    """The text that was packed.

    Raises:
        ValueError, TypeError: The values are damaged.
    """
    plain, starts_bytes, kinds, openings = values
    dictionary = markdown.encode()
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS, dictionary) if dictionary else zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        text = unpacker.decompress(plain).decode()
    except zlib.error as error:
        raise ValueError(f"a plain text is damaged ({error})") from error
    if not unpacker.eof:
        raise ValueError("a plain text ends too early")
    starts = array(_SHORT if len(starts_bytes) == 2 * len(kinds) else START, starts_bytes)
    if len(kinds) != len(starts):
        raise ValueError("the units of a plain text are damaged")
    sections = tuple([Opening(*opening) for opening in json.loads(openings)]) if openings else ()
    return ChunkText(text, _little_endian(starts), kinds, sections)


def _little_endian(starts: "array[int]") -> "array[int]":
    """Convert numbers between the byte order of this machine and that of files."""
    if sys.byteorder == "big":
        starts = starts[:]
        starts.byteswap()
    return starts


def _compressed(data: bytes, dictionary: bytes) -> bytes:
    options = (zlib.Z_BEST_SPEED, zlib.DEFLATED, -zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, zlib.Z_DEFAULT_STRATEGY)
    packer = zlib.compressobj(*options, dictionary) if dictionary else zlib.compressobj(*options)
    return packer.compress(data) + packer.flush()
