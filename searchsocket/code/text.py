"""The bytes of a source file as text with the lines that editors count."""

import re

from searchsocket.content.html.decode import decode_html

_DECLARED = re.compile(rb"^[ \t\f]*(?:#|//|/\*|--|;).*?coding[:=][ \t]*([-\w.]+)", re.MULTILINE)  # PEP 263, Emacs
_DECLARED_BYTES = 500
_BINARY_BYTES = 8_000  # where git looks for a NUL
_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


def is_binary(data: bytes) -> bool:
    """Return True if the bytes are not text: a NUL near the start, unless the declared encoding uses NULs."""
    return 0 in data[:_BINARY_BYTES] and not data.startswith(_MARKS)


def source_text(data: bytes) -> tuple[str, str]:
    """Decode a source file, with CRLF and CR as LF so that its lines are counted alike everywhere.

    Returns:
        The text, and which other encoding it was read as; "" for UTF-8.
    """
    declared = _DECLARED.search(data, 0, _DECLARED_BYTES)
    text, warning = decode_html(data, declared[1].decode("ascii") if declared else "")
    return text.replace("\r\n", "\n").replace("\r", "\n"), warning
