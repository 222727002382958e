"""The contents of a source file as all steps see them.

As bytes: cells of a notebook, and code without the secrets in it. As text: with the line numbers of editors.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from searchsocket.content.html.decode import decode_html
from searchsocket.extensions.code.parsing.selection import looks_secret
from searchsocket.text.redaction import NAMES, Redactor

_DECLARED = re.compile(rb"^[ \t\f]*(?:#|//|/\*|--|;).*?coding[:=][ \t]*([-\w.]+)", re.MULTILINE)  # PEP 263, Emacs
_DECLARED_BYTES = 500
_BINARY_BYTES = 8_000  # in which git, too, looks for a NUL
_POINTER, _POINTER_BYTES = b"version https://git-lfs.github.com/spec/", 1024
_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")

_TOKEN = re.compile(r'(?P<string>"(?:[^"\\]|\\.)*+")(?P<key>\s*+:)?|[{}\[\]]', re.DOTALL)
_CELLS = (("cells", None), ("worksheets", None, "cells", None))  # the latter in the third version of the format
_SOURCES = {(*cells, key) for cells in _CELLS for key in ("source", "input")}


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


def cells_of(data: bytes) -> bytes:
    """Return the source of the cells, each line at the line of the file that contains it; all other lines are blank.

    Lines of prose become comments, so that the code around them can be parsed. If one line of the file contains
    several lines of a cell, they follow below each other. Bytes that are no notebook are returned as they are.
    """
    try:
        text = data.decode("utf-8-sig")
        is_code = [cell["cell_type"] == "code" for cell in _cells(json.loads(text))]
        strings = list(_strings(text))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return data
    lines: list[str] = []
    last = 0
    for line, number, string in strings:
        lines += [""] * max(line - len(lines), number != last)
        last = number
        prefix = "" if number < len(is_code) and is_code[number] else "# "
        lines += [prefix + part for part in string.removesuffix("\n").split("\n")]
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")


def _cells(notebook: dict[str, Any]) -> Sequence[dict[str, Any]]:
    if "worksheets" in notebook:
        return [cell for sheet in notebook["worksheets"] for cell in sheet["cells"]]
    return list(notebook["cells"])


def _strings(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (line of the file, number of the cell, text) of each string in the source of a cell; both from 0."""
    path: list[str | None] = []  # the current key of each open object, None for each open list
    line = at = number = 0
    for token in _TOKEN.finditer(text):
        mark = token[0][0]
        if mark in "{[":
            path.append("" if mark == "{" else None)
        elif mark in "}]":
            path.pop()
            number += mark == "}" and tuple(path) in _CELLS
        elif token["key"]:
            path[-1] = token["string"][1:-1]
        elif tuple(path[:-1] if path and path[-1] is None else path) in _SOURCES:
            line += text.count("\n", at, token.start())
            at = token.start()
            yield line, number, json.loads(token["string"])


@dataclass(frozen=True, slots=True)
class SourceReading:
    """Read files whose text is not used as it is; their line numbers stay those of the file."""

    names: Sequence[str] = NAMES  # see `Redactor`
    keep: Sequence[str] = ()

    def __call__(self, path: str, data: bytes) -> bytes:
        """Return the bytes to index, to search and to show; most files have them as they are.

        Args:
            path: Relative to the project.
        """
        if path.casefold().endswith(".ipynb"):
            data = cells_of(data)
        if not any(map(looks_secret, path.split("/"))) or is_binary(data):
            return data
        redacted = _redactor(tuple(self.names), tuple(self.keep)).redact(source_text(data)[0], is_secret_file=True)
        return redacted.text.encode("utf-8", "surrogatepass") if redacted.count else data


USUAL_READING = SourceReading()


@lru_cache(maxsize=4)
def _redactor(names: Sequence[str], keep: Sequence[str]) -> Redactor:
    return Redactor(names, keep)
