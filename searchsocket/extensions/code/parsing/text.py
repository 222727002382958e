"""Decode source files to text with the line numbers of editors."""

import re

from searchsocket.content.html.decode import decode_html

_DECLARED = re.compile(rb"^[ \t\f]*(?:#|//|/\*|--|;).*?coding[:=][ \t]*([-\w.]+)", re.MULTILINE)  # PEP 263, Emacs
_DECLARED_BYTES = 500
_BINARY_BYTES = 8_000  # in which git, too, looks for a NUL
_POINTER, _POINTER_BYTES = b"version https://git-lfs.github.com/spec/", 1024
_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


def is_binary(data: bytes) -> bool:
    """Return True if the bytes are not text: a NUL near the start, unless the declared encoding uses NULs."""
    return 0 in data[:_BINARY_BYTES] and not data.startswith(_MARKS)


def is_pointer(data: bytes) -> bool:
    """Return True for the pointer that Git LFS leaves in place of a file that was not fetched."""
    return len(data) < _POINTER_BYTES and data.startswith(_POINTER)


def source_text(data: bytes) -> tuple[str, str]:
    """Decode a source file, and replace CRLF and CR by LF so that line numbers agree everywhere.

    Returns:
        The text, and a warning if it is not UTF-8, otherwise "".
    """
    declared = _DECLARED.search(data, 0, _DECLARED_BYTES)
    text, warning = decode_html(data, declared[1].decode("ascii") if declared else "")
    return text.replace("\r\n", "\n").replace("\r", "\n"), warning
