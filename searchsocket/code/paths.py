"""Select files of a project: those below a folder, or those that match a glob."""

import os
from collections.abc import Callable
from dataclasses import dataclass

from searchsocket.code.file_kinds import LANGUAGES
from searchsocket.errors import InvalidRequest
from searchsocket.text.globs import Patterns

MAX_PATH_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class PathFilter:
    """A folder or file relative to the project, or a glob: `src/auth`, `src/**/*.ts`; "" selects everything."""

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
    def is_glob(self) -> bool:
        """Return True if the path is a glob, which the store cannot filter by."""
        return any(mark in self.path for mark in "*?[!")

    @property
    def prefix(self) -> str:
        """The path prefix for the store's filter; for a glob, the folders before its first wildcard."""
        path = self.path.strip("/")
        if self.is_glob:
            whole = path.split("/")
            first = next(i for i, part in enumerate(whole) if any(mark in part for mark in "*?[!"))
            path = "/".join(whole[:first]) if "/" in path else ""
        return f"/{path}" if path else ""

    def matcher(self) -> Callable[[str], bool] | None:
        """A function that matches paths against the glob; None without a glob.

        Raises:
            InvalidRequest: It is not a valid glob.
        """
        if not self.is_glob:
            return None
        glob = self.path.removeprefix("./").removeprefix("/")
        try:
            patterns = Patterns(os.fsencode(f"/{glob}" if "/" in glob else glob))
        except ValueError as error:
            raise InvalidRequest(f"path {glob[:80]!a} is not a glob such as src/**/*.ts: {error}") from error
        return lambda path: patterns.selects(os.fsencode(path))

    def takes(self, path: str) -> bool:
        """Return True if a path from the project folder matches."""
        glob, prefix = self.matcher(), self.prefix[1:]
        return glob(path) if glob else not prefix or path == prefix or path.startswith(f"{prefix}/")


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
