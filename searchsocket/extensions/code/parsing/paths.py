"""Select files of a project: those below a folder, or those that match a glob."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from unicodedata import normalize

from searchsocket.errors import InvalidRequest
from searchsocket.extensions.code.parsing.file_kinds import LANGUAGES
from searchsocket.text.globs import Patterns

MAX_PATH_CHARS = 1_000
_WILDCARD = re.compile(r"[*?]")
_ESCAPED = re.compile(r"\\([\[\]])")  # as shells and editors have it


@dataclass(frozen=True, slots=True)
class PathFilter:
    """A folder or file relative to the project, or a glob: `src/auth`, `src/**/*.ts`; "" selects everything.

    Wildcards are `*`, `**` and `?`. Brackets are characters, since the routes of many frameworks are folders such as
    `[slug]`. Both ways to write `ü`, as one character and as two, are equal: file systems and keyboards differ.
    """

    path: str

    def checked(self) -> "PathFilter":
        """Validate the filter and return it.

        Raises:
            InvalidRequest: The path is too long or contains a NUL.
        """
        if len(self.path) > MAX_PATH_CHARS or "\0" in self.path:
            raise InvalidRequest(f"path must have at most {MAX_PATH_CHARS:,} characters and no NUL")
        return self

    @property
    def prefix(self) -> str:
        """The path prefix for the store's filter: the folders that have one spelling and no wildcard."""
        parts = self._plain.split("/")
        first = next((number for number, part in enumerate(parts) if _is_compared(part)), len(parts))
        path = "/".join(parts[:first])
        return f"/{path}" if path else ""

    def matcher(self) -> Callable[[str], bool] | None:
        """A function that matches paths; None if the prefix is enough.

        Raises:
            InvalidRequest: It is not a valid glob.
        """
        if not _is_compared(self._plain):
            return None
        glob = normalize("NFC", self._plain.replace("[", r"\["))
        is_anchored = "/" in self._plain or not _WILDCARD.search(glob)
        line = re.sub(r"[\n\r]", "?", glob)  # a pattern is one line of a file; `?` matches its line break too
        try:
            patterns = Patterns(os.fsencode(f"/{line}" if is_anchored else f"**/{line}"))
        except ValueError as error:
            raise InvalidRequest(f"path {self.path[:80]!a} is not a glob such as src/**/*.ts: {error}") from error
        return lambda path: patterns.selects(os.fsencode(normalize("NFC", path)))

    def takes(self, path: str) -> bool:
        """Return True if a path from the project folder matches."""
        glob, prefix = self.matcher(), self.prefix[1:]
        return glob(path) if glob else not prefix or path == prefix or path.startswith(f"{prefix}/")

    @property
    def _plain(self) -> str:
        return _ESCAPED.sub(r"\1", self.path).removeprefix("./").strip("/")


def _is_compared(part: str) -> bool:
    """Return True if the store cannot filter by a part of a path."""
    return not part.isascii() or _WILDCARD.search(part) is not None


def checked_languages(languages: tuple[str, ...]) -> tuple[str, ...]:
    """Validate languages and return them.

    Raises:
        InvalidRequest: A language is unknown.
    """
    one_of("language", languages, sorted(LANGUAGES))
    return languages


def one_of(name: str, values: tuple[str, ...], allowed: "tuple[str, ...] | list[str]") -> None:
    """Refuse unknown values.

    Raises:
        InvalidRequest: A value is unknown; the message lists the known ones.
    """
    for value in values:
        if value not in allowed:
            raise InvalidRequest(f"{name} {value[:40]!a} is not one of {', '.join(allowed)}")
