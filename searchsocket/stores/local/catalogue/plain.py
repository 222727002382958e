"""The plain text of a record, kept beside its Markdown: parsing that costs more than all else of a query.

The two say the same words, so what is kept is what to copy from one to the other: about 50 bytes.
"""

import json
import zlib
from collections.abc import Sequence
from typing import Any

from searchsocket.markdown.chunk_text import ChunkText, Opening

COLUMNS = {"plain": "BLOB", "openings": "TEXT"}


def packed(text: ChunkText, markdown: str) -> tuple[bytes, str]:
    """The values of `COLUMNS`; neither text holds lone surrogates."""
    packer = _packer(markdown.encode())
    plain = packer.compress(text.text.encode()) + packer.flush()
    openings = [(opening.start, opening.anchor, opening.title) for opening in text.openings]
    return plain, json.dumps(openings, ensure_ascii=False) if openings else ""


def unpacked(values: Sequence[Any], markdown: str) -> ChunkText:
    """The text that was packed.

    Raises:
        ValueError, TypeError: The values are damaged.
    """
    plain, openings = values
    dictionary = markdown.encode()
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS, dictionary) if dictionary else zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        text = unpacker.decompress(plain).decode()
    except zlib.error as error:
        raise ValueError(f"a plain text is damaged ({error})") from error
    if not unpacker.eof:
        raise ValueError("a plain text ends too early")
    return ChunkText(text, tuple(Opening(*opening) for opening in json.loads(openings)) if openings else ())


def _packer(dictionary: bytes) -> Any:
    options = (zlib.Z_BEST_SPEED, zlib.DEFLATED, -zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, zlib.Z_DEFAULT_STRATEGY)
    return zlib.compressobj(*options, dictionary) if dictionary else zlib.compressobj(*options)
