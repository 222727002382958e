"""Detect the languages of a site, to copy only the labels that its visitors need."""

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

_MAX_FILES = 500
_HEAD_BYTES = 2_000
_LANG = re.compile(rb"<html\b[^>]{0,500}?\blang\s*=\s*[\"']?([A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8})*)", re.IGNORECASE)
# A quoted code in a configuration, or a key whose value is an object: `locales: ['en', 'de']`, `de: {`. A wrong match
# costs one small file.
_CODE = re.compile(
    r"['\"]([a-z]{2}(?:-[A-Za-z]{2,4})?)['\"]|\b([a-z]{2}(?:-[A-Za-z]{2,4})?)\s*:\s*(?:\{|$)", re.MULTILINE
)


def languages_of_build(folder: Path) -> frozenset[str]:
    """Return the values of `<html lang>` in the first pages of a built site, in lower case."""
    codes = (_LANG.search(_head(path)) for path in islice(_pages(folder), _MAX_FILES))
    return frozenset(match[1].decode("ascii").lower() for match in codes if match)


def languages_in(configuration: str) -> frozenset[str]:
    """Return the language codes in the text of a configuration, in lower case."""
    return frozenset((match[1] or match[2]).lower() for match in _CODE.finditer(configuration))


def _pages(folder: Path) -> Iterator[Path]:
    """Yield the HTML files level by level, so that the start page of each language is among the first."""
    level = [folder]
    while level:
        below: list[Path] = []
        for parent in level:
            try:
                with os.scandir(parent) as entries:
                    names = sorted(entries, key=lambda entry: entry.name)
            except OSError:
                continue
            yield from (Path(entry.path) for entry in names if entry.name.endswith(".html") and entry.is_file())
            below += [Path(entry.path) for entry in names if entry.is_dir(follow_symlinks=False)]
        level = below


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD_BYTES)
    except OSError:
        return b""
