"""What a caller asks of source code."""

from dataclasses import dataclass
from typing import get_args

from pathspec import GitIgnoreSpec

from searchsocket.code.languages import LANGUAGES
from searchsocket.errors import InvalidRequest
from searchsocket.search.query import MAX_QUERY_CHARS
from searchsocket.types import ChunkKind, CodeKind, Filter

MAX_TOP_K = 50
MAX_PATH_CHARS = 1_000
KINDS = (*get_args(CodeKind), *get_args(ChunkKind)[2:])


@dataclass(frozen=True, slots=True)
class CodeQuery:
    """A question about source code; filters are applied before anything is ranked."""

    q: str
    top_k: int = 10
    path: str = ""  # a folder or file from the project's top, or a glob: src/auth, src/**/*.ts
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    exported: bool = False  # True: only what others can use
    max_per_file: int = 2

    def checked(self) -> "CodeQuery":
        """The query itself.

        Raises:
            InvalidRequest: It is empty, or beyond a limit; the message says which.
        """
        if not self.q.strip() or len(self.q) > MAX_QUERY_CHARS:
            raise InvalidRequest(f"a query has 1 to {MAX_QUERY_CHARS:,} characters, not {len(self.q):,}")
        for name, value, most in (("limit", self.top_k, MAX_TOP_K), ("maxPerFile", self.max_per_file, MAX_TOP_K)):
            if not 1 <= value <= most:
                raise InvalidRequest(f"{name} is 1 to {most}, not {value}")
        if len(self.path) > MAX_PATH_CHARS or "\0" in self.path:
            raise InvalidRequest(f"path has at most {MAX_PATH_CHARS:,} characters, and no NUL")
        _one_of("language", self.languages, sorted(LANGUAGES))
        _one_of("kind", self.kinds, KINDS)
        return self

    @property
    def is_glob(self) -> bool:
        """Whether `path` is a pattern, which the store cannot filter by."""
        return any(mark in self.path for mark in "*?[!")

    @property
    def where(self) -> Filter:
        """What the store filters by; of a glob, the folders before its first pattern."""
        path = self.path.strip("/")
        if self.is_glob:
            whole = path.split("/")
            first = next(i for i, part in enumerate(whole) if any(mark in part for mark in "*?[!"))
            path = "/".join(whole[:first]) if "/" in self.path.strip("/") else ""
        return Filter(
            path_prefix=f"/{path}" if path else "",
            languages=self.languages,
            kinds=self.kinds,  # type: ignore[arg-type]  # checked
            facets=(("exported=true",),) if self.exported else (),
        )

    def matcher(self) -> GitIgnoreSpec | None:
        """What a glob matches, from the project's top; None where there is none.

        Raises:
            InvalidRequest: It is no glob.
        """
        if not self.is_glob:
            return None
        glob = self.path.removeprefix("/")
        try:
            return GitIgnoreSpec.from_lines([f"/{glob}" if "/" in glob else glob])
        except (ValueError, TypeError) as error:
            raise InvalidRequest(f"path {glob[:80]!a} is no glob such as src/**/*.ts: {error}") from error


def _one_of(name: str, values: tuple[str, ...], known: "tuple[str, ...] | list[str]") -> None:
    for value in values:
        if value not in known:
            raise InvalidRequest(f"{name} {value[:40]!a} is none of {', '.join(known)}")
