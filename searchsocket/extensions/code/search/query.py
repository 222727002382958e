"""Query over source code."""

from dataclasses import dataclass
from typing import get_args

from searchsocket.errors import InvalidRequest
from searchsocket.extensions.code.parsing.paths import PathFilter, checked_languages, one_of
from searchsocket.extensions.code.parsing.symbols import kind_label
from searchsocket.search.bounds import MAX_CODE_TOP_K, MAX_QUERY_CHARS
from searchsocket.types import ChunkKind, CodeKind, Filter

KINDS = (*get_args(CodeKind), *get_args(ChunkKind)[-2:])


@dataclass(frozen=True, slots=True)
class CodeQuery:
    """A question about source code; filters are applied before anything is ranked."""

    q: str
    top_k: int = 10
    path: str = ""  # a folder or file from the project's top, or a glob: src/auth, src/**/*.ts
    languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    exported: bool = False  # True: only what others can use
    max_per_file: int = 3
    explain: bool = False  # return the parts of each score

    def checked(self) -> "CodeQuery":
        """Return the query itself.

        Raises:
            InvalidRequest: The query is empty, or a value is out of range; the message names it.
        """
        if not self.q.strip() or len(self.q) > MAX_QUERY_CHARS:
            raise InvalidRequest(f"a query must have from 1 to {MAX_QUERY_CHARS:,} characters, not {len(self.q):,}")
        for name, value, most in (
            ("limit", self.top_k, MAX_CODE_TOP_K),
            ("maxPerFile", self.max_per_file, MAX_CODE_TOP_K),
        ):
            if not 1 <= value <= most:
                raise InvalidRequest(f"{name} must be from 1 to {most}, not {value}")
        self.files.checked()
        checked_languages(self.languages)
        one_of("kind", self.kinds, KINDS)
        return self

    @property
    def files(self) -> PathFilter:
        """Filter on paths."""
        return PathFilter(self.path)

    @property
    def where(self) -> Filter:
        """Filter for the store."""
        return Filter(
            path_prefix=self.files.prefix,
            languages=self.languages,
            facets=(
                *([tuple(map(kind_label, self.kinds))] if self.kinds else []),
                *([("exported=true",)] if self.exported else []),
            ),
        )
