"""Select source files by the globs of the settings, with the syntax of `.gitignore`."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from searchsocket.errors import ConfigError
from searchsocket.text.globs import Patterns

_NAMES_FILES = re.compile(r"[^*?.\[\]\\/]")  # in the last part of a glob: more than wildcards


@dataclass(frozen=True, slots=True)
class GlobFilter:
    """Selected files, by paths relative to the project; see `glob_filter`."""

    include: Patterns | None
    exclude: Patterns | None
    include_globs: Mapping[str, Patterns] = field(default_factory=dict)  # those without `!`, each on its own

    def excludes(self, path: str) -> bool:
        """Return True if a file or folder is excluded; the path of a folder ends with a slash."""
        return self.exclude is not None and bool(self.exclude.verdict(os.fsencode(path)))

    def includes(self, path: str) -> bool:
        """Return True if a file is included: the last glob that matches it, or a folder above it, decides."""
        return self.include is None or self.include.selects(os.fsencode(path))

    def names(self, path: str) -> bool:
        """Return True if a glob such as `*.tmpl` names a file by more than its folder: its type may be unknown."""
        data = os.fsencode(path)
        return any(
            _NAMES_FILES.search(glob.rpartition("/")[2]) and patterns.verdict(data)
            for glob, patterns in self.include_globs.items()
        )


def glob_filter(include: Sequence[str], exclude: Sequence[str]) -> GlobFilter:
    """Compile `code.include` and `code.exclude`; an empty include selects every file of a known language.

    Raises:
        ConfigError: A glob is invalid.
    """
    globs = {glob: _patterns("include", [glob]) for glob in include if not glob.startswith("!")}
    return GlobFilter(
        _patterns("include", include) if include else None, _patterns("exclude", exclude) if exclude else None, globs
    )


def _patterns(setting: str, globs: Sequence[str]) -> Patterns:
    try:
        return Patterns(b"\n".join(os.fsencode(_from_project(glob)) for glob in globs))
    except ValueError as error:
        raise ConfigError(f"code.{setting}: {error}; it is a list of globs such as 'src/**'") from error


def _from_project(glob: str) -> str:
    """Return a glob as git would write it: `./src/**` becomes `/src/**`.

    Raises:
        ValueError: No path can match it.
    """
    mark, body = ("!", glob[1:]) if glob.startswith("!") else ("", glob)
    if body in (".", "./"):
        return f"{mark}*"
    if body.startswith("./"):
        body = f"/{body[2:].lstrip('/')}"
    if not body.strip() or body.startswith("#") or "\n" in body:
        raise ValueError(f"{glob[:80]!r} is empty, a comment or several lines")
    if {".", ".."} & set(body.split("/")):
        raise ValueError(f"{glob[:80]!r} has a part that is `.` or `..`; globs are relative to the project")
    return mark + body
